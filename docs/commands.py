"""Write ``docs/commands.md``: the help text of every command. A test compares it with the commands."""

from collections.abc import Iterator
from pathlib import Path

import click

from logts.cli.app import app

PAGE = Path(__file__).with_name("commands.md")


def text() -> str:
    """The page."""
    parts = [
        "# The commands\n\nThis is what `logts COMMAND --help` says; `python docs/commands.py` writes it.\n"
    ]
    for context in contexts(app, "logts", None):
        parts.append(f"## {context.command_path}\n\n```\n{context.get_help()}\n```\n")
    return "\n".join(parts)


def contexts(command: click.Command, name: str, parent: click.Context | None) -> Iterator[click.Context]:
    """A command and all below it, as if called without arguments in a terminal of a fixed width."""
    width = {"terminal_width": 110, "max_content_width": 110}
    context = command.make_context(name, [], parent=parent, resilient_parsing=True, **width)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            one = command.get_command(context, below)
            if one is not None:
                yield from contexts(one, below, context)


if __name__ == "__main__":
    PAGE.write_text(text())
