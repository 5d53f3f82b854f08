"""``logts list``: the studies of a file or database."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from logts.cli.commands import COMMANDS
from logts.cli.escapes import shown
from logts.cli.studies import DEFAULT
from logts.journal import JournalError
from logts.study import Study
from logts.study.facts import facts


@COMMANDS.enter("list", place=70)
@click.command("list", epilog="Example: logts list postgresql://me@host/studies")
@click.argument("study", default=DEFAULT, metavar="[STUDY]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def list_studies(study: str, as_json: bool) -> None:
    """The studies of a file or database, each with how it stands."""
    stand = []
    for name in Study.list(study):
        try:
            with Study.open(study, name) as found:
                stand.append(facts(found))
        except (JournalError, ValueError) as error:  # one that cannot be opened does not hide the others
            stand.append({"study": name, "error": str(error)})
    if as_json:
        click.echo(json.dumps(stand))
    else:
        Console().print(_table(stand))


def _table(stand: list[dict[str, Any]]) -> Table:
    """A row for each study."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("study", "trials", "confidence", "wanted", "answer"):
        words = heading in ("study", "answer")
        table.add_column(heading, justify="left" if words else "right", no_wrap=heading != "answer")
    for one in stand:
        if "error" in one:
            table.add_row(Text(shown(one["study"])), "", "", "", Text(shown(one["error"]), style="red"))
            continue
        answer = one["answer"] or "-"
        says = answer if one["decided"] else f"{answer} (leading)" if one["answer"] else answer
        sure = f"{one['confidence']:.2%}"
        wanted = f"{100 * one['wanted']:g}%"
        table.add_row(Text(shown(one["study"])), f"{one['trials']:,}", sure, wanted, Text(shown(says)))
    return table
