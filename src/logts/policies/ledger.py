"""Trials in the air: ids, arms and outcomes, and the longest prefix of asks whose outcomes are all in.

An outcome may come back sooner because it is a success. Evidence therefore runs over asks in their order and
waits for the earliest one that is still out; only the trials from that one on are kept.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

WAITING = -1
ABANDONED = -2


class Ledger(Stateful):
    """Consecutive ids from zero; those before ``complete`` are settled."""

    _kept = ("complete", "_arms", "_outcomes")

    def __init__(self) -> None:
        self.complete = 0
        self._arms: Indices = np.empty(0, dtype=np.intp)
        self._outcomes: Array = np.empty(0, dtype=np.int8)

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self.complete + len(self._arms)

    def ask(self, arms: Indices) -> range:
        """Note down new trials and return their ids."""
        begin = self.asked
        self._arms = np.concatenate([self._arms, arms])
        self._outcomes = np.concatenate([self._outcomes, np.full(len(arms), WAITING, dtype=np.int8)])
        return range(begin, self.asked)

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> tuple[Indices, Array]:
        """Note down outcomes, all or none of them; returns the arms and outcomes told."""
        numbers = _numbers(ids)
        marks = checked_outcomes(outcomes, len(numbers))
        return self._settle(numbers, marks), marks

    def abandon(self, ids: Sequence[int] | ArrayLike) -> Indices:
        """Drop trials that will never come back; returns their arms."""
        numbers = _numbers(ids)
        return self._settle(numbers, np.full(len(numbers), ABANDONED, dtype=np.int8))

    def _settle(self, numbers: Indices, values: Array) -> Indices:
        wrong = _refused(numbers, self.complete, self._outcomes)
        if wrong >= 0:
            number = int(numbers[wrong])
            if not 0 <= number < self.asked:
                raise ValueError(f"no trial has the id {number}: ids come from ask")
            raise ValueError(
                f"trial {number} has its outcome already, or comes twice here: tell each id once"
            )
        places = numbers - self.complete
        self._outcomes[places] = values
        return self._arms[places]

    def advance(self, until: int | None = None) -> tuple[Indices, Array]:
        """Arms and outcomes of what has become complete, in the order of the asks."""
        end = _complete(self._outcomes)
        if until is not None:
            end = min(end, until - self.complete)
        arms = self._arms[:end]
        outcomes = self._outcomes[:end]
        self._arms = self._arms[end:]
        self._outcomes = self._outcomes[end:]
        self.complete += end
        if outcomes.min(initial=0) == ABANDONED:
            kept = outcomes != ABANDONED
            return arms[kept], outcomes[kept]
        return arms, outcomes


def checked_outcomes(outcomes: ArrayLike, count: int) -> Array:
    """So many outcomes as zeros and ones, or a sentence that says what is wrong with them."""
    values = np.asarray(outcomes).ravel()
    if len(values) != count:
        raise ValueError(f"got {count} ids and {len(values)} outcomes; give one outcome for each id")
    clear = (values == 0) | (values == 1)
    if not clear.all():
        raise ValueError(f"an outcome is 1 or True for yes, 0 or False for no; got {values[~clear][0]!r}")
    return values.astype(np.int8)


@compiled
def _refused(numbers: Indices, first: int, outcomes: Array) -> int:
    """The place of the first id that does not wait for an outcome or comes twice, or -1."""
    told = np.zeros(outcomes.size, dtype=np.bool_)
    for i in range(numbers.size):
        place = numbers[i] - first
        if place < 0 or place >= outcomes.size or told[place] or outcomes[place] != WAITING:
            return i
        told[place] = True
    return -1


@compiled
def _complete(outcomes: Array) -> int:
    for place in range(outcomes.size):
        if outcomes[place] == WAITING:
            return place
    return int(outcomes.size)


def _numbers(ids: Sequence[int] | ArrayLike) -> Indices:
    return (
        np.arange(ids.start, ids.stop, ids.step)
        if isinstance(ids, range)
        else np.asarray(ids, dtype=np.intp).ravel()
    )
