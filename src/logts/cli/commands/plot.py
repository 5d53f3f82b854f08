"""``logts plot``: a picture of a study."""

from pathlib import Path

import click

from logts.cli.choices import Entered
from logts.cli.commands import COMMANDS
from logts.cli.files import FORCE, save_picture
from logts.cli.options import OUT
from logts.cli.studies import target, which_study
from logts.reports.pictures import PICTURES
from logts.study import Study

HELP = """A picture: rates with intervals and trials, confidence over trials, what was settled when, what
the columns of the model do, or the fit check.

The ending of the file says its format: png, svg, pdf. An earlier picture of the same name is replaced.
"""


@COMMANDS.enter("plot", place=50)
@click.command(help=HELP, epilog="Example: logts plot rates --out rates.png")
@click.argument("picture", type=Entered(PICTURES.keys))
@which_study
@OUT
@FORCE
def plot(picture: str, study: str, name: str | None, out: Path | None, force: bool) -> None:
    """Draw a picture by its name and save it."""
    with Study.open(study, name) as found:
        path = target(out, found, f"-{picture}.png", force)
        save_picture(found.plot(picture), path)
    click.echo(f"Picture: {path}")
