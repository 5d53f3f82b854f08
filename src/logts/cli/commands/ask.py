"""``logts ask``: trials to make, for outcomes that take their time."""

import csv
import io
import json
import shlex
import socket
from collections.abc import Sequence

import click

from logts.cli.commands import COMMANDS
from logts.cli.escapes import shown
from logts.cli.outcomes import Seconds, in_words
from logts.cli.studies import DEFAULT, which_study
from logts.study import Study, Trial
from logts.tables import harmless

EXAMPLES = """\b
Examples:
  logts ask -n 20 --lease 3d
  logts tell 17 yes
  logts ask -n 200 --csv > batch.csv     fill in the column outcome, then: logts import batch.csv
"""


@COMMANDS.enter("ask", place=22)
@click.command(epilog=EXAMPLES)
@which_study
@click.option("-n", "number", type=click.IntRange(1), default=1, show_default=True, help="How many.")
@click.option(
    "--lease",
    type=Seconds(),
    default="1d",
    show_default=True,
    help="How long you have for them, such as 8h or 3d. After that they may be asked again.",
)
@click.option("--csv", "as_csv", is_flag=True, help="A table with a column outcome to fill in, for import.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def ask(study: str, name: str | None, number: int, lease: float, as_csv: bool, as_json: bool) -> None:
    """Ask for trials to make: for each its id, the option, and the columns of the option.

    Tell their outcomes with `logts tell` or `logts import`, days later if need be, in any order and from any
    machine. A trial whose lease is over is given out again under the same id; its first outcome counts.
    """
    with Study.open(study, name) as found:
        # Not the name of a process: this one ends now, and the trials are out all the same.
        trials = found.ask(number, lease=lease, worker=f"{socket.gethostname()}:by hand")
        if as_json:
            click.echo(json.dumps([_plain(trial) for trial in trials]))
        elif as_csv:
            click.echo(_table(trials), nl=False)
        else:
            for trial in trials:
                click.echo(_line(trial))
        if not trials:
            why = "its budget is spent" if found.verdict is None else "the study is decided"
            click.echo(f"There is nothing to ask: {why}. {found.summary()}", err=True)
        elif not as_json:
            where = "" if study == DEFAULT else f"{shlex.quote(study)} "
            which = "" if name is None else f" --name {shlex.quote(name)}"
            how = f"logts tell {where}ID yes{which}"
            click.echo(f"Yours for {in_words(lease)}. Then: {how} (or no, or lost)", err=True)


def _plain(trial: Trial) -> dict[str, object]:
    return {"id": trial.id, "option": trial.arm, "columns": dict(trial.columns)}


def _line(trial: Trial) -> str:
    columns = (f"{name}={value}" for name, value in trial.columns.items())
    return "  ".join(shown(text) for text in (f"{trial.id}", trial.arm, *columns))


def _table(trials: Sequence[Trial]) -> str:
    """A row for each trial. Columns that are called like ours are left out."""
    given = [
        name for name in (trials[0].columns if trials else ()) if name not in ("id", "option", "outcome")
    ]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "option", *map(harmless, given), "outcome"])
    for trial in trials:
        rows.writerow(map(harmless, [trial.id, trial.arm, *(trial.columns[name] for name in given), ""]))
    return text.getvalue()
