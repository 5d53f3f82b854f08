"""``logts paper``: the paper's experiments, run again."""

import sys
from pathlib import Path

import click

from logts.cli import INTERRUPTED
from logts.cli.commands import COMMANDS
from logts.cli.options import CLUSTER
from logts.experiments.paper import EXPERIMENTS, campaign, write_report
from logts.experiments.paper.experiments import STOPPING

EXAMPLE = (
    "Example: logts paper table1 --runs 10 -j 2. Stop it with Ctrl-C; the same command goes on where it was."
)


@COMMANDS.enter("paper", place=110)
@click.command(epilog=EXAMPLE)
@click.argument("experiment", type=click.Choice([*EXPERIMENTS, "all"]))
@click.option("--runs", type=int, default=10, show_default=True, help="Runs for each cell, ten in the paper.")
@click.option(
    "--stopping",
    type=click.Choice(STOPPING),
    multiple=True,
    default=STOPPING,
    help="By default all four.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="The same seed gives the same runs, wherever they are run.",
)
@click.option("-j", "--jobs", type=int, default=1, show_default=True, help="Processes.")
@CLUSTER
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/paper"),
    show_default=True,
    help="Where to.",
)
def paper(
    experiment: str,
    runs: int,
    stopping: tuple[str, ...],
    seed: int,
    jobs: int,
    cluster: str | None,
    out: Path,
) -> None:
    """Section 7 of the paper: tables 1 and 2, figures 1 and 2, and top-m, which it leaves out.

    Every run is written to runs.jsonl as it ends. At the end report.md holds the tables of all runs there,
    with the paper's own numbers beside, and says which of its relations hold; figures are saved as PNG and
    SVG.
    """
    if runs < 1:
        raise click.UsageError(f"--runs must be at least 1; got {runs}")
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    show = sys.stderr.isatty()
    try:
        rows = campaign(
            names, out, runs=runs, stopping=stopping, seed=seed, jobs=jobs, cluster=cluster, progress=show
        )
    except KeyboardInterrupt:
        ended = f"What has ended is in {out / 'runs.jsonl'}; the same command goes on from there."
        click.echo(f"Stopped. {ended}", err=True)
        sys.exit(INTERRUPTED)
    path = write_report(rows, out)
    click.echo(path.read_text())
    click.echo(f"Written to {path}")
