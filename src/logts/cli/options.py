"""Options that several commands share."""

from pathlib import Path

import click

DELTA = click.option(
    "--delta", type=float, default=0.05, show_default=True, help="Permitted probability of a wrong answer."
)
CLUSTER = click.option(
    "--cluster", metavar="tcp://HOST:PORT", help="Run on the Dask cluster of this scheduler instead."
)
OUT = click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
