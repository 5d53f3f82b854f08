"""``logts plot``: a picture of a study."""

from pathlib import Path

import click

from logts.cli.choices import Entered
from logts.cli.commands import COMMANDS
from logts.cli.options import OUT
from logts.cli.studies import target, which_study
from logts.reports.pictures import PICTURES
from logts.study import Study

HELP = """A picture: rates with intervals and trials, confidence over trials, what was settled when, or the
fit check.

The ending of the file says its format: png, svg, pdf.
"""


@COMMANDS.enter("plot", place=50)
@click.command(help=HELP, epilog="Example: logts plot rates --out rates.png")
@click.argument("picture", type=Entered(PICTURES.keys))
@which_study
@OUT
def plot(picture: str, study: str, name: str | None, out: Path | None) -> None:
    """Draw a picture by its name and save it."""
    with Study.open(study, name) as found:
        path = target(out, found, f"-{picture}.png")
        found.plot(picture).savefig(path, dpi=150)
    click.echo(f"Picture: {path}")
