"""Bets on comparisons of arms by themselves: what is kept of them, and where the bets on each are found."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.evidence.turning import SIZES
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import record

LARGE = 12.0  # from here on Stirling's series is good to the last digits


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
    def scored(self) -> Array:
        """``KT`` of every arm when the bets were opened."""
        return scores(self.opened)

    def find(self, compared: Comparisons) -> Indices:
        """The row of each comparison, or of its account; one past the last if there is none."""
        if compared.apart:
            return self._of_account[compared.low]
        order, sorted_codes = self._by_code
        codes = self._codes(compared.high, compared.low)
        none = len(self.cash)
        if not none:
            return np.zeros(len(codes), dtype=np.intp)
        found = order[np.minimum(np.searchsorted(sorted_codes, codes), none - 1)]
        same = (self.high[found] == compared.high) & (self.low[found] == compared.low)
        return np.where(same & (self.offset[found] == compared.offset), found, none)

    @cached_property
    def _of_account(self) -> Indices:
        rows = np.full(len(self.least), len(self.cash))
        rows[self.low] = np.arange(len(self.cash))
        return rows

    @cached_property
    def _by_code(self) -> tuple[Indices, Indices]:
        codes = self._codes(self.high, self.low)
        order = np.argsort(codes, kind="stable")
        return order, codes[order]

    def _codes(self, high: Indices, low: Indices) -> Indices:
        return (high + 1) * (len(self.least) + 1) + low + 1


def scores(tally: Tally) -> Array:
    """``KT`` of every arm."""
    return earned(tally.trials, tally.successes)


@compiled
def earned(trials: Array, successes: Array) -> Array:
    """The same for compiled code."""
    out = np.empty(trials.size)
    for k in range(trials.size):
        out[k] = _log_beta(successes[k] + 0.5, trials[k] - successes[k] + 0.5) - np.log(np.pi)
    return out


@compiled
def _log_beta(a: float, b: float) -> float:
    """``log B(a, b)``; the logarithms of large factorials would cancel."""
    if a > b:
        a, b = b, a
    total = a + b
    if a >= LARGE:
        stirling = (
            (a - 0.5) * np.log(a / total) - (b - 0.5) * np.log1p(a / b) + 0.5 * np.log(2.0 * np.pi / total)
        )
        return stirling + _rest(a) + _rest(b) - _rest(total)
    if b >= LARGE:
        stirling = a - (b - 0.5) * np.log1p(a / b) - a * np.log(total)
        return math.lgamma(a) + stirling + _rest(b) - _rest(total)
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(total)


@compiled
def _rest(x: float) -> float:
    """What Stirling's formula leaves of ``log Gamma(x)``."""
    y = 1.0 / (x * x)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
