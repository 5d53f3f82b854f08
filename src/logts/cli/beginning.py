"""How a study begins on the command line: what it is called, where it is kept, and whether it is known."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from logts.cli.options import DELTA
from logts.cli.studies import DEFAULT
from logts.journal import JournalError, TakenError
from logts.study import Study, events

F = TypeVar("F", bound=Callable[..., Any])

OTHER = {
    "arms": "other options",
    "problem": "another question",
    "delta": "another delta",
    "guard": "another --guard",
}
_OPTIONS = [
    DELTA,
    click.option(
        "--study",
        default=DEFAULT,
        show_default=True,
        help="The file, or postgresql://... database, that keeps the study.",
    ),
    click.option("--name", help="Its name there. By default that of the table."),
    click.option("--after", metavar="NAME", help="Go on from another study there, under this model."),
    click.option("--guard/--no-guard", default=True, show_default=True, help="Watch whether the model fits."),
]


def beginning_options(command: F) -> F:
    """Options that say what a study promises, and where it is kept."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_or_create(url: str, name: str, asked: dict[str, Any], after: str | None) -> Study:
    """The study of this name, if it is the same one; otherwise a new one, perhaps after an earlier one."""
    try:
        known = name in Study.list(url)
    except (ValueError, JournalError):  # nothing there yet; should it be something else, creation says so
        known = False
    if not known:
        earlier = None if after is None else Study.open(url, after)
        try:
            return Study.create(url, name, after=earlier, **asked)
        except TakenError:  # somebody was quicker
            pass
    study = Study.open(url, name)
    said = asked | {
        "arms": events.write_arms(asked["arms"]),
        "problem": events.write_problem(asked["problem"]),
    }
    kept = study.created | {"guard": study.created["settings"].get("guard", True)}
    differs = [part for part, value in said.items() if kept[part] != value]
    if differs:
        other = " and ".join(OTHER[part] for part in differs)
        raise click.ClickException(
            f"{study.where} holds a study called {name!r} with {other}: give this one another --name "
            f"(with --after {name!r} it goes on from those outcomes, under its own model), or repeat the "
            "command that began it"
        )
    return study


def went_on(study: Study) -> list[str]:
    """What a study goes on from, and what that counts as."""
    earlier = [event for event in study.events() if event["kind"] == "inherited"]
    if not earlier:
        return []
    free = study.arms.dimension == len(study.arms)
    within = "" if free else ", and history within it, because the model may have been chosen by them"
    count = f"{len(earlier[0]['arms']):,} outcomes"
    return [f"Goes on from {earlier[0]['of']!r}: its {count} are evidence without the model{within}."]
