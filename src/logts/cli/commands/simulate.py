"""``logts simulate``: how many trials a policy would need on these options, and how often it would err."""

import functools
import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from logts.cli.choices import Entered
from logts.cli.commands import COMMANDS
from logts.cli.files import unless_taken
from logts.cli.inputs import TABLE, Asking, arms_options
from logts.cli.options import CLUSTER, DELTA
from logts.planning.simulate import Rates, Recorded, Runs
from logts.planning.simulate import simulate as run
from logts.policies import POLICIES, takes_settings
from logts.problems import Problem
from logts.stopping import RULES
from logts.tables import Choice, column, read_options, read_table, to_csv

EXAMPLE = "logts simulate options.csv --rates guess --best --delta 0.05 --runs 200 -j 2"


def _policies() -> list[str]:
    """Those that take a stopping rule and need nothing of the truth; the others are there in Python."""
    return [name for name, make in POLICIES.items() if takes_settings(make)]


@COMMANDS.enter("simulate", place=100)
@click.command(cls=Asking, epilog=f"Example: {EXAMPLE}")
@TABLE
@arms_options
@click.option("--rates", metavar="COLUMN", help="The column with the true success rates.")
@click.option(
    "--recorded", nargs=2, metavar="SUCCESSES TRIALS", help="Or the two columns with recorded counts."
)
@click.option(
    "--policy",
    type=Entered(_policies),
    default="log-ts",
    show_default=True,
    help="What chooses the options.",
)
@click.option(
    "--stopping", type=Entered(RULES.keys), default="evidence", show_default=True, help="When to stop."
)
@click.option(
    "--constant",
    "constants",
    type=(str, float),
    multiple=True,
    metavar="NAME NUMBER",
    help="What the stopping rule needs, such as: --constant radius 1.",
)
@DELTA
@click.option("--max-trials", type=int, help="Trials at most, in each run; then it ends with a guess.")
@click.option("--guard/--no-guard", default=True, show_default=True, help="Watch whether the model fits.")
@click.option("--runs", type=int, default=100, show_default=True, help="How many runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same runs.")
@click.option("-j", "--jobs", type=int, default=1, show_default=True, help="Processes.")
@CLUSTER
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a row for each run to this CSV file.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON, for machines.")
def simulate(
    table: Path,
    choice: Choice,
    problem: Problem,
    rates: str | None,
    recorded: tuple[str, str] | None,
    policy: str,
    stopping: str,
    constants: tuple[tuple[str, float], ...],
    delta: float,
    max_trials: int | None,
    guard: bool,
    runs: int,
    seed: int,
    jobs: int,
    cluster: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Simulate studies of the options in a table whose success rates are known or guessed."""
    if (rates is None) == (recorded is None):
        raise click.UsageError("say what the true rates are: --rates COLUMN, or --recorded SUCCESSES TRIALS")
    if out is not None:
        unless_taken(out, force)
    rows = read_table(table)
    aside = [rates] if rates is not None else list(recorded or ())
    arms = read_options(rows, choice, aside=aside).arms
    known = [column(rows, name) for name in aside]
    found = run(
        functools.partial(
            POLICIES.find(policy), stopping=stopping, guard=guard, max_trials=max_trials, **dict(constants)
        ),
        arms,
        Rates(known[0].to_numpy()) if rates is not None else Recorded(*known),
        problem,
        delta=delta,
        runs=runs,
        rng=seed,
        jobs=jobs,
        cluster=cluster,
        progress=sys.stderr.isatty(),
    )
    if out is not None:
        out.write_text(to_csv(found.to_pandas()), encoding="utf-8")
    if as_json:
        click.echo(json.dumps([asdict(row) for row in found]))
        return
    console = Console()
    setting = f"{problem}, delta = {delta:g}, {policy}, stopping on {stopping}: {runs} runs"
    console.print(f"{arms}\n{setting}\n", highlight=False)
    console.print(summary(found))


def summary(runs: Runs) -> Table:
    """One line for each answer and what it rests on, the commonest first, and one for all."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("runs", "wrong", "trials", "median", "90%", "us/trial"):
        table.add_column(heading, justify="right")
    table.add_column("answer", overflow="ellipsis", no_wrap=True)
    table.add_column("basis", no_wrap=True)
    groups: dict[tuple[str, str], Runs] = {}
    for row in runs:
        groups.setdefault((row.answer, row.basis), Runs()).append(row)
    for (answer, basis), rows in sorted(groups.items(), key=lambda item: -len(item[1])):
        table.add_row(*_figures(rows), answer, basis)
    if len(groups) > 1:
        table.add_section()
        table.add_row(*_figures(runs), "all", "")
    return table


def _figures(rows: Runs) -> list[str]:
    samples = np.array([row.samples for row in rows])
    wrong = sum(not row.correct for row in rows)
    seconds = sum(row.seconds for row in rows)
    middle, most = np.quantile(samples, [0.5, 0.9])
    each = f"{1e6 * seconds / samples.sum():.1f}" if samples.sum() else "-"
    return [f"{len(rows)}", f"{wrong}", f"{samples.mean():,.0f}", f"{middle:,.0f}", f"{most:,.0f}", each]
