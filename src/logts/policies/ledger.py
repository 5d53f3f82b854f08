"""Trials in the air: ids, arms and outcomes, and the longest prefix of asks whose outcomes are all in.

An outcome may come back sooner because it is a success. Evidence therefore runs over asks in their order and waits for the
earliest one that is still out; only the trials from that one on are kept.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from logts.algebra import Array
from logts.half_spaces import Indices

WAITING, ABANDONED = -1, -2


class Ledger:
    """Consecutive ids from zero; ``first`` is the earliest that still waits."""

    def __init__(self) -> None:
        self.first = 0
        self._arms: Indices = np.empty(0, dtype=np.intp)
        self._outcomes: Array = np.empty(0, dtype=np.int8)

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self.first + len(self._arms)

    def ask(self, arms: Indices) -> range:
        """Note down new trials and return their ids."""
        begin = self.asked
        self._arms = np.concatenate([self._arms, arms])
        self._outcomes = np.concatenate([self._outcomes, np.full(len(arms), WAITING, dtype=np.int8)])
        return range(begin, self.asked)

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> tuple[Indices, Array]:
        """Note down outcomes, all or none of them; returns the arms and outcomes told."""
        numbers, values = np.asarray(ids, dtype=np.intp).ravel(), np.asarray(outcomes).ravel()
        if len(numbers) != len(values):
            raise ValueError(f"got {len(numbers)} ids and {len(values)} outcomes; give one outcome for each id")
        if not np.isin(values, (0, 1)).all():
            wrong = values[~np.isin(values, (0, 1))][0]
            raise ValueError(f"an outcome is 1 or True for yes, 0 or False for no; got {wrong!r}")
        return self._settle(numbers, values.astype(np.int8)), values.astype(np.int8)

    def abandon(self, ids: Sequence[int] | ArrayLike) -> Indices:
        """Drop trials that will never come back; returns their arms."""
        numbers = np.asarray(ids, dtype=np.intp).ravel()
        return self._settle(numbers, np.full(len(numbers), ABANDONED, dtype=np.int8))

    def _settle(self, numbers: Indices, values: Array) -> Indices:
        places = numbers - self.first
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= self.asked):
            raise ValueError(f"no trial has the id {int(numbers[(numbers < 0) | (numbers >= self.asked)][0])}: ids come from ask")
        late = places < 0
        late[~late] = self._outcomes[places[~late]] != WAITING
        if late.any() or len(np.unique(numbers)) != len(numbers):
            again = numbers[late][0] if late.any() else numbers[0]
            raise ValueError(f"trial {int(again)} has its outcome already, or comes twice here: tell each id once")
        self._outcomes[places] = values
        return self._arms[places]

    def advance(self) -> tuple[Indices, Array]:
        """Arms and outcomes of the prefix that has become complete, in the order of the asks, without the abandoned."""
        waiting = np.flatnonzero(self._outcomes == WAITING)
        end = int(waiting[0]) if len(waiting) else len(self._outcomes)
        arms, outcomes = self._arms[:end], self._outcomes[:end]
        self._arms, self._outcomes = self._arms[end:], self._outcomes[end:]
        self.first += end
        kept = outcomes != ABANDONED
        return np.ascontiguousarray(arms[kept]), np.ascontiguousarray(outcomes[kept])
