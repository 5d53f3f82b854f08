"""The trials of a study as a table: what was asked and told, when, and by whom.

Trials that were told as counts have no row: nothing is known of each of them.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from logts.arms import Arms
from logts.journal import Event
from logts.tools.algebra import Array, Indices
from logts.tools.packing import counted, unpack
from logts.tools.tabular import Coded

STATES = ("waiting", "told", "abandoned")


def trials(events: Sequence[Event], arms: Arms) -> dict[str, Array | Coded]:
    """Columns with an entry for each trial; the arms' own columns come last. No outcome is NaN."""
    found = _Trials(sum(counted(event["arms"]) for event in events if event["kind"] == "asked"))
    for event in events:
        found.take_in(event)
    chosen = found.arms
    table: dict[str, Array | Coded] = {"trial": np.arange(len(chosen))}
    table |= {"option": Coded(list(arms.names), chosen), **found.columns()}
    return table | own_columns(arms, chosen, taken=table)


def own_columns(arms: Arms, chosen: Indices, *, taken: Collection[str]) -> dict[str, Array | Coded]:
    """The columns of the options that were chosen, under names that are not taken."""
    found: dict[str, Array | Coded] = {}
    for name in dict.fromkeys(name for row in arms.columns for name in row):
        heading = name
        while heading in taken or heading in found:
            heading = f"option {heading}"
        found[heading] = Coded([row.get(name) for row in arms.columns], chosen)
    return found


class _Trials:
    """What is known of every trial after some events."""

    def __init__(self, count: int) -> None:
        self._seen = 0
        self.arms: Indices = np.zeros(count, dtype=np.intp)
        self._outcomes = np.full(count, np.nan, dtype=np.float32)
        self._states = np.zeros(count, dtype=np.int8)
        self._asked = np.full(count, "NaT", dtype="datetime64[us]")
        self._settled = self._asked.copy()
        self._workers = np.zeros(count, dtype=np.int32)
        self._asks = np.ones(count, dtype=np.int64)
        self._reasons = np.zeros(count, dtype=np.int32)
        self._who: dict[Any, int] = {None: 0}
        self._why: dict[Any, int] = {None: 0}

    def columns(self) -> dict[str, Array | Coded]:
        """The columns that all studies have."""
        return {
            "outcome": self._outcomes,
            "state": Coded(list(STATES), self._states),
            "asked": self._asked,
            "settled": self._settled,
            "worker": Coded(list(self._who), self._workers),
            "asks": self._asks,
            "reason": Coded(list(self._why), self._reasons),
        }

    def take_in(self, event: Event) -> None:
        at = np.datetime64(round(1e6 * event["at"]), "us")
        match event["kind"]:
            case "asked":
                arms = unpack(event["arms"])
                new = slice(self._seen, self._seen + len(arms))
                again = unpack(event["again"])
                self.arms[new], self._asked[new] = arms, at
                self._workers[new] = self._workers[again] = _number(self._who, event["worker"])
                self._asks[again] += 1
                self._seen += len(arms)
            case "told":
                ids = unpack(event["ids"])
                self._outcomes[ids] = unpack(event["outcomes"])
                self._states[ids], self._settled[ids] = 1, at
            case "abandoned":
                ids = unpack(event["ids"])
                self._states[ids], self._settled[ids] = 2, at
                self._reasons[ids] = _number(self._why, str(event["reason"]))


def _number(known: dict[Any, int], said: Any) -> int:
    return known.setdefault(said, len(known))
