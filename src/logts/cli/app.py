"""The group of commands, and what happens to errors: a mistake of the user's is a sentence, not a traceback."""

from typing import Any

import click

from logts import __version__
from logts.cli.bench import bench
from logts.cli.demo import demo
from logts.cli.paper import paper
from logts.cli.simulate import simulate


class _Sentences(click.Group):
    """Commands whose ``ValueError`` and missing extras are told without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ValueError, ImportError) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Sentences, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="logts")
def app() -> None:
    """Which option is best, and can I stop testing now? From yes/no outcomes, with proof.

    Start with `logts demo`.
    """


app.add_command(bench)
app.add_command(demo)
app.add_command(paper)
app.add_command(simulate)
