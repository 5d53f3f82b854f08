"""What a body says of options, the model and the question, read by what the command line uses."""

import re

from logts.problems import Problem
from logts.problems.speech import from_json
from logts.server.formulas import check_columns, check_formula
from logts.server.schemas import Options as Body
from logts.server.schemas import Question
from logts.server.settings import Limits
from logts.tables import Choice, Options, Rows, read_options, rows_of_records, rows_of_text


def rows_of(body: Body, limits: Limits) -> Rows:
    """The table of options that was sent."""
    if (body.table is None) == (body.options is None):
        raise ValueError("give the options as a table, the text of a CSV file, or as a list of rows")
    if body.table is not None:
        rows = rows_of_text(body.table, "the table")
    else:
        rows = rows_of_records(body.options or [], "the list of options")
    if len(rows.values) > limits.options:
        raise ValueError(f"a study has at most {limits.options:,} options here; got {len(rows.values):,}")
    return rows


def choice_of(body: Body) -> Choice:
    """The model that was chosen."""
    return Choice(body.formula, body.additive, body.names, body.equal, body.pairwise)


def options_of(body: Body, limits: Limits, rows: Rows | None = None) -> Options:
    """The options that were sent, and the model in words."""
    rows = rows_of(body, limits) if rows is None else rows
    if body.pairwise and len(rows.values) ** 2 > 2 * limits.options:
        raise ValueError(f"there are more than {limits.options:,} pairs of {len(rows.values):,} options")
    if body.formula is not None:
        check_formula(body.formula, rows.values, limits.features)
    elif body.additive:
        check_columns(rows.values, [str(name) for name in rows.values if name != body.names], limits.features)
    found = read_options(rows.values, choice_of(body), aside=[], written=rows.written)
    features = 0 if found.arms.by_name else found.arms.dimension
    if features > limits.features:
        raise ValueError(f"a model has at most {limits.features:,} parameters here; got {features:,}")
    return Options(found.arms, [_as_fields(line) for line in found.words])


def question_of(asked: Question) -> Problem:
    """The question that was sent."""
    return from_json(asked.model_dump(exclude_none=True))


def _as_fields(text: str) -> str:
    return re.sub(r"(?<![\w-])--(?=[a-z])", "", text)
