"""``logts bench``: measure here what the documentation claims."""

from pathlib import Path

import click
from rich.console import Console

from logts.cli.commands import COMMANDS
from logts.cli.options import CLUSTER
from logts.experiments.league import league, markdown


@COMMANDS.enter("bench", place=120)
@click.group()
def bench() -> None:
    """Measure on this machine."""


@bench.command(epilog="Example: logts bench peers --runs 30 -j 2 --out league.md")
@click.option(
    "--runs",
    type=int,
    default=30,
    show_default=True,
    help="Runs for each policy, stopping rule and instance.",
)
@click.option(
    "--few",
    type=int,
    default=3,
    show_default=True,
    help="Runs of GLGapE and the Gaussian plug-in rule, which need many millions of samples.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same runs.")
@click.option("-j", "--jobs", type=int, default=1, show_default=True, help="Processes.")
@CLUSTER
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the tables to this file.")
def peers(runs: int, few: int, seed: int, jobs: int, cluster: str | None, out: Path | None) -> None:
    """Log-TS and every peer on six instances: samples beside the exact lower bound, errors, time."""
    found = []
    with Console(stderr=True).status("starting") as status:
        for place in league(runs=runs, few=few, seed=seed, jobs=jobs, cluster=cluster):
            found.append(place)
            who = f"{place.policy}, {place.stopping}"
            status.update(f"{place.instance}: {who}: {place.samples:,.0f} samples")
    text = markdown(found)
    click.echo(text)
    if out is not None:
        out.write_text(f"# The league\n\nMade by `logts bench peers --runs {runs}`. {text}")
