"""The trials of a study as a table: what was asked and told, when, and by whom."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from logts.arms import Arms
from logts.journal import Event

# A trial that was just asked for.
_NEW: dict[str, Any] = {
    "outcome": None,
    "state": "waiting",
    "asked": None,
    "settled": None,
    "worker": None,
    "asks": 1,
    "reason": None,
}


def trials(events: Iterable[Event], arms: Arms) -> dict[str, list[Any]]:
    """Columns with an entry for each trial; the arms' own columns come last."""
    chosen: list[int] = []
    told: dict[str, list[Any]] = {name: [] for name in _NEW}

    def note(number: int, **said: Any) -> None:
        for name, value in said.items():
            told[name][number] = value

    for event in events:
        at = datetime.fromtimestamp(event["at"], UTC).replace(tzinfo=None)
        match event["kind"]:
            case "asked":
                chosen += event["arms"]
                for name, value in _NEW.items():
                    told[name] += [value] * len(event["arms"])
                for number in range(event["first"], len(chosen)):
                    note(number, asked=at, worker=event["worker"])
                for number in event["again"]:
                    note(number, worker=event["worker"], asks=told["asks"][number] + 1)
            case "told":
                for number, outcome in zip(event["ids"], event["outcomes"], strict=True):
                    note(number, outcome=outcome, state="told", settled=at)
            case "abandoned":
                for number in event["ids"]:
                    note(number, state="abandoned", settled=at, reason=event["reason"])
    known = list(dict.fromkeys(name for row in arms.columns for name in row))
    names = [arms.names[arm] for arm in chosen]
    table: dict[str, list[Any]] = {"trial": list(range(len(chosen))), "option": names, **told}
    for name in known:
        heading = name
        while heading in table:
            heading = f"option {heading}"
        table[heading] = [arms.columns[arm].get(name) for arm in chosen]
    return table
