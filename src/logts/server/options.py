"""What a body says of options, the model and the question, read by what the command line uses."""

import dataclasses

from logts.problems import Problem
from logts.problems.speech import QUESTIONS, from_json
from logts.server.errors import as_fields
from logts.server.formulas import check_columns, check_formula
from logts.server.schemas import Options as Body
from logts.server.schemas import Question
from logts.server.settings import Limits
from logts.tables import Choice, Options, Rows, read_options, rows_of_records, rows_of_text


def rows_of(body: Body, limits: Limits) -> Rows:
    """The table of options that was sent."""
    if (body.table is None) == (body.options is None):
        raise ValueError("give the options as a table, the text of a CSV file, or as a list of rows")
    # Before it is read: what is very wide takes long, and rows that share no column make a table of holes.
    if body.table is not None:
        _within(limits, columns=body.table.lstrip().partition("\n")[0].count(",") + 1)
        rows = rows_of_text(body.table, "the table")
    else:
        records = body.options or []
        _within(limits, rows=len(records), columns=len({name for row in records for name in row}))
        rows = rows_of_records(records, "the list of options")
    _within(limits, rows=len(rows.values), columns=len(rows.values.columns))
    return rows


def _within(limits: Limits, *, rows: int = 0, columns: int = 0) -> None:
    if rows > limits.options:
        raise ValueError(f"a study has at most {limits.options:,} options here; got {rows:,}")
    if columns > limits.columns:
        raise ValueError(f"a table has at most {limits.columns:,} columns here; got {columns:,}")


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
    return Options(found.arms, [as_fields(line) for line in found.words])


def question_of(asked: Question) -> Problem:
    """The question that was sent."""
    said = asked.model_dump(exclude_none=True)
    known = {field.name: field.default for field in dataclasses.fields(QUESTIONS.find(asked.kind))}
    missing = [name for name, value in known.items() if value is dataclasses.MISSING and name not in said]
    strange = sorted(said.keys() - known.keys() - {"kind"})
    if missing:
        raise ValueError(f"question: {asked.kind} needs {missing[0]}")
    if strange:
        takes = f"it takes {', '.join(known)}" if known else "it takes nothing"
        raise ValueError(f"question: {asked.kind} has no {strange[0]}; {takes}")
    return from_json(said)
