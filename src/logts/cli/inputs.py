"""What commands share: a table of options, and a question about them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from logts.cli.tolerance import read_tolerance, tolerances, tolerant
from logts.problems import BestArm, Flag, Problem
from logts.problems.speech import flags
from logts.tables import Choice, Rows, rows_of_file, rows_of_text

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
TABLE = click.argument("table", type=FILE, metavar="OPTIONS.csv")
TABLE_OR_GRID = [
    click.argument("table", required=False, metavar="[OPTIONS.csv]"),
    click.option(
        "--grid",
        multiple=True,
        metavar="NAME=V1,V2",
        help="Instead of a table: all combinations of the values of columns, each given like this.",
    ),
]

_ARMS = [
    click.option(
        "--formula",
        metavar="'~ a + b'",
        help="The model: which columns describe an option, and how. Without one each has a rate of its own.",
    ),
    click.option("--additive", is_flag=True, help="The model that adds up all columns on the logit scale."),
    click.option("--equal", is_flag=True, help="What the model cannot tell apart is meant to be equal."),
    click.option(
        "--pairwise",
        is_flag=True,
        help="Compare options in pairs, {first} with {second}; yes means that the first one wins.",
    ),
    click.option(
        "--names",
        metavar="COLUMN",
        help="The column with the options' names. By default all columns together.",
    ),
]


class Asking(click.Command):
    """A command about options and a question: it gets the model's ``choice``, and the ``problem``.

    Every registered question has its option. Where there may be a grid, it gets ``rows`` instead of a table.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters; those that ask come after those that say what the arms are."""
        own = super().get_params(ctx)
        place = 1 + [param.name for param in own].index("names")
        return [*own[:place], *map(_option, flags()), *tolerances(tolerant()), *own[place:]]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with the question instead of the options that ask it."""
        ctx.params["problem"] = _problem(ctx)
        ctx.params["choice"] = Choice(**{name: ctx.params.pop(name) for name in Choice.__annotations__})
        if "grid" in ctx.params:
            ctx.params["rows"] = _rows(ctx)
        try:
            return super().invoke(ctx)
        except ValueError as error:
            if ctx.params["choice"].names is not None or not str(error).startswith("no item is called"):
                raise
            hint = "Say --names COLUMN; without it an option is called by all its columns"
            raise click.ClickException(f"{error}. {hint}.") from error


def arms_options(command: F) -> F:
    """Options that say what the arms are."""
    for option in reversed(_ARMS):
        command = option(command)
    return command


def table_or_grid(command: F) -> F:
    """A table, or the options that stand for one; for commands of the class :class:`Asking`."""
    for option in reversed(TABLE_OR_GRID):
        command = option(command)
    return command


def _rows(ctx: click.Context) -> Rows:
    """The table, or the grid: with a grid the first word belongs to the command."""
    import pandas as pd

    table = ctx.params.pop("table")
    grid = ctx.params.pop("grid")
    if not grid:
        if table is None:
            raise click.UsageError("give a table of options, or --grid NAME=V1,V2", ctx)
        path = FILE.convert(table, None, ctx)
        return rows_of_file(path)
    if table is not None:
        if "command" not in ctx.params:
            raise click.UsageError("give a table of options or a --grid, not both", ctx)
        ctx.params["command"] = (table, *ctx.params["command"])
    columns = {}
    for words in grid:
        name, _, values = words.partition("=")
        if not name or not values or name in columns:
            raise click.UsageError(f"a grid is NAME=V1,V2, each name once; got {words!r}", ctx)
        columns[name] = values.split(",")
    text = pd.DataFrame(list(itertools.product(*columns.values())), columns=list(columns)).to_csv(index=False)
    return rows_of_text(text, "grid")


# Parsing looks options up by identity: each is made once.
@functools.cache
def _option(flag: Flag) -> click.Option:
    """The option of a flag. Flags without a value share a parameter: of several the last one counts."""
    if flag.takes is None:
        return click.Option([flag.name, "question"], flag_value=flag.name, help=flag.help)
    return click.Option([flag.name], type=flag.takes, metavar=flag.metavar, help=flag.help)


def _problem(ctx: click.Context) -> Problem:
    """The question that is asked; what asks it is taken out of the parameters."""
    epsilon = read_tolerance(ctx)
    given = {ctx.params.pop("question"): True}  # the flag without a value, if there is one
    for flag in flags():
        if flag.takes is not None:
            given[flag.name] = ctx.params.pop(_option(flag).name)
    # What is asked by default gives way to any other.
    asked = [flag for flag in flags() if given.get(flag.name) is not None and flag is not BestArm.flag]
    if len(asked) > 1:
        names = " and ".join(flag.name for flag in asked)
        raise click.UsageError(f"ask one question at a time; got {names}", ctx)
    if epsilon and asked and not asked[0].epsilon:
        raise click.UsageError(f"{asked[0].name} knows no tolerance: it is for {tolerant()}", ctx)
    return asked[0].make(given[asked[0].name], epsilon) if asked else BestArm(epsilon)
