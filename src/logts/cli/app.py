"""The group of commands. A mistake of the user's is answered with a sentence, not a traceback."""

from typing import Any

import click

from logts._version import __version__
from logts.cli import commands
from logts.cli.commands import COMMANDS
from logts.journal import JournalError
from logts.tools.registry import discover

discover(commands.__name__, list(commands.__path__))


class _Commands(click.Group):
    """All commands that are entered. Mistakes of the user and missing extras are answered with a sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return COMMANDS.get(cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, ImportError, JournalError, OSError) as error:
            raise click.ClickException(str(error)) from error


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="logts")
def app() -> None:
    """Which option is best, and can I stop testing now? From yes/no outcomes, with proof.

    Start with `logts demo`. For a study of your own: a table of options, and something that says yes or no.

    \b
      logts plan options.csv --effect 0.05
      logts run options.csv --delta 0.05 -- ./try.sh {prompt} {temperature}
      logts report
    """  # noqa: D301  the backspace tells click to leave the lines as they are
