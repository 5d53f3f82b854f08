"""``logts serve``: studies over HTTP, for many people and workers."""

import click

from logts.cli.commands import COMMANDS
from logts.cli.studies import DEFAULT

EXAMPLES = """\b
Examples:
  logts serve
  logts serve --db postgresql://me@host/studies --host 0.0.0.0 --port 8000
"""


@COMMANDS.enter("serve", place=75)
@click.command(epilog=EXAMPLES)
@click.option("--db", default=DEFAULT, show_default=True, help="The file or postgresql://... database.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Its port.")
@click.option("--root-path", default="", metavar="/PREFIX", help="The prefix under which a proxy shows it.")
def serve(db: str, host: str, port: int, root_path: str) -> None:
    """Serve the studies of a file or database: pages for people, an HTTP interface for programs.

    By default only this machine is answered, and nobody needs a token until one is made. At any other address
    callers need a token: make one with `logts token make`.
    """
    try:
        from logts.server.run import run
    except ImportError as error:
        raise ImportError(f"{error.name} is missing. A server needs: pip install 'logts[server]'") from error
    from logts.server.settings import Settings

    run(Settings(db, host, port, root_path))
