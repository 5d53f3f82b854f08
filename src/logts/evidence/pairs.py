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
from typing import NamedTuple

import numpy as np

from logts.alternatives import Comparisons
from logts.evidence.line import Duel, at_rate, on_line, room_for, stake, weigh
from logts.evidence.matched import Matched
from logts.evidence.placing import GROWTH
from logts.evidence.sides import Sides, earned
from logts.evidence.tally import Tally
from logts.evidence.turning import LATEST, SHARE, SIZES, WIDE, WIDTH
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

FORECAST = 0.1  # of the capital, for the forecasts of both arms: it serves rivals that are far away
FIRST = 16  # trials before the first bets are placed, at the least
MATCHED = 1.9  # over the number of arms: the part of the rest for matched pairs, of arms that have accounts
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
        found = _open(
            chosen.high, chosen.low, chosen.offset, rows,
            old.high, old.low, old.offset, old.cash, old.constants, old.slopes, old.shifts,
            old.least, old.most, old.opened.trials, old.opened.successes, old.scored,
            tally.trials, tally.successes, math.log(self._cash(compared)),
        )  # fmt: skip
        self.sides = Sides(*found[:9], tally)
        self.matched.oppose(found[9])
        if everything:
            self._found = self.sides, compared, np.arange(len(rows))

    def _rows(self, compared: Comparisons) -> Indices:
        """Where the bets on each comparison are."""
        if self._found is None or self._found[0] is not self.sides or self._found[1] is not compared:
            self._found = self.sides, compared, self.sides.find(compared)
        return self._found[2]

    def _cash(self, compared: Comparisons) -> float:
        """What is there for bets on shifts, at first.

        Matched pairs take trials of both arms alike, and the more arms there are the less often are two of
        them tried alike. Of two arms alone they get nearly all.
        """
        return (1.0 - FORECAST) * (1.0 - compared.apart * MATCHED / len(self.sides.least))

    def evidence(self, compared: Comparisons, tally: Tally) -> Array:
        """For each comparison a proven lower bound on log M wherever it is true, at these counts."""
        cash = self._cash(compared)
        matched = self.matched.evidence() if compared.apart else _NOTHING
        share = math.log(1.0 - FORECAST - cash) if compared.apart else -math.inf
        forecast = math.log(FORECAST / (compared.union if compared.apart else 1))
        sides = self.sides
        return _each(
            compared.high, compared.low, compared.offset, self._rows(compared),
            sides.high, sides.cash, sides.constants, sides.slopes, sides.shifts, sides.least, sides.most,
            sides.opened.trials, sides.opened.successes, sides.scored,
            tally.trials, tally.successes, matched, share, math.log(cash), forecast,
        )  # fmt: skip


_NOTHING = np.empty(0)


def _nearest(compared: Comparisons, tally: Tally) -> Comparisons:
    """The comparisons that are nearest to be true."""
    distances = _distances(compared.high, compared.low, compared.offset, tally.trials, tally.successes)
    near = np.argpartition(distances, MOST)[:MOST]
    near = near[np.lexsort((near, distances[near]))]
    parts = compared.high[near], compared.low[near], compared.offset[near]
    return Comparisons(*parts, compared.union, compared.apart)


class Own(NamedTuple):
    """Of every arm by itself: the logit, its variance, all trials, and what was seen since bets were opened.

    ``low`` and ``high`` are the ends of the logits that mattered when they were opened.
    """

    logits: Array
    variances: Array
    trials: Array
    recent: Array
    won: Array
    scores: Array
    low: Array
    high: Array


@compiled
def _logit(n: float, r: float) -> tuple[float, float]:
    """The logit of an arm by its own outcomes, pulled a little towards one half, and its variance."""
    rate = (r + 0.5) / (n + 1.0)
    return np.log(rate) - np.log1p(-rate), 1.0 / max((n + 1.0) * rate * (1.0 - rate), 0.25)


@compiled
def _distances(high: Indices, low: Indices, offset: Array, trials: Array, successes: Array) -> Array:
    """How far each comparison is from being true, in standard errors, squared."""
    out = np.empty(high.size)
    for j in range(high.size):
        margin = -offset[j]
        width = 0.0
        if high[j] >= 0:
            at, wide = _logit(trials[high[j]], successes[high[j]])
            margin += at
            width += wide
        if low[j] >= 0:
            at, wide = _logit(trials[low[j]], successes[low[j]])
            margin -= at
            width += wide
        out[j] = max(margin, 0.0) ** 2 / width
    return out


@compiled
def _open(  # noqa: PLR0913, PLR0917  one by one: to unpack tuples of arrays takes longer
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    old_high: Indices,
    old_low: Indices,
    old_offset: Array,
    old_cash: Array,
    old_constants: Array,
    old_slopes: Array,
    old_shifts: Array,
    least: Array,
    most: Array,
    opened_trials: Array,
    opened_successes: Array,
    opened_scores: Array,
    trials: Array,
    successes: Array,
    saved: float,
) -> tuple[Indices, Indices, Array, Array, Array, Array, Array, Array, Array, Array]:
    """The bets on these comparisons, behind them those of idle rows, and the logits of the arms.

    That is comparisons, cash, constants, slopes, shifts and the ends of the logits that matter.
    """
    since = earned(trials, successes) - opened_scores
    own = Own(
        np.empty(trials.size),
        np.empty(trials.size),
        trials,
        trials - opened_trials,
        successes - opened_successes,
        since,
        least,
        most,
    )
    for k in range(trials.size):
        own.logits[k], own.variances[k] = _logit(trials[k], successes[k])
    used = np.zeros(old_cash.size + 1, dtype=np.bool_)
    used[rows] = True
    idle = np.flatnonzero(~used[:-1])
    from_old = np.append(rows, idle)
    count = high.size
    size = from_old.size
    cash = np.full(size, saved)
    constants = np.full((size, SIZES.size), -np.inf)
    slopes = np.zeros((size, SIZES.size, 2))
    shifts = np.zeros((size, SIZES.size, 2))
    duel = room_for(SIZES.size)
    total = max(own.trials.sum(), 1.0)
    recent = max(own.recent.sum(), 1.0)
    for j in range(size):
        row = from_old[j]
        if row < old_cash.size:
            cash[j] = old_cash[row]
            i = old_high[row]
            constants[j] = old_constants[row]
            slopes[j] = old_slopes[row]
            _close(duel, i, old_low[row], old_offset[row], own, constants[j], slopes[j], old_shifts[row])
            if j < count and high[j] != i:
                _carry(constants[j], slopes[j])
        if j < count:
            fresh = SHARE * np.exp(cash[j]) / SIZES.size
            _add(high[j], low[j], offset[j], own, fresh, constants[j], slopes[j])
            _aim(high[j], low[j], offset[j], own, total, recent, slopes[j], shifts[j])
            cash[j] += np.log(1.0 - SHARE)
    width = WIDE * np.sqrt(own.variances)
    return (
        np.append(high, old_high[idle]),
        np.append(low, old_low[idle]),
        np.append(offset, old_offset[idle]),
        cash,
        constants,
        slopes,
        shifts,
        own.logits - width,
        own.logits + width,
        own.logits,
    )


@compiled
def _boundary(i: int, k: int, c: float, own: Own) -> tuple[float, float]:
    """The point of the boundary that is nearest to the arms' own logits; of one arm the first number."""
    if k < 0:
        return c, 0.0
    if i < 0:
        return -c, 0.0
    margin = own.logits[i] - own.logits[k] - c
    width = own.variances[i] + own.variances[k]
    return own.logits[i] - margin * own.variances[i] / width, own.logits[k] + margin * own.variances[
        k
    ] / width


@compiled
def _close(
    duel: Duel, i: int, k: int, c: float, own: Own, constants: Array, slopes: Array, shifts: Array
) -> None:
    """Replace bets by their tangents at the nearest point of the boundary."""
    arms = _arms_of(i, k)
    _write(duel, i, k, own, constants, slopes, shifts)
    for a in range(arms):
        duel.trials[a] = duel.recent[a]
    z, z_other = _boundary(i, k, c, own)
    inside = weigh(duel, arms, constants.size, 0.0, z, z_other)
    for b in range(constants.size):
        if constants[b] > -np.inf:
            constants[b] = duel.values[b] - duel.pulls[b, 0] * z if inside else -np.inf
            slopes[b, 0] = duel.pulls[b, 0]
            if arms == 2:
                constants[b] -= duel.pulls[b, 1] * z_other
                slopes[b, 1] = duel.pulls[b, 1]


@compiled
def _arms_of(i: int, k: int) -> int:
    """How many arms are compared: number -1 stands for zero."""
    return 2 if i >= 0 and k >= 0 else 1


@compiled
def _write(duel: Duel, i: int, k: int, own: Own, constants: Array, slopes: Array, shifts: Array) -> None:
    """Write bets on one arm or two, with what was seen since, into a duel."""
    arms = _arms_of(i, k)
    for b in range(constants.size):
        duel.constants[b] = constants[b]
        duel.slopes[b, 0] = slopes[b, 0]
        duel.slopes[b, 1] = slopes[b, 1]
    for a in range(arms):
        arm = i if a == 0 and i >= 0 else k
        duel.recent[a] = own.recent[arm]
        for b in range(constants.size):
            stake(duel, a, b, shifts[b, a], own.low[arm], own.high[arm], own.won[arm], own.scores[arm])


@compiled
def _carry(constants: Array, slopes: Array) -> None:
    """Bets on one leader as bets on another: what they are worth by the logit of the rival alone."""
    for c in range(constants.size):
        if slopes[c, 0] > 0.0:
            constants[c] = -np.inf
        slopes[c, 1] += slopes[c, 0]
        slopes[c, 0] = 0.0


@compiled
def _add(i: int, k: int, c: float, own: Own, fresh: float, constants: Array, slopes: Array) -> None:
    """Add fresh capital to bets: the tangent of their sum, at the nearest point of the boundary."""
    z, z_other = _boundary(i, k, c, own)
    for b in range(constants.size):
        value = constants[b] + slopes[b, 0] * z + slopes[b, 1] * z_other
        top = max(value, np.log(fresh))
        part = np.exp(value - top)
        total = part + np.exp(np.log(fresh) - top)
        slopes[b, 0] *= part / total
        slopes[b, 1] *= part / total
        constants[b] = top + np.log(total) - slopes[b, 0] * z - slopes[b, 1] * z_other


@compiled
def _aim(
    i: int, k: int, c: float, own: Own, total: float, recent: float, slopes: Array, shifts: Array
) -> None:
    """Shifts: in the direction that costs least, turned to make up for slopes that are off.

    See :func:`logts.evidence.turning.aimed`; here the information to come is a number for each arm.
    """
    arms = _arms_of(i, k)
    sign = 1.0 if i >= 0 else -1.0
    margin = -c
    width = 0.0
    along = 0.0
    to_come = np.ones(2)
    for a in range(arms):
        arm = i if a == 0 and i >= 0 else k
        y = sign if a == 0 else -1.0
        margin += y * own.logits[arm]
        width += own.variances[arm]
        share = LATEST * own.recent[arm] / recent + (1.0 - LATEST) * own.trials[arm] / total + 1e-9
        to_come[a] = share * total / (own.variances[arm] * (own.trials[arm] + 1.0))
        along += 1.0 / to_come[a]
    for b in range(SIZES.size):
        size = SIZES[b] * max(margin, WIDTH * np.sqrt(width))
        missing = size - sign * slopes[b, 0] / to_come[0]
        if arms == 2:
            missing += slopes[b, 1] / to_come[1]
        for a in range(arms):
            y = sign if a == 0 else -1.0
            shifts[b, a] = (slopes[b, a] + missing * y / along) / to_come[a]


@compiled
def _each(  # noqa: PLR0913, PLR0917  one by one: to unpack tuples of arrays takes longer
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    old_high: Indices,
    cash: Array,
    constants: Array,
    slopes: Array,
    shifts: Array,
    least: Array,
    most: Array,
    opened_trials: Array,
    opened_successes: Array,
    opened_scores: Array,
    trials: Array,
    successes: Array,
    matched: Array,
    share: float,
    saved: float,
    forecast: float,
) -> Array:
    """Log evidence against each comparison."""
    forecasts = earned(trials, successes)
    own = Own(
        forecasts,
        forecasts,
        trials,
        trials - opened_trials,
        successes - opened_successes,
        forecasts - opened_scores,
        least,
        most,
    )
    duel = room_for(SIZES.size)
    out = np.empty(high.size)
    for j in range(high.size):
        row = rows[j]
        i = high[j]
        k = low[j]
        c = offset[j]
        bets = 0
        steady = saved  # what does not depend on the parameter
        if row < cash.size:
            bets = SIZES.size
            steady = cash[row]
            if old_high[row] != i:
                # An account with bets on a leader before this one. If k is the best, neither is better.
                i = old_high[row]
                c = 0.0
            _write(duel, i, k, own, constants[row], slopes[row], shifts[row])
        arms = _arms_of(i, k)
        if matched.size > 0:
            steady = np.logaddexp(steady, share + matched[k])
        ahead = forecast
        for a in range(arms):
            arm = i if a == 0 and i >= 0 else k
            duel.trials[a] = trials[arm]
            duel.successes[a] = successes[arm]
            ahead += forecasts[arm]
        if arms == 1:
            out[j] = at_rate(duel, bets, ahead, steady, c if k < 0 else -c, k < 0)
        else:
            out[j] = on_line(duel, bets, ahead, steady, c)
    return out
