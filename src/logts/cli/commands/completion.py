"""``logts completion``: the Tab key."""

import click
from click.shell_completion import get_completion_class

from logts.cli.commands import COMMANDS


@COMMANDS.enter("completion", place=130)
@click.command(epilog='Example: eval "$(logts completion bash)"   (put it into ~/.bashrc)')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes the shell complete commands, options and names of studies."""
    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(ctx.find_root().command, {}, "logts", "_LOGTS_COMPLETE").source())
