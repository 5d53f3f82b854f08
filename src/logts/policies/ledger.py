"""Trials in the air: ids, arms and outcomes, and the longest prefix of asks whose outcomes are all in.

An outcome may come back sooner because it is a success. Evidence therefore runs over asks in their order and
waits for the earliest one that is still out; only the trials from that one on are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful, record
from logts.tools.window import Window

WAITING = -1
ABANDONED = -2
AT_ONCE = 100_000  # outcomes of counts that are put in order at a time


@record
@dataclass(frozen=True)
class History:
    """Counts from before the study, told when so many trials had been asked for."""

    place: int
    trials: Array
    successes: Array


@record
@dataclass(frozen=True)
class Counts:
    """Outcomes of one arm, only their numbers, told when so many trials had been asked for."""

    place: int
    arm: int
    successes: int
    trials: int

    def in_some_order(self, rng: np.random.Generator) -> Iterator[Array]:
        """Outcomes with these numbers, some at a time, in an order drawn by chance.

        Given the numbers, independent outcomes of one arm come in every order with the same probability: an
        order that is drawn is as good as the one that was not written down.
        """
        trials, successes = self.trials, self.successes
        while trials:
            outcomes = _drawn(rng.random(min(trials, AT_ONCE)), successes, trials)
            yield outcomes
            trials -= len(outcomes)
            successes -= int(outcomes.sum())


class Ledger(Stateful):
    """Consecutive ids from zero; those before ``complete`` are settled."""

    _kept = ("_arms", "_outcomes")

    def __init__(self) -> None:
        self._arms = Window(np.intp)
        self._outcomes = Window(np.int8)

    @property
    def complete(self) -> int:
        """The first trial that still waits for its outcome."""
        return self._arms.first

    @property
    def asked(self) -> int:
        """How many trials have been asked for."""
        return self._arms.end

    def ask(self, arms: Indices) -> range:
        """Note down new trials and return their ids."""
        begin = self.asked
        self._arms.extend(len(arms), arms)
        self._outcomes.extend(len(arms), WAITING)
        return range(begin, self.asked)

    def unask(self, end: int) -> None:
        """Forget the trials from this one on: nobody makes them."""
        self._arms.cut(end)
        self._outcomes.cut(end)

    def arms_of(self, ids: Indices) -> Indices:
        """The arms of trials that are not before ``complete``."""
        return self._arms.values[ids - self.complete]

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
        wrong = _settled(numbers, self.complete, values, self._outcomes.values)
        if wrong >= 0:
            number = int(numbers[wrong])
            if not 0 <= number < self.asked:
                raise ValueError(f"no trial has the id {number}: ids come from ask")
            raise ValueError(
                f"trial {number} has its outcome already, or comes twice here: tell each id once"
            )
        return self.arms_of(numbers)

    def advance(self, until: int | None = None) -> tuple[Indices, Array]:
        """Arms and outcomes of what has become complete, in the order of the asks."""
        end = _complete(self._outcomes.values)
        if until is not None:
            end = min(end, until - self.complete)
        arms = self._arms.values[:end].copy()
        outcomes = self._outcomes.values[:end].copy()
        self._arms.drop(end)
        self._outcomes.drop(end)
        if outcomes.min(initial=0) == ABANDONED:
            kept = outcomes != ABANDONED
            return arms[kept], outcomes[kept]
        return arms, outcomes


def checked_counts_of(successes: Any, trials: Any) -> tuple[int, int]:
    """Both numbers, or a sentence that says what is wrong with them."""
    whole = [isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in (successes, trials)]
    if not all(whole) or not 0 <= successes <= trials:
        raise ValueError(
            f"counts are whole numbers, with no more successes than trials; got {successes!r} of {trials!r}"
        )
    return int(successes), int(trials)


def checked_outcomes(outcomes: ArrayLike, count: int) -> Array:
    """So many outcomes as zeros and ones, or a sentence that says what is wrong with them."""
    values = np.asarray(outcomes).ravel()
    if len(values) != count:
        raise ValueError(f"got {count} ids and {len(values)} outcomes; give one outcome for each id")
    if values.dtype == np.bool_:
        return values.astype(np.int8)
    clear = (values == 0) | (values == 1)
    if not clear.all():
        raise ValueError(f"an outcome is 1 or True for yes, 0 or False for no; got {values[~clear][0]!r}")
    return values.astype(np.int8)


@compiled
def _settled(numbers: Indices, first: int, values: Array, outcomes: Array) -> int:
    """Write values where an outcome is waited for, and return -1.

    Or write nothing, and return the place of the first id that does not wait for one or comes twice.
    """
    for i in range(numbers.size):
        place = numbers[i] - first
        if place < 0 or place >= outcomes.size or outcomes[place] != WAITING:
            for before in numbers[:i]:
                outcomes[before - first] = WAITING
            return i
        outcomes[place] = values[i]
    return -1


@compiled
def _complete(outcomes: Array) -> int:
    for place in range(outcomes.size):
        if outcomes[place] == WAITING:
            return place
    return int(outcomes.size)


@compiled
def _drawn(chances: Array, successes: int, trials: int) -> Array:
    """The first of so many outcomes, drawn one after the other from those that are left."""
    out = np.empty(chances.size, dtype=np.int8)
    for s in range(chances.size):
        out[s] = chances[s] * (trials - s) < successes
        successes -= out[s]
    return out


def _numbers(ids: Sequence[int] | ArrayLike) -> Indices:
    return (
        np.arange(ids.start, ids.stop, ids.step)
        if isinstance(ids, range)
        else np.asarray(ids, dtype=np.intp).ravel()
    )
