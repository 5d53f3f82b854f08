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
    trials = _Trials()
    for event in events:
        trials.take_in(event)
    chosen = trials.arms
    names = [arms.names[arm] for arm in chosen]
    table: dict[str, list[Any]] = {"trial": list(range(len(chosen))), "option": names, **trials.columns}
    for name in dict.fromkeys(name for row in arms.columns for name in row):
        heading = name
        while heading in table:
            heading = f"option {heading}"
        table[heading] = [arms.columns[arm].get(name) for arm in chosen]
    return table


class _Trials:
    """What is known of every trial after some events."""

    def __init__(self) -> None:
        self.arms: list[int] = []
        self.columns: dict[str, list[Any]] = {name: [] for name in _NEW}

    def take_in(self, event: Event) -> None:
        at = datetime.fromtimestamp(event["at"], UTC).replace(tzinfo=None)
        match event["kind"]:
            case "asked":
                self._ask(event, at)
            case "told":
                for number, outcome in zip(event["ids"], event["outcomes"], strict=True):
                    self._note(number, outcome=outcome, state="told", settled=at)
            case "abandoned":
                for number in event["ids"]:
                    self._note(number, state="abandoned", settled=at, reason=str(event["reason"]))

    def _ask(self, event: Event, at: datetime) -> None:
        self.arms += event["arms"]
        for name, value in _NEW.items():
            self.columns[name] += [value] * len(event["arms"])
        for number in range(event["first"], len(self.arms)):
            self._note(number, asked=at, worker=event["worker"])
        for number in event["again"]:
            self._note(number, worker=event["worker"], asks=self.columns["asks"][number] + 1)

    def _note(self, number: int, **said: Any) -> None:
        for name, value in said.items():
            self.columns[name][number] = value
