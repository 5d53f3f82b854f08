"""``logts rescue``: what can still be read of a damaged file."""

import click

from logts.cli.commands import COMMANDS
from logts.cli.escapes import shown
from logts.journal import Saved
from logts.journal import rescue as save_what_can_be_read


@COMMANDS.enter("rescue", place=80)
@click.command(epilog="Example: logts rescue broken.db rescued.db")
@click.argument("broken")
@click.argument("new")
def rescue(broken: str, new: str) -> None:
    """Copy what can still be read of a damaged file into a new one. The old one is not touched.

    Of each study the events up to the first that is missing or damaged are saved: those after it make no
    sense without it.
    """
    for name, saved in save_what_can_be_read(broken, new).items():
        click.echo(f"{shown(name)}: {_told(saved)}")


def _told(saved: Saved) -> str:
    """What was saved of a study, and what is missing."""
    events, written, trouble = saved
    if written is None:
        rest = f"; the next cannot be read ({trouble})" if trouble else ""
        unsure = "How many there were is not known: some may be missing at the end"
        return f"{events:,} events saved{rest}. {unsure}"
    if not trouble:
        return f"{events:,} events saved, all of them"
    lost = f"event {events} cannot be read ({trouble})"
    after = written - events - 1
    rest = f", nor can the {after:,} after it be used without it" if after > 0 else ", the last of all"
    return f"{events:,} of {written:,} events saved: {lost}{rest}"
