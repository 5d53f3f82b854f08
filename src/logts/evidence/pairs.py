"""Evidence without the model: bets on the arms of one comparison, which have rates of their own.

Each comparison ``logit_i - logit_k <= c`` that could be true is a problem of two arms that share nothing, with
a wealth of its own (:mod:`logts.evidence.wealth`): cash, forecasts of both arms, and bets on a shift
(:mod:`logts.evidence.shift`). The forecasts are those of Krichevsky and Trofimov, ``(r + 1/2) / (n + 1)``,
which know one arm only and earn ``KT = log B(r + 1/2, n - r + 1/2) / B(1/2, 1/2)``. A comparison with a rate
has one arm.

On the boundary log M is a convex function of one number. Two tangents, one from either side, cross below its
minimum: that bound is proven, not only computed, whatever the outcomes, even if one arm never failed.

*Accounts.* Where the question permits it (``Comparisons.apart``), the capital is that of the account of k: it
serves at parameters at which k is the best. When another arm i' leads, a bet ``a + g_i z_i + g_k z_k`` on i
goes on against i': as ``z_i <= z_k`` there, and ``g_i <= 0``, it is worth at least ``a + (g_i + g_k) z_k``.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from logts.alternatives import Comparisons
from logts.evidence.least import Seen, log_wealth
from logts.evidence.placing import GROWTH, MOST, SHARE, SIZES, WIDE, aimed, close, moved, projections
from logts.evidence.shift import Bets, Since, Stakes, stakes_of
from logts.evidence.tally import Tally
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful, record

FORECAST = 0.1  # of the capital, for the forecasts of both arms: it serves rivals that are far away
FIRST = 16  # trials before the first bets are placed, at the least
CLOSE = 1e-7  # how far apart the bounds on a minimum may stay
STEPS = 100


@record
@dataclass(frozen=True)
class Sides:
    """Bets on comparisons, a row each; in the first column those on the first arm, in the second the other's.

    Attributes
    ----------
    high, low, offset
        The comparisons.
    cash
        Logarithms.
    constants, slopes, shifts
        The bets on each, one of every size.
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
        ends = np.zeros(arms)
        nothing = Tally.of_nothing(arms)
        return cls(nobody, nobody, np.empty(0), np.empty(0), none[:, :, 0], none, none, ends, ends, nothing)


class Pairs(Stateful):
    """The bets of a study on its arms by themselves, placed in the order of the asks."""

    _kept = ("sides", "due")

    def __init__(self, arms: int) -> None:
        self.sides = Sides.of_nothing(arms)
        self.due = float(max(FIRST, 2 * arms))

    def place(self, compared: Comparisons, tally: Tally) -> None:
        """Close all bets and open them anew, on the comparisons that are nearest to be true."""
        self.due = float(math.ceil(GROWTH * tally.total))
        old = self.sides
        logits, variances = _own(tally)
        chosen = _nearest(compared, logits, variances)
        asked = compared.high[chosen], compared.low[chosen], compared.offset[chosen]
        rows = _rows(old, *asked, compared.apart)
        idle = np.setdiff1d(np.arange(len(old.high)), rows)
        since = _since(old, tally)
        seen = logits, variances, tally.trials, tally.total
        bets = old.constants, old.slopes, old.shifts, old.least, old.most
        known = old.high, old.low, old.offset, old.cash
        saved = math.log(1.0 - FORECAST)
        cash, *opened = _open(*asked, rows, idle, *seen, since, *known, *bets, saved)
        width = WIDE * np.sqrt(variances)
        self.sides = Sides(
            np.append(asked[0], old.high[idle]),
            np.append(asked[1], old.low[idle]),
            np.append(asked[2], old.offset[idle]),
            cash,
            *opened,
            least=logits - width,
            most=logits + width,
            opened=tally,
        )

    def evidence(self, compared: Comparisons, tally: Tally) -> Array:
        """For each comparison a proven lower bound on log M wherever it is true, at these counts."""
        sides = self.sides
        asked = compared.high, compared.low, compared.offset
        rows = _rows(sides, *asked, compared.apart)
        bets = sides.constants, sides.slopes, sides.shifts, sides.least, sides.most
        forecast = math.log(FORECAST / (compared.union if compared.apart else 1))
        cash = np.append(sides.cash, math.log(1.0 - FORECAST))
        seen = tally.trials, tally.successes, scores(tally)
        return _each(*asked, rows, *seen, _since(sides, tally), *bets, cash, forecast)


def scores(tally: Tally) -> Array:
    """``KT`` of every arm."""
    return np.asarray(betaln(tally.successes + 0.5, tally.trials - tally.successes + 0.5) - np.log(np.pi))


def _own(tally: Tally) -> tuple[Array, Array]:
    """Logits of the arms' own rates, pulled a little towards one half, and their variances."""
    rates = (tally.successes + 0.5) / (tally.trials + 1.0)
    return np.log(rates) - np.log1p(-rates), 1.0 / np.maximum(
        (tally.trials + 1.0) * rates * (1.0 - rates), 0.25
    )


def _since(sides: Sides, tally: Tally) -> Since:
    opened = sides.opened
    return Since(
        tally.trials - opened.trials, tally.successes - opened.successes, scores(tally) - scores(opened)
    )


def _nearest(compared: Comparisons, logits: Array, variances: Array) -> Indices:
    """The comparisons that are nearest to be true."""
    if len(compared.high) <= MOST:
        return np.arange(len(compared.high))
    level = np.append(logits, 0.0)  # number -1 stands for zero
    width = np.append(variances, 0.0)
    margins = level[compared.high] - level[compared.low] - compared.offset
    distances = np.maximum(margins, 0.0) ** 2 / (width[compared.high] + width[compared.low])
    return np.argsort(distances, kind="stable")[:MOST]


def _rows(sides: Sides, high: Indices, low: Indices, offset: Array, apart: bool) -> Indices:
    """The row of each comparison, or of its account; one past the last if there is none."""
    if apart:
        where = {k: row for row, k in enumerate(sides.low.tolist())}
        found = [where.get(k, len(where)) for k in low.tolist()]
    else:
        keys = zip(sides.high.tolist(), sides.low.tolist(), sides.offset.tolist(), strict=True)
        place = {key: row for row, key in enumerate(keys)}
        asked = zip(high.tolist(), low.tolist(), offset.tolist(), strict=True)
        found = [place.get(key, len(place)) for key in asked]
    return np.array(found, dtype=np.intp)


@compiled
def _members(i: int, k: int) -> tuple[Indices, Array]:
    """The arms of a comparison, and the normal of ``logit_i - logit_k`` in their logits."""
    if k < 0:
        return np.array([i]), np.array([1.0])
    if i < 0:
        return np.array([k]), np.array([-1.0])
    return np.array([i, k]), np.array([1.0, -1.0])


@compiled
def _bets(
    row: int, arms: Indices, constants: Array, slopes: Array, shifts: Array, least: Array, most: Array
) -> Bets:
    """The bets of a row; none for the row past the last."""
    d = arms.size
    ends = least[arms], most[arms]
    if row >= constants.shape[0]:
        return Bets(np.empty(0), np.empty((0, d)), np.empty((0, d)), ends[0], ends[1])
    sloped = np.ascontiguousarray(slopes[row][:, :d])
    return Bets(constants[row], sloped, np.ascontiguousarray(shifts[row][:, :d]), ends[0], ends[1])


@compiled
def _open(
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    idle: Indices,
    logits: Array,
    variances: Array,
    trials: Array,
    total: float,
    since: Since,
    old_high: Indices,
    old_low: Indices,
    old_offset: Array,
    cash: Array,
    constants: Array,
    slopes: Array,
    shifts: Array,
    least: Array,
    most: Array,
    saved: float,
) -> tuple[Array, Array, Array, Array]:
    """Cash, constants, slopes and shifts of the bets on these comparisons, and behind them of the idle rows."""
    count = high.size + idle.size
    sizes = SIZES.size
    out_cash = np.full(count, saved)
    out_constants = np.full((count, sizes), -np.inf)
    out_slopes = np.zeros((count, sizes, 2))
    out_shifts = np.zeros((count, sizes, 2))
    for j in range(count):
        row = rows[j] if j < high.size else idle[j - high.size]
        held = row < constants.shape[0]
        i, k, c = high[min(j, high.size - 1)], low[min(j, high.size - 1)], offset[min(j, high.size - 1)]
        kept = np.full((1, sizes), -np.inf)
        gains = np.zeros((1, sizes, 2))
        if held:
            before = old_high[row], old_low[row], old_offset[row]
            arms, y = _members(before[0], before[1])
            d = arms.size
            at = _boundary(arms, y, before[2], logits, variances)
            bets = _bets(row, arms, constants, slopes, shifts, least, most)
            kept[0] = bets.constants
            sloped = bets.slopes.reshape((1, sizes, d)).copy()
            moving = bets.shifts.reshape((1, sizes, d))
            lately = Since(since.trials[arms], since.successes[arms], since.scores[arms])
            close(np.eye(d), lately, kept, sloped, moving, bets.low, bets.high, at)
            gains[0, :, :d] = sloped[0]
            if j < high.size and i != before[0]:
                _carry(kept, gains)
            out_cash[j] = cash[row]
        if j >= high.size:
            out_constants[j] = kept[0]
            out_slopes[j] = gains[0]
            continue
        arms, y = _members(i, k)
        d = arms.size
        at = _boundary(arms, y, c, logits, variances)
        fresh = np.full(1, SHARE * np.exp(out_cash[j]) / sizes)
        out_cash[j] += np.log(1.0 - SHARE)
        whole = np.ones((1, 1))
        new, turned = moved(kept, np.ascontiguousarray(gains[:, :, :d]), whole, fresh, at)
        out_constants[j] = new[0]
        out_slopes[j, :, :d] = turned[0]
        factor = np.zeros((d, d))
        to_come = np.zeros((d, d))
        lately_made = max(since.trials.sum(), 1.0)
        margin = -c
        for a in range(d):
            information = 1.0 / variances[arms[a]]
            factor[a, a] = np.sqrt(information)
            expected = 0.9 * since.trials[arms[a]] / lately_made + 0.1 * trials[arms[a]] / total + 1e-9
            to_come[a, a] = np.sqrt(information / (trials[arms[a]] + 1.0) * total * expected)
            margin += y[a] * logits[arms[a]]
        turns = aimed(np.full(1, margin), y.reshape((1, d)), turned, factor, to_come)
        out_shifts[j, :, :d] = turns[0]
    return out_cash, out_constants, out_slopes, out_shifts


@compiled
def _boundary(arms: Indices, y: Array, c: float, logits: Array, variances: Array) -> Array:
    """The point of the boundary that is nearest to the arms' own logits."""
    factor = np.zeros((arms.size, arms.size))
    for a in range(arms.size):
        factor[a, a] = 1.0 / np.sqrt(variances[arms[a]])
    return projections(logits[arms], factor, y.reshape((1, -1)), np.full(1, c))


@compiled
def _carry(constants: Array, slopes: Array) -> None:
    """Bets on one leader as bets on another: what they are worth by the logit of the rival alone."""
    for c in range(constants.shape[1]):
        if slopes[0, c, 0] > 0.0:
            constants[0, c] = -np.inf
        slopes[0, c, 1] += slopes[0, c, 0]
        slopes[0, c, 0] = 0.0


@compiled
def _each(
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    trials: Array,
    successes: Array,
    earned: Array,
    since: Since,
    constants: Array,
    slopes: Array,
    shifts: Array,
    least: Array,
    most: Array,
    cash: Array,
    forecast: float,
) -> Array:
    """Log evidence against each comparison."""
    out = np.empty(high.size)
    for j in range(high.size):
        arms, _ = _members(high[j], low[j])
        points = np.eye(arms.size)
        lately = Since(since.trials[arms], since.successes[arms], since.scores[arms])
        stakes = stakes_of(points, lately, _bets(rows[j], arms, constants, slopes, shifts, least, most))
        starts = forecast + earned[arms].sum()
        seen = Seen(points, trials[arms], successes[arms], lately.trials, starts)
        if arms.size == 1:
            out[j] = _at_rate(
                seen, stakes, cash[rows[j]], offset[j] if low[j] < 0 else -offset[j], low[j] < 0
            )
        else:
            out[j] = _on_line(seen, stakes, cash[rows[j]], offset[j])
    return out


@compiled
def _at_rate(seen: Seen, stakes: Stakes, cash: float, at: float, above: bool) -> float:
    """Compared with a rate: the boundary is a point."""
    gradient = np.empty(1)
    value = log_wealth(seen, stakes, cash, np.full(1, at), gradient, np.empty((1, 1)))
    return value if (gradient[0] if above else -gradient[0]) <= 0.0 and np.isfinite(value) else cash


@compiled
def _on_line(seen: Seen, stakes: Stakes, cash: float, c: float) -> float:
    """A lower bound on log M over ``z_i - z_k <= c``; if there is none better, the cash."""
    n = seen.trials.sum()
    r = seen.successes.sum()
    if seen.trials.min() == 0.0 or r == 0.0 or r == n:
        return cash
    middle = np.log(r / (n - r)) - 0.5 * c
    left = middle - 1.0
    right = middle + 1.0
    f_left, d_left, _ = _along(seen, stakes, cash, c, left)
    f_right, d_right, _ = _along(seen, stakes, cash, c, right)
    for _ in range(STEPS):  # out to where log M falls towards the middle
        if d_left < 0.0:
            break
        left -= 2.0 * (right - left)
        f_left, d_left, _ = _along(seen, stakes, cash, c, left)
    for _ in range(STEPS):
        if d_right > 0.0:
            break
        right += 2.0 * (right - left)
        f_right, d_right, _ = _along(seen, stakes, cash, c, right)
    if not (d_left < 0.0 < d_right):
        return cash
    for _ in range(STEPS):
        # Both tangents lie below log M, and so does their crossing below its minimum.
        at = (f_right - f_left + d_left * left - d_right * right) / (d_left - d_right)
        bound = f_left + d_left * (at - left)
        value, slope, pull = _along(seen, stakes, cash, c, at)
        if value - bound <= CLOSE:
            return max(cash, bound) if pull <= 0.0 else cash
        if slope < 0.0:
            left = at
            f_left = value
            d_left = slope
        else:
            right = at
            f_right = value
            d_right = slope
    return cash


@compiled
def _along(seen: Seen, stakes: Stakes, cash: float, c: float, z: float) -> tuple[float, float, float]:
    """Log M on the boundary, its derivative along it, and that in the first logit."""
    gradient = np.empty(2)
    value = log_wealth(seen, stakes, cash, np.array([z + c, z]), gradient, np.empty((2, 2)))
    return value, gradient[0] + gradient[1], gradient[0]
