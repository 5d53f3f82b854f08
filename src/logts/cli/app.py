"""The group of commands, and what happens to errors: a mistake of the user's is a sentence, not a traceback."""

from typing import Any

import click

from logts._version import __version__
from logts.cli.bench import bench
from logts.cli.demo import demo
from logts.cli.kept import completion, export, list_studies, plot, report, rescue, status
from logts.cli.paper import paper
from logts.cli.plan import plan
from logts.cli.run import run
from logts.cli.simulate import simulate
from logts.journal import JournalError


class _Sentences(click.Group):
    """Commands in the order of their use, whose errors of the user's and missing extras are told without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, ImportError, JournalError, OSError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Sentences, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="logts")
def app() -> None:
    """Which option is best, and can I stop testing now? From yes/no outcomes, with proof.

    Start with `logts demo`. For a study of your own: a table of options, and something that says yes or no.

    \b
      logts plan options.csv --effect 0.05
      logts run options.csv --delta 0.05 -- ./try.sh {prompt} {temperature}
      logts report
    """  # noqa: D301  the backspace tells click to leave the lines as they are


for command in (plan, run, status, report, plot, export, list_studies, rescue, demo, simulate, paper, bench, completion):
    app.add_command(command)
