"""Evidence without the model: bets on the arms of one comparison, which have rates of their own.

Each comparison ``logit_i - logit_k <= c`` that could be true is a problem of two arms that share nothing,
with a wealth of its own (:mod:`logts.evidence.wealth`): cash, forecasts of both arms, and bets on a shift
(:mod:`logts.evidence.shift`). The forecasts are those of Krichevsky and Trofimov, ``(r + 1/2) / (n + 1)``,
which know one arm only and earn ``KT = log B(r + 1/2, n - r + 1/2) / B(1/2, 1/2)``. A comparison with a rate
has one arm.

*Accounts.* Where the question permits it (``Comparisons.apart``), the capital is that of the account of k: it
serves at parameters at which k is the best. When another arm i' leads, a bet ``a + g_i z_i + g_k z_k`` on i
goes on against i': as ``z_i <= z_k`` there, and ``g_i <= 0``, it is worth at least ``a + (g_i + g_k) z_k``.
"""

import math

import numpy as np

from logts.alternatives import Comparisons
from logts.evidence.line import at_rate, duel_of, on_line
from logts.evidence.matched import Matched
from logts.evidence.placing import GROWTH
from logts.evidence.reopening import reopen
from logts.evidence.sides import Sides, arm_of, bet_of, own_logit
from logts.evidence.tally import Tally
from logts.evidence.turning import WIDE
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

FORECAST = 0.1  # of the capital, for the forecasts of both arms: it serves rivals that are far away
FIRST = 16  # trials before the first bets are placed, at the least
MOST = 100_000  # comparisons that are bet on


class Pairs(Stateful):
    """The bets of a study on its arms by themselves, placed in the order of the asks."""

    _kept = ("sides", "matched", "due", "heard")

    def __init__(self, arms: int) -> None:
        self.sides = Sides.of_nothing(arms)
        self.matched = Matched(arms)
        self.due = float(max(FIRST, 2 * arms))
        self.heard = 0
        self._found: tuple[Sides, Comparisons, Indices] | None = None

    def hear(self, arms: Indices, outcomes: Array) -> None:
        """Take in outcomes, in the order of the asks."""
        self.matched.hear(arms, outcomes)
        self.heard += len(arms)

    def place(self, compared: Comparisons, tally: Tally) -> None:
        """Close all bets and open them anew, on the comparisons that are nearest to be true."""
        self.due = float(math.ceil(GROWTH * tally.total))
        old = self.sides
        everything = len(compared.high) <= MOST
        chosen = compared if everything else _nearest(compared, tally)
        rows = self._rows(compared) if everything else old.find(chosen)
        used = np.zeros(len(old) + 1, dtype=bool)
        used[rows] = True
        idle = np.flatnonzero(~used[:-1])
        high, low = np.append(chosen.high, old.high[idle]), np.append(chosen.low, old.low[idle])
        offset = np.append(chosen.offset, old.offset[idle])
        arms = old.seen(tally)
        bets = old.bets_or(math.log(self._cash(compared))), arms, len(rows)
        found = reopen(high, low, offset, np.append(rows, idle), old.high, *bets)
        logits, variances = arms[:-1, -2:].T
        width = WIDE * np.sqrt(variances)
        self.sides = Sides(high, low, offset, found, logits - width, logits + width, tally)
        self.matched.oppose(logits)
        if everything:
            self._found = self.sides, compared, np.arange(len(rows))

    def _rows(self, compared: Comparisons) -> Indices:
        """Where the bets on each comparison are."""
        if self._found is None or self._found[0] is not self.sides or self._found[1] is not compared:
            self._found = self.sides, compared, self.sides.find(compared)
        return self._found[2]

    def _cash(self, compared: Comparisons) -> float:
        """What is there for bets on shifts, at first.

        Matched pairs are for arms that have accounts. They take trials of both arms alike, and the more arms
        there are the less often are two of them tried alike: they get the K-th part. (Nearly all, for two,
        takes 6% fewer trials; but of studies of two equal options more than delta then end with a verdict.)
        """
        return (1.0 - FORECAST) * (1.0 - compared.apart / len(self.sides.least))

    def evidence(self, compared: Comparisons, tally: Tally) -> Array:
        """For each comparison a proven lower bound on log M wherever it is true, at these counts."""
        cash = self._cash(compared)
        sides = self.sides
        matched = math.log(1.0 - FORECAST - cash) + self.matched.evidence() if compared.apart else _NOTHING
        return _each(
            compared.high, compared.low, compared.offset, self._rows(compared), sides.high,
            sides.bets_or(math.log(cash)), sides.seen(tally), matched,
            math.log(FORECAST / (compared.union if compared.apart else 1)),
        )  # fmt: skip


_NOTHING = np.empty(0)


def _nearest(compared: Comparisons, tally: Tally) -> Comparisons:
    """The comparisons that are nearest to be true."""
    distances = _distances(compared.high, compared.low, compared.offset, tally.trials, tally.successes)
    near = np.argpartition(distances, MOST)[:MOST]
    near = near[np.lexsort((near, distances[near]))]
    parts = compared.high[near], compared.low[near], compared.offset[near]
    return Comparisons(*parts, compared.union, compared.apart)


@compiled
def _distances(high: Indices, low: Indices, offset: Array, trials: Array, successes: Array) -> Array:
    """How far each comparison is from being true, in standard errors, squared."""
    out = np.empty(high.size)
    for j in range(high.size):
        margin = -offset[j]
        width = 0.0
        if high[j] >= 0:
            at, wide = own_logit(trials[high[j]], successes[high[j]])
            margin += at
            width += wide
        if low[j] >= 0:
            at, wide = own_logit(trials[low[j]], successes[low[j]])
            margin -= at
            width += wide
        out[j] = max(margin, 0.0) ** 2 / width
    return out


@compiled
def _each(
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    before: Indices,
    bets: Array,
    arms: Array,
    matched: Array,
    forecast: float,
) -> Array:
    """Log evidence against each comparison; see :func:`logts.evidence.reopening.reopen`.

    ``matched`` is the log wealth of matched pairs against each arm, ``forecast`` the log capital of the
    forecasts.
    """
    out = np.empty(high.size)
    for j in range(high.size):
        row = rows[j]
        i = high[j]
        k = low[j]
        c = offset[j]
        bet = bet_of(bets, row)
        if row < before.size and before[row] != i:
            # An account with bets on a leader before this one. If k is the best, neither is better.
            i = before[row]
            c = 0.0
        cash = bet.cash  # and what else does not depend on the parameter
        if matched.size > 0:
            cash = np.logaddexp(cash, matched[k])
        if i >= 0 and k >= 0 and min(arms[i, 0], arms[k, 0]) == 0.0:
            out[j] = cash  # an arm never tried may have any rate
            continue
        duel = duel_of(arm_of(arms, i), arm_of(arms, k), bet, forecast, cash)
        if i >= 0 and k >= 0:
            out[j] = on_line(duel, c)
        else:
            out[j] = at_rate(duel, c if k < 0 else 0.0, -c if i < 0 else 0.0)
    return out
