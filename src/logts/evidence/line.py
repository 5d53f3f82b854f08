"""The least wealth where two arms that share nothing are compared, or one arm with a rate, with proof.

    log M(z) = log [cash + cap_0 exp(KT - L(z)) + sum_c exp(a_c + g_c.z + F_c(z))]

is what :mod:`logts.evidence.least` minimises, for one arm or two whose logits z are their coordinates. On the
boundary it is a convex function of one number. Two tangents, one from either side, cross below its minimum:
that bound is proven, not only computed, whatever the outcomes, even if one arm never failed.
"""

from typing import NamedTuple

import numpy as np

from logts.logistic.kernels import log1pexp, mean
from logts.tools.algebra import Array
from logts.tools.compiling import compiled

CLOSE = 1e-7  # how far apart the bounds on a minimum may stay
STEPS = 100
NEAR = 0.5  # standard errors of the common logit: from there on the minimum is sought
FARTHEST = 600.0  # logits beyond which nothing is claimed


class Duel(NamedTuple):
    """One arm or two, what was seen of them, and the bets on them; written anew for each comparison.

    Attributes
    ----------
    trials, successes, recent
        Of each arm; ``recent`` trials were made since the bets were opened.
    constants, slopes
        All that is affine in the logits, of each bet.
    shares, lifts, limits, floors, upward
        What is not (:class:`logts.evidence.shift.Stakes`), of each bet and arm.
    values, pulls
        Room for the logarithm of each bet and of the forecast, and for their derivatives.
    """

    trials: Array
    successes: Array
    recent: Array
    constants: Array
    slopes: Array
    shares: Array
    lifts: Array
    limits: Array
    floors: Array
    upward: Array
    values: Array
    pulls: Array


@compiled
def room_for(bets: int) -> Duel:
    """Room for a comparison."""
    return Duel(
        np.zeros(2),
        np.zeros(2),
        np.zeros(2),
        np.zeros(bets),
        np.zeros((bets, 2)),
        np.ones((bets, 2)),
        np.ones((bets, 2)),
        np.zeros((bets, 2)),
        np.zeros((bets, 2)),
        np.ones((bets, 2), dtype=np.bool_),
        np.zeros(bets + 1),
        np.zeros((bets + 1, 2)),
    )


@compiled
def stake(
    duel: Duel, a: int, c: int, shift: float, low: float, high: float, won: float, score: float
) -> None:
    """Write down what bet ``c`` says of arm ``a``, with ``won`` successes since it was opened.

    ``low`` and ``high`` are the ends of the logits that mattered then, ``score`` is what the forecasts earned
    since. See :mod:`logts.evidence.shift`.
    """
    n = duel.recent[a]
    if n == 0.0:
        return
    h = abs(shift)
    b = (low if shift > 0.0 else -high) - h
    w = 1.0 + np.expm1(-h) * mean(-b)
    duel.shares[c, a] = w
    duel.lifts[c, a] = np.exp(h)
    duel.limits[c, a] = np.exp(b)
    duel.floors[c, a] = w * log1pexp(b + h) - log1pexp(b)
    duel.upward[c, a] = shift > 0.0
    lost = 0.0 if shift > 0.0 else n  # -n [w A(z+h) - A(z)] is linear, and the same for -z
    duel.constants[c] += (1.0 - w) * score + w * (won - lost) * shift
    duel.slopes[c, a] += (w - 1.0) * (won - lost)


@compiled
def weigh(duel: Duel, arms: int, bets: int, forecast: float, z: float, z_other: float) -> bool:
    """Write the logarithms of all bets and of the forecast, and their derivatives, at these logits."""
    values = duel.values
    pulls = duel.pulls
    values[bets] = forecast
    for c in range(bets):
        values[c] = duel.constants[c] + duel.slopes[c, 0] * z
        if arms == 2:
            values[c] += duel.slopes[c, 1] * z_other
    for a in range(arms):
        at = z if a == 0 else z_other
        for c in range(bets):
            pulls[c, a] = duel.slopes[c, a]
        pulls[bets, a] = 0.0
        if duel.trials[a] == 0.0:
            continue
        if not abs(at) < FARTHEST:
            return False
        e = np.exp(at)
        mu = e / (1.0 + e)
        top = np.log1p(e)
        values[bets] -= duel.successes[a] * at - duel.trials[a] * top
        pulls[bets, a] = duel.trials[a] * mu - duel.successes[a]
        n = duel.recent[a]
        if n == 0.0:
            continue
        for c in range(bets):
            up = duel.upward[c, a]
            odds = e if up else 1.0 / e
            if odds <= duel.limits[c, a]:  # below b the minorant is constant
                values[c] -= n * duel.floors[c, a]
                continue
            lifted = odds * duel.lifts[c, a]
            w = duel.shares[c, a]
            moved = w * lifted / (1.0 + lifted)
            values[c] -= n * (w * np.log1p(lifted) - (top if up else top - at))
            pulls[c, a] += n * (mu - moved if up else moved - 1.0 / (1.0 + e))
    return True


@compiled
def log_wealth(
    duel: Duel, arms: int, bets: int, forecast: float, cash: float, z: float, z_other: float
) -> tuple[float, float, float]:
    """Log M at these logits, and its derivative in each."""
    if not weigh(duel, arms, bets, forecast, z, z_other):
        return -np.inf, 0.0, 0.0
    highest = cash
    for c in range(bets + 1):
        highest = max(highest, duel.values[c])
    total = np.exp(cash - highest)
    slope = 0.0
    slope_other = 0.0
    for c in range(bets + 1):
        part = np.exp(duel.values[c] - highest)
        total += part
        slope += part * duel.pulls[c, 0]
        slope_other += part * duel.pulls[c, 1]
    return highest + np.log(total), slope / total, slope_other / total


@compiled
def at_rate(duel: Duel, bets: int, forecast: float, cash: float, at: float, above: bool) -> float:
    """Compared with a rate: the boundary is a point."""
    value, slope, _ = log_wealth(duel, 1, bets, forecast, cash, at, 0.0)
    return value if (slope if above else -slope) <= 0.0 and np.isfinite(value) else cash


@compiled
def on_line(duel: Duel, bets: int, forecast: float, cash: float, c: float) -> float:
    """A lower bound on log M over ``z_i - z_k <= c``; if there is none better, the cash."""
    n = duel.trials[0] + duel.trials[1]
    r = duel.successes[0] + duel.successes[1]
    if min(duel.trials[0], duel.trials[1]) == 0.0 or r == 0.0 or r == n:
        return cash
    middle = np.log(r / (n - r)) - 0.5 * c
    near = min(1.0, NEAR * np.sqrt(n / (r * (n - r))))
    left = middle - near
    right = middle + near
    f_left, d_left, p_left = _along(duel, bets, forecast, cash, c, left)
    f_right, d_right, p_right = _along(duel, bets, forecast, cash, c, right)
    for _ in range(STEPS):  # out to where log M falls towards the middle
        if d_left < 0.0:
            break
        left -= 2.0 * (right - left)
        f_left, d_left, p_left = _along(duel, bets, forecast, cash, c, left)
    for _ in range(STEPS):
        if d_right > 0.0:
            break
        right += 2.0 * (right - left)
        f_right, d_right, p_right = _along(duel, bets, forecast, cash, c, right)
    if not (d_left < 0.0 < d_right):
        return cash
    s_left = d_left
    s_right = d_right
    side = 0
    for _ in range(STEPS):
        # Both tangents lie below log M, and so does their crossing below its minimum.
        crossing = (f_right - f_left + d_left * left - d_right * right) / (d_left - d_right)
        bound = f_left + d_left * (crossing - left)
        at_left = -d_left < d_right
        if (f_left if at_left else f_right) - bound <= CLOSE:
            return max(cash, bound) if (p_left if at_left else p_right) <= 0.0 else cash
        at = left - s_left * (right - left) / (
            s_right - s_left
        )  # where the slope is zero: the Illinois method
        value, slope, pull = _along(duel, bets, forecast, cash, c, at)
        if slope < 0.0:
            left = at
            f_left = value
            d_left = s_left = slope
            p_left = pull
            s_right *= 0.5 if side < 0 else 1.0
            side = -1
        else:
            right = at
            f_right = value
            d_right = s_right = slope
            p_right = pull
            s_left *= 0.5 if side > 0 else 1.0
            side = 1
    return cash


@compiled
def _along(
    duel: Duel, bets: int, forecast: float, cash: float, c: float, z: float
) -> tuple[float, float, float]:
    """Log M on the boundary, its derivative along it, and that in the first logit."""
    value, pull, other = log_wealth(duel, 2, bets, forecast, cash, z + c, z)
    return value, pull + other, pull
