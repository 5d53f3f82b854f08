"""Write ``docs/commands.md``: the help text of every command. A test compares it with the commands."""

from pathlib import Path

import click

from logts.cli.app import app

PAGE = Path(__file__).with_name("commands.md")


def text() -> str:
    """The page."""
    parts = ["# The commands\n\nThis is what `logts COMMAND --help` says; `python docs/commands.py` writes it.\n"]
    for words, command in [((), app), *commands(app, ())]:
        context = click.Context(command, info_name=" ".join(("logts", *words)), terminal_width=110, max_content_width=110)
        parts.append(f"## {' '.join(('logts', *words))}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def commands(group: click.Group, words: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    """All commands below a group, with the words that lead there."""
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name, command in group.commands.items():
        found.append(((*words, name), command))
        if isinstance(command, click.Group):
            found += commands(command, (*words, name))
    return found


if __name__ == "__main__":
    PAGE.write_text(text())
