"""``logts status``: how a study stands."""

import click

from logts.cli.commands import COMMANDS
from logts.cli.studies import exit_code, show, which_study
from logts.study import Study


@COMMANDS.enter("status", place=30)
@click.command(epilog="Example: logts status && ./deploy.sh   (exit code: 0 if decided, 3 if not)")
@which_study
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def status(study: str, name: str | None, as_json: bool) -> None:
    """How a study stands: the verdict in words, or what is still missing."""
    with Study.open(study, name) as found:
        show(found, as_json)
        raise SystemExit(exit_code(found))
