"""Trials that are out: until when they are leased, and to whom. They may be many: little is kept of each."""

import math
from collections import Counter

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.window import Window

NOBODY = -1  # the lease of a trial that is settled


class Leases(Stateful):
    """For each trial the number of its lease; for each lease its end, its worker, and how many have it."""

    _kept = ("_of", "_terms", "_given")

    def __init__(self) -> None:
        self._of = Window(np.int64)
        self._terms: dict[int, tuple[float, str, int]] = {}
        self._given = 0
        self._soonest = -math.inf  # no lease ends before this

    def __len__(self) -> int:
        return sum(count for _, _, count in self._terms.values())

    def give(self, new: int, again: Indices, until: float, worker: str) -> None:
        """Lease so many new trials, and some that are out, anew."""
        self._take(again)
        self._of.extend(new, self._given)
        self._of.values[again - self._of.first] = self._given
        self._add(until, worker, new + len(again))

    def _add(self, until: float, worker: str, count: int) -> None:
        if count:
            self._terms[self._given] = until, worker, count
            self._given += 1
            self._soonest = min(self._soonest, until)

    def _take(self, ids: Indices) -> None:
        """End the leases of trials that are out."""
        places = ids - self._of.first
        for number, count in Counter(self._of.values[places].tolist()).items():
            until, worker, before = self._terms[number]
            if before > count:
                self._terms[number] = until, worker, before - count
            else:
                del self._terms[number]
        self._of.values[places] = NOBODY

    def settle(self, ids: Indices, complete: int) -> None:
        """Trials are no longer out; those before ``complete`` are forgotten."""
        self._take(ids)
        self._of.drop(complete - self._of.first)

    def release(self, ids: Indices) -> None:
        """Let leases end now; whose they were stays known."""
        numbers = self._of.values[ids - self._of.first]
        for number in np.unique(numbers).tolist():
            mine = ids[numbers == number]
            worker = self._terms[number][1]
            self._take(mine)
            self._of.values[mine - self._of.first] = self._given
            self._add(-math.inf, worker, len(mine))

    def over(self, now: float, most: int) -> Indices:
        """The first trials whose lease is over, at most so many."""
        if now < self._soonest:
            return np.empty(0, dtype=np.intp)
        ended = [number for number, (until, _, _) in self._terms.items() if until <= now]
        if not ended:
            self._soonest = min((until for until, _, _ in self._terms.values()), default=math.inf)
            return np.empty(0, dtype=np.intp)
        return self._of.first + np.flatnonzero(np.isin(self._of.values, ended))[:most]

    def of(self, worker: str) -> Indices:
        """The trials that a worker has, whether or not their lease is over."""
        theirs = [number for number, (_, name, _) in self._terms.items() if name == worker]
        if not theirs:
            return np.empty(0, dtype=np.intp)
        return self._of.first + np.flatnonzero(np.isin(self._of.values, theirs))

    def out(self, most: int | None = None) -> tuple[Indices, Array, list[str]]:
        """All that are out, or the first of them: ids, when their leases end, and whose they are."""
        places = np.flatnonzero(self._of.values != NOBODY)[:most]
        numbers = self._of.values[places].tolist()
        until = np.array([self._terms[number][0] for number in numbers])
        return self._of.first + places, until, [self._terms[number][1] for number in numbers]
