"""``logts bench``: measure here what the documentation claims."""

from pathlib import Path

import click
from rich.console import Console

from logts.experiments.league import league, markdown


@click.group()
def bench() -> None:
    """Measure on this machine."""


@bench.command(epilog="Example: logts bench peers --runs 30 -j 2 --out league.md")
@click.option("--runs", type=int, default=30, show_default=True, help="Runs for each policy, stopping rule and instance.")
@click.option("--few", type=int, default=3, show_default=True, help="Runs of GLGapE, which needs many millions of samples.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same runs.")
@click.option("-j", "--jobs", type=int, default=1, show_default=True, help="Processes.")
@click.option("--cluster", metavar="tcp://HOST:PORT", help="Run on the Dask cluster of this scheduler instead.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the tables to this file.")
def peers(runs: int, few: int, seed: int, jobs: int, cluster: str | None, out: Path | None) -> None:
    """Log-TS and every peer on six instances: samples beside the exact lower bound, errors, time."""
    console, found = Console(stderr=True), []
    with console.status("starting") as status:
        for standing in league(runs=runs, few=few, seed=seed, jobs=jobs, cluster=cluster):
            found.append(standing)
            status.update(f"{standing.instance}: {standing.policy}, {standing.stopping}: {standing.samples:,.0f} samples")
    text = markdown(found)
    click.echo(text)
    if out is not None:
        out.write_text(f"# The league\n\nMade by `logts bench peers --runs {runs}`. {text}")
