"""``logts create``: begin a study without a trial, for outcomes that come from elsewhere."""

import click

from logts.cli.beginning import beginning_options, open_or_create, went_on
from logts.cli.commands import COMMANDS
from logts.cli.inputs import Asking, arms_options, table_or_grid
from logts.problems import Problem
from logts.reports.words import question
from logts.tables import Choice, Rows, read_options

EXAMPLES = """\b
Examples:
  logts create mailings.csv --names subject
  logts ask -n 20 --lease 3d
  logts tell 0=yes 1=no
"""


@COMMANDS.enter("create", place=21)
@click.command(cls=Asking, epilog=EXAMPLES)
@table_or_grid
@arms_options
@beginning_options
def create(
    rows: Rows,
    choice: Choice,
    problem: Problem,
    delta: float,
    study: str,
    name: str | None,
    after: str | None,
    guard: bool,
) -> None:
    """Begin a study of the options of a table, one row each, whose outcomes come from elsewhere.

    Ask for trials with `logts ask`, and tell their outcomes with `logts tell` or `logts import`.
    """
    options = read_options(rows.values, choice, aside=[], written=rows.written)
    asked = {"arms": options.arms, "problem": problem, "delta": delta, "guard": guard}
    with open_or_create(study, name or rows.name, asked, after) as found:
        about = question(problem, options.arms.items.names)
        click.echo("\n".join([*options.words, *went_on(found), about]))
        begun = "It was there before, and goes on." if found.asked else "Next: logts ask."
        click.echo(f"Kept in {found.where} as {found.name!r}. {begun}")
