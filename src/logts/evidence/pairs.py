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
from logts.evidence.least import Seen
from logts.evidence.line import at_rate, on_line
from logts.evidence.matched import Matched
from logts.evidence.placing import (
    GROWTH,
    LATEST,
    MOST,
    SHARE,
    SIZES,
    WIDE,
    aimed,
    close,
    moved,
    projections,
)
from logts.evidence.shift import Since, stakes_of
from logts.evidence.sides import Claims, Own, Rows, Sides, bets_of, members, scores
from logts.evidence.tally import Tally
from logts.tools.algebra import Array, Indices, assign
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

FORECAST = 0.1  # of the capital, for the forecasts of both arms: it serves rivals that are far away
FIRST = 16  # trials before the first bets are placed, at the least


class Pairs(Stateful):
    """The bets of a study on its arms by themselves, placed in the order of the asks."""

    _kept = ("sides", "matched", "due")

    def __init__(self, arms: int) -> None:
        self.sides = Sides.of_nothing(arms)
        self.matched = Matched(arms)
        self.due = float(max(FIRST, 2 * arms))

    def place(self, compared: Comparisons, tally: Tally) -> None:
        """Close all bets and open them anew, on the comparisons that are nearest to be true."""
        self.due = float(math.ceil(GROWTH * tally.total))
        old = self.sides
        own = _own(tally)
        self.matched.oppose(own.logits)
        chosen = _nearest(compared, own)
        claims = Claims(compared.high[chosen], compared.low[chosen], compared.offset[chosen])
        rows = old.find(claims, compared.apart)
        idle = np.setdiff1d(np.arange(len(old.high)), rows)
        saved = math.log(self._cash(compared))
        opened = _open(claims, rows, idle, own, old.since(tally), old.rows, saved)
        width = WIDE * np.sqrt(own.variances)
        self.sides = Sides(
            np.append(claims.high, old.high[idle]),
            np.append(claims.low, old.low[idle]),
            np.append(claims.offset, old.offset[idle]),
            *opened,
            least=own.logits - width,
            most=own.logits + width,
            opened=tally,
        )

    def _cash(self, compared: Comparisons) -> float:
        """What is there for bets on shifts, at first.

        Matched pairs are for arms that have accounts. They take trials of both arms alike, and the more arms
        there are the less often are two of them tried alike: they get the K-th part.
        """
        return (1.0 - FORECAST) * (1.0 - compared.apart / len(self.sides.least))

    def evidence(self, compared: Comparisons, tally: Tally) -> Array:
        """For each comparison a proven lower bound on log M wherever it is true, at these counts."""
        claims = Claims(compared.high, compared.low, compared.offset)
        rows = self.sides.find(claims, compared.apart)
        forecasts = scores(tally)
        forecast = math.log(FORECAST / (compared.union if compared.apart else 1))
        counts = tally.trials, tally.successes, forecasts
        cash = self._cash(compared)
        steady = np.append(self.sides.cash, math.log(cash))[rows]  # what does not depend on the parameter
        if compared.apart:
            matched = math.log(1.0 - FORECAST - cash)
            steady = np.logaddexp(steady, matched + self.matched.evidence()[claims.low])
        return _each(claims, rows, counts, (forecast, steady), self.sides.since(tally), self.sides.rows)


def _own(tally: Tally) -> Own:
    """The arms' own rates, pulled a little towards one half."""
    rates = (tally.successes + 0.5) / (tally.trials + 1.0)
    information = (tally.trials + 1.0) * rates * (1.0 - rates)
    return Own(np.log(rates) - np.log1p(-rates), 1.0 / np.maximum(information, 0.25), tally.trials)


def _nearest(compared: Comparisons, own: Own) -> Indices:
    """The comparisons that are nearest to be true."""
    if len(compared.high) <= MOST:
        return np.arange(len(compared.high))
    level = np.append(own.logits, 0.0)  # number -1 stands for zero
    width = np.append(own.variances, 0.0)
    margins = level[compared.high] - level[compared.low] - compared.offset
    distances = np.maximum(margins, 0.0) ** 2 / (width[compared.high] + width[compared.low])
    return np.argsort(distances, kind="stable")[:MOST]


@compiled
def _open(
    claims: Claims, rows: Indices, idle: Indices, own: Own, since: Since, old: Rows, saved: float
) -> tuple[Array, Array, Array, Array]:
    """Cash, constants, slopes and shifts of the bets on these comparisons, and behind them of idle rows."""
    count = claims.high.size
    sizes = SIZES.size
    cash = np.full(count + idle.size, saved)
    constants = np.full((count + idle.size, sizes), -np.inf)
    slopes = np.zeros((count + idle.size, sizes, 2))
    shifts = np.zeros((count + idle.size, sizes, 2))
    for j in range(count + idle.size):
        row = rows[j] if j < count else idle[j - count]
        if row < old.cash.size:
            cash[j] = old.cash[row]
            _close(row, own, since, old, constants[j], slopes[j])
            if j < count and claims.high[j] != old.claims.high[row]:
                _carry(constants[j], slopes[j])
        if j < count:
            arms, y = members(claims.high[j], claims.low[j])
            cash[j] = _place(
                arms, y, claims.offset[j], own, since, cash[j], constants[j], slopes[j], shifts[j]
            )
    return cash, constants, slopes, shifts


@compiled
def _close(row: int, own: Own, since: Since, old: Rows, constants: Array, slopes: Array) -> None:
    """Write down the bets of an old row as their tangents."""
    arms, y = members(old.claims.high[row], old.claims.low[row])
    d = arms.size
    bets = bets_of(row, arms, old)
    at = _boundary(arms, y, old.claims.offset[row], own)
    found = bets.constants.copy().reshape((1, -1))
    sloped = bets.slopes.copy().reshape((1, -1, d))
    shifted = bets.shifts.reshape((1, -1, d))
    lately = Since(since.trials[arms], since.successes[arms], since.scores[arms])
    close(np.eye(d), lately, found, sloped, shifted, bets.low, bets.high, at)
    assign(constants, 1.0, found[0])
    _assign_rows(slopes, sloped[0])


@compiled
def _place(
    arms: Indices,
    y: Array,
    c: float,
    own: Own,
    since: Since,
    cash: float,
    constants: Array,
    slopes: Array,
    shifts: Array,
) -> float:
    """Add fresh capital to bets, and aim them; returns the cash that is left."""
    d = arms.size
    at = _boundary(arms, y, c, own)
    fresh = np.full(1, SHARE * np.exp(cash) / SIZES.size)
    kept = np.ascontiguousarray(slopes[:, :d]).reshape((1, -1, d))
    found, sloped = moved(constants.copy().reshape((1, -1)), kept, np.ones((1, 1)), fresh, at)
    factor = np.zeros((d, d))
    to_come = np.zeros((d, d))
    total = own.trials.sum()
    recent = max(since.trials.sum(), 1.0)
    margin = -c
    for a in range(d):
        arm = arms[a]
        factor[a, a] = 1.0 / np.sqrt(own.variances[arm])
        share = LATEST * since.trials[arm] / recent + (1.0 - LATEST) * own.trials[arm] / total + 1e-9
        to_come[a, a] = factor[a, a] * np.sqrt(share * total / (own.trials[arm] + 1.0))
        margin += y[a] * own.logits[arm]
    assign(constants, 1.0, found[0])
    _assign_rows(slopes, sloped[0])
    _assign_rows(shifts, aimed(np.full(1, margin), y.reshape((1, d)), sloped, factor, to_come)[0])
    return cash + np.log(1.0 - SHARE)


@compiled
def _assign_rows(target: Array, source: Array) -> None:
    """``target[:, :d] = source``, without a check of shapes, which takes two seconds to compile."""
    for c in range(source.shape[0]):
        assign(target[c, : source.shape[1]], 1.0, source[c])


@compiled
def _boundary(arms: Indices, y: Array, c: float, own: Own) -> Array:
    """The point of the boundary that is nearest to the arms' own logits."""
    factor = np.zeros((arms.size, arms.size))
    for a in range(arms.size):
        factor[a, a] = 1.0 / np.sqrt(own.variances[arms[a]])
    return projections(own.logits[arms], factor, y.reshape((1, -1)), np.full(1, c))


@compiled
def _carry(constants: Array, slopes: Array) -> None:
    """Bets on one leader as bets on another: what they are worth by the logit of the rival alone."""
    for c in range(constants.size):
        if slopes[c, 0] > 0.0:
            constants[c] = -np.inf
        slopes[c, 1] += slopes[c, 0]
        slopes[c, 0] = 0.0


@compiled
def _each(
    claims: Claims,
    rows: Indices,
    counts: tuple[Array, Array, Array],
    starts: tuple[float, Array],
    since: Since,
    sides: Rows,
) -> Array:
    """Log evidence against each comparison."""
    trials, successes, forecasts = counts
    forecast, steady = starts
    out = np.empty(rows.size)
    for j in range(rows.size):
        i = claims.high[j]
        c = claims.offset[j]
        if rows[j] < sides.cash.size and sides.claims.high[rows[j]] != i:
            # An account with bets on a leader before this one. If k is the best, neither is better.
            i = sides.claims.high[rows[j]]
            c = 0.0
        arms, _ = members(i, claims.low[j])
        points = np.eye(arms.size)
        lately = Since(since.trials[arms], since.successes[arms], since.scores[arms])
        stakes = stakes_of(points, lately, bets_of(rows[j], arms, sides))
        seen = Seen(points, trials[arms], successes[arms], lately.trials, forecast + forecasts[arms].sum())
        cash = steady[j]
        above = claims.low[j] < 0
        if arms.size == 1:
            out[j] = at_rate(seen, stakes, cash, c if above else -c, above)
        else:
            out[j] = on_line(seen, stakes, cash, c)
    return out
