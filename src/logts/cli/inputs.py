"""What commands share: a table of options, and a question about them."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import pandas as pd

from logts.arms import Arms
from logts.problems import BestArm, Problem, Ranking, Threshold, TopM, VersusControl
from logts.tools.frames import plain_rows

F = TypeVar("F", bound=Callable[..., Any])

TABLE = click.argument("table", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="OPTIONS.csv")

_ARMS = [
    click.option("--formula", metavar="'~ a + b'", help="Which columns describe an option. By default all that have no other use."),
    click.option("--names", metavar="COLUMN", help="The column with the options' names. By default the features themselves."),
]
_QUESTION = [
    click.option("--best", "question", flag_value="best", default=True, help="Which option is best? (default)"),
    click.option("--top", type=int, metavar="M", help="Which M options are the best ones?"),
    click.option("--above", type=float, metavar="RATE", help="Which options succeed more often than this rate?"),
    click.option("--beat", metavar="NAME", help="Which options are better than this one?"),
    click.option("--rank", "question", flag_value="rank", help="What is the order of all options?"),
    click.option("--epsilon", type=float, default=0.0, help="A difference in logits that does not matter (--best, --beat)."),
]


def arms_options(command: F) -> F:
    """Options that say what the arms are."""
    return _all(command, _ARMS)


def question_options(command: F) -> F:
    """Options that say what is asked; the command gets it as ``problem``."""

    @functools.wraps(command)
    def asked(*, question: str, top: int | None, above: float | None, beat: str | None, epsilon: float, **others: Any) -> Any:
        return command(problem=_problem(question, top, above, beat, epsilon), **others)

    return _all(cast(F, asked), _QUESTION)


def read_table(path: Path, *, as_text: bool = False) -> pd.DataFrame:
    """A CSV file with a header and at least one row; ``as_text`` leaves values as they are written."""
    try:
        if as_text:
            table = pd.read_csv(path, dtype=str, keep_default_na=False)
        else:
            table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path} is not a CSV table with a header: {error}") from error
    if table.empty:
        raise click.ClickException(f"{path} has a header and no rows: give a row for each option")
    if len(table.columns) == 1 and any(mark in str(table.columns[0]) for mark in ";\t"):
        raise click.ClickException(f"{path} seems to have its columns parted by {str(table.columns[0])!r}: save it with commas")
    return table


def column(table: pd.DataFrame, name: str) -> pd.Series:
    """A column by name, or a sentence with the names there are."""
    if name not in table:
        raise click.ClickException(f"no column is called {name!r}; the columns are {', '.join(map(str, table.columns))}")
    return table[name]


def read_arms(
    table: pd.DataFrame, formula: str | None, names: str | None, *, aside: Sequence[str], written: pd.DataFrame | None = None
) -> Arms:
    """The options of a table. Columns ``aside`` have another use; without features options share nothing but their names.

    Names, and the columns that commands get, are taken as they are ``written``.
    """
    written = table if written is None else written
    for name in [*aside, *([names] if names else [])]:
        column(table, name)
    features = [str(name) for name in table.columns if name not in aside and name != names]
    if formula is None and names is not None and not features:
        return Arms(names=[str(value) for value in written[names]], columns=plain_rows(written))
    if formula is None:
        if not features:
            raise click.ClickException("no column is left to describe the options: say which column holds their --names")
        formula = "~ " + " + ".join(f"`{name}`" for name in features)
    given = None if names is None else [str(value) for value in written[names]]
    return Arms(table, formula, names=given, columns=plain_rows(written))


def _problem(question: str, top: int | None, above: float | None, beat: str | None, epsilon: float) -> Problem:
    """The question that the options ask."""
    asked = [name for name, value in (("--top", top), ("--above", above), ("--beat", beat)) if value is not None]
    if len(asked) + (question == "rank") > 1:
        raise click.UsageError(f"ask one question at a time; got {' and '.join(asked + ['--rank'] * (question == 'rank'))}")
    if top is not None:
        return TopM(top)
    if above is not None:
        return Threshold(above)
    if beat is not None:
        return VersusControl(beat, epsilon=epsilon)
    return Ranking() if question == "rank" else BestArm(epsilon=epsilon)


def _all(command: F, options: Sequence[Callable[[F], F]]) -> F:
    for option in reversed(options):
        command = option(command)
    return command
