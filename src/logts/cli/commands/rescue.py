"""``logts rescue``: what can still be read of a damaged file."""

import click

from logts.cli.commands import COMMANDS
from logts.journal import rescue as save_what_can_be_read


@COMMANDS.enter("rescue", place=80)
@click.command(epilog="Example: logts rescue broken.db rescued.db")
@click.argument("broken")
@click.argument("new")
def rescue(broken: str, new: str) -> None:
    """Copy what can still be read of a damaged file into a new one. The old one is not touched."""
    for name, (saved, trouble) in save_what_can_be_read(broken, new).items():
        rest = f"; the next is lost ({trouble})" if trouble else ", all of them" if saved else ""
        click.echo(f"{name}: {saved:,} events saved{rest}")
