"""Bets on comparisons of arms by themselves: what is kept of them, and where the bets on each are found."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import record

LARGE = 12.0  # from here on Stirling's series is good to the last digits


class Arm(NamedTuple):
    """One arm by itself, a row of numbers; all zero for nobody, in whose place a rate is compared.

    Trials and successes in all, and since bets were opened; ``KT`` of all, and what was added since; the ends
    of the logits that mattered when bets were opened; the logit as its own outcomes say, and its variance.
    """

    trials: float
    successes: float
    recent: float
    won: float
    earned: float
    score: float
    low: float
    high: float
    logit: float
    variance: float


NUMBERS = len(Arm._fields)


class Bet(NamedTuple):
    """The bet on one comparison, a row of numbers: logarithms of cash and constant, slopes and shifts."""

    cash: float
    constant: float
    slope: float
    other_slope: float
    shift: float
    other_shift: float


@record
@dataclass(frozen=True)
class Sides:
    """Bets on comparisons, a row each.

    Attributes
    ----------
    high, low, offset
        The comparisons.
    bets
        The bet on each: see :class:`Bet`.
    least, most
        The logits of each arm between which the bets are at their best.
    opened
        What had been seen when the bets were opened.
    """

    high: Indices
    low: Indices
    offset: Array
    bets: Array
    least: Array
    most: Array
    opened: Tally

    @classmethod
    def of_nothing(cls, arms: int) -> "Sides":
        """No bets yet."""
        nobody = np.empty(0, dtype=np.intp)
        none = np.empty((0, len(Bet._fields)))
        ends = np.zeros(arms)
        return cls(nobody, nobody, np.empty(0), none, ends, ends, Tally.of_nothing(arms))

    def __len__(self) -> int:
        return len(self.high)

    def bets_or(self, saved: float) -> Array:
        """The bets, and behind them one on nothing, with so much in cash."""
        return np.vstack([self.bets, Bet(saved, -math.inf, 0.0, 0.0, 0.0, 0.0)])

    def seen(self, tally: Tally) -> Array:
        """For each arm a row, see :class:`Arm`, and behind them nobody, whose number is -1."""
        opened = self.opened.trials, self.opened.successes, self._scored
        return _seen(tally.trials, tally.successes, *opened, self.least, self.most)

    @cached_property
    def _scored(self) -> Array:
        """``KT`` of every arm when the bets were opened."""
        return scores(self.opened)

    def find(self, compared: Comparisons) -> Indices:
        """The row of each comparison, or of its account; one past the last if there is none."""
        if compared.apart:
            return self._of_account[compared.low]
        order, sorted_codes = self._by_code
        codes = self._codes(compared.high, compared.low)
        none = len(self)
        if not none:
            return np.zeros(len(codes), dtype=np.intp)
        found = order[np.minimum(np.searchsorted(sorted_codes, codes), none - 1)]
        same = (self.high[found] == compared.high) & (self.low[found] == compared.low)
        return np.where(same & (self.offset[found] == compared.offset), found, none)

    @cached_property
    def _of_account(self) -> Indices:
        rows = np.full(len(self.least), len(self))
        rows[self.low] = np.arange(len(self))
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
def _seen(
    trials: Array,
    successes: Array,
    opened_trials: Array,
    opened_successes: Array,
    opened_scores: Array,
    least: Array,
    most: Array,
) -> Array:
    out = np.zeros((trials.size + 1, NUMBERS))
    scored = earned(trials, successes)
    _, untried = own_logit(0.0, 0.0)
    for k in range(trials.size):
        row = out[k]
        row[0] = trials[k]
        row[1] = successes[k]
        row[2] = trials[k] - opened_trials[k]
        row[3] = successes[k] - opened_successes[k]
        row[4] = scored[k]
        row[5] = scored[k] - opened_scores[k]
        row[6] = least[k]
        row[7] = most[k]
        if trials[k] == 0.0:
            row[9] = untried
        else:
            row[8], row[9] = own_logit(trials[k], successes[k])
    return out


@compiled
def arm_of(arms: Array, k: int) -> Arm:
    """One row of such an array."""
    a = arms[k]
    return Arm(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])


@compiled
def bet_of(bets: Array, row: int) -> Bet:
    """The same of bets."""
    b = bets[row]
    return Bet(b[0], b[1], b[2], b[3], b[4], b[5])


@compiled
def own_logit(n: float, r: float) -> tuple[float, float]:
    """The logit of an arm by its own outcomes, pulled a little towards one half, and its variance."""
    rate = (r + 0.5) / (n + 1.0)
    return np.log(rate) - np.log1p(-rate), 1.0 / max((n + 1.0) * rate * (1.0 - rate), 0.25)


@compiled
def earned(trials: Array, successes: Array) -> Array:
    """The same for compiled code."""
    out = np.zeros(trials.size)
    nothing = _log_beta(0.5, 0.5) - np.log(np.pi)
    for k in range(trials.size):
        if trials[k] == 0.0:  # of very many most
            out[k] = nothing
        else:
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
