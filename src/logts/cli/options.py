"""Options that several commands share."""

from pathlib import Path

import click


def _probability(ctx: click.Context, param: click.Parameter, delta: float) -> float:
    """Refuse what cannot be meant, with what may be meant instead."""
    if 0.0 < delta <= 0.5:
        return delta
    if 0.5 < delta < 1.0:
        meant, why = 1.0 - delta, f"{delta:g} would permit a wrong answer {100 * delta:g}% of the time"
    else:
        meant, why = delta / 100.0, f"it is a probability, strictly between 0 and 1; got {delta:g}"
        meant = 1.0 - meant if meant > 0.5 else meant
    question = f": did you mean {meant:g}?" if 0.0 < meant <= 0.5 else ""
    raise click.BadParameter(f"{why}{question}", ctx, param)


DELTA = click.option(
    "--delta",
    type=float,
    default=0.05,
    show_default=True,
    callback=_probability,
    help="Permitted probability of a wrong answer.",
)
CLUSTER = click.option(
    "--cluster", metavar="tcp://HOST:PORT", help="Run on the Dask cluster of this scheduler instead."
)
OUT = click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
