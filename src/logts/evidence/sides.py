"""Bets on comparisons of arms by themselves: what is kept of them, and as compiled code reads it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from logts.evidence.placing import SIZES
from logts.evidence.shift import Bets, Since
from logts.evidence.tally import Tally
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import record


class Claims(NamedTuple):
    """Comparisons: ``logit(high) - logit(low) <= offset``."""

    high: Indices
    low: Indices
    offset: Array


class Own(NamedTuple):
    """The logits of the arms by their own outcomes, the variances of these, and the trials."""

    logits: Array
    variances: Array
    trials: Array


class Rows(NamedTuple):
    """Bets for compiled code: the fields of :class:`Sides`."""

    claims: Claims
    cash: Array
    constants: Array
    slopes: Array
    shifts: Array
    least: Array
    most: Array


@record
@dataclass(frozen=True)
class Sides:
    """Bets on comparisons, a row each.

    Attributes
    ----------
    high, low, offset
        The comparisons.
    cash
        Logarithms.
    constants, slopes, shifts
        The bets on each, one of every size; slopes and shifts for the first arm and the second.
    least, most
        The logits of each arm between which the bets are at their best.
    opened
        What had been seen when the bets were opened.
    """

    high: Indices
    low: Indices
    offset: Array
    cash: Array
    constants: Array
    slopes: Array
    shifts: Array
    least: Array
    most: Array
    opened: Tally

    @classmethod
    def of_nothing(cls, arms: int) -> "Sides":
        """No bets yet."""
        nobody = np.empty(0, dtype=np.intp)
        none = np.empty((0, SIZES.size, 2))
        flat = np.empty((0, SIZES.size))
        ends = np.zeros(arms)
        return cls(
            nobody, nobody, np.empty(0), np.empty(0), flat, none, none, ends, ends, Tally.of_nothing(arms)
        )

    @cached_property
    def rows(self) -> Rows:
        claims = Claims(self.high, self.low, self.offset)
        return Rows(claims, self.cash, self.constants, self.slopes, self.shifts, self.least, self.most)

    def since(self, tally: Tally) -> Since:
        """What was seen since the bets were opened."""
        opened = self.opened
        trials = tally.trials - opened.trials
        return Since(trials, tally.successes - opened.successes, scores(tally) - self._scored)

    @cached_property
    def _scored(self) -> Array:
        return scores(self.opened)

    def find(self, claims: Claims, apart: bool) -> Indices:
        """The row of each comparison, or of its account; one past the last if there is none."""
        if apart:
            where = {k: row for row, k in enumerate(self.low.tolist())}
            found = [where.get(k, len(where)) for k in claims.low.tolist()]
        else:
            mine = zip(self.high.tolist(), self.low.tolist(), self.offset.tolist(), strict=True)
            place = {key: row for row, key in enumerate(mine)}
            asked = zip(*(column.tolist() for column in claims), strict=True)
            found = [place.get(key, len(place)) for key in asked]
        return np.array(found, dtype=np.intp)


def scores(tally: Tally) -> Array:
    """``KT`` of every arm."""
    return np.asarray(betaln(tally.successes + 0.5, tally.trials - tally.successes + 0.5) - np.log(np.pi))


@compiled
def members(i: int, k: int) -> tuple[Indices, Array]:
    """The arms of a comparison, and the normal of ``logit_i - logit_k`` in their logits."""
    if k < 0:
        return np.array([i]), np.array([1.0])
    if i < 0:
        return np.array([k]), np.array([-1.0])
    return np.array([i, k]), np.array([1.0, -1.0])


@compiled
def bets_of(row: int, arms: Indices, rows: Rows) -> Bets:
    """The bets of a row; none for the row past the last."""
    d = arms.size
    low = rows.least[arms]
    high = rows.most[arms]
    if row >= rows.cash.size:
        return Bets(np.empty(0), np.empty((0, d)), np.empty((0, d)), low, high)
    slopes = np.ascontiguousarray(rows.slopes[row][:, :d])
    return Bets(rows.constants[row], slopes, np.ascontiguousarray(rows.shifts[row][:, :d]), low, high)
