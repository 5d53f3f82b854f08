"""``logts report``: all there is to know about a study on one page."""

from pathlib import Path

import click

from logts.cli.commands import COMMANDS
from logts.cli.files import FORCE
from logts.cli.options import OUT
from logts.cli.studies import target, which_study
from logts.study import Study


@COMMANDS.enter("report", place=40)
@click.command(epilog="Example: logts report --out report.html --open")
@which_study
@OUT
@FORCE
@click.option("--open", "in_browser", is_flag=True, help="Open it in the browser.")
def report(study: str, name: str | None, out: Path | None, force: bool, in_browser: bool) -> None:
    """One HTML page with the verdict, the pictures and the numbers, to send to others.

    An earlier report of the same name is replaced.
    """
    with Study.open(study, name) as found:
        path = found.report(target(out, found, ".html", force))
    click.echo(f"Report: {path}")
    if in_browser:
        click.launch(str(path))
