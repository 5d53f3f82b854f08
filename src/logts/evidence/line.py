"""The least wealth where two arms that share nothing are compared, or one arm with a rate, with proof.

    log M(z) = log [cash + cap_0 exp(KT - L(z)) + exp(a + g.z + F(z))]

is what :mod:`logts.evidence.least` minimises, for one arm or two whose logits z are their coordinates. On the
boundary it is a convex function of one number. Two tangents, one from either side, cross below its minimum:
that bound is proven, not only computed, whatever the outcomes, even if one arm never failed.
"""

from typing import NamedTuple

import numpy as np

from logts.evidence.shift import FARTHEST, bent, floor, stake
from logts.evidence.sides import Arm, Bet
from logts.tools.compiling import compiled

CLOSE = 1e-7  # how far apart the bounds on a minimum may stay
STEPS = 100
NEAR = 0.5  # standard errors of the common logit: from there on the minimum is sought


class Side(NamedTuple):
    """One arm of a comparison: its trials and successes, and what a bet on a shift says of its logit.

    ``recent`` trials were made since the bet was opened. ``slope`` is all of the bet that is affine in the
    logit; what is not are ``w``, ``e^|h|``, ``e^b``, the value at b, and the sign of the shift
    (:mod:`logts.evidence.shift`).
    """

    trials: float
    successes: float
    recent: float
    slope: float
    share: float
    lift: float
    limit: float
    floor: float
    upward: bool


class Duel(NamedTuple):
    """Two arms, or one and nobody; the constant of the bet on them, and logarithms of forecast and cash."""

    first: Side
    other: Side
    constant: float
    forecast: float
    cash: float


class Tangent(NamedTuple):
    """A point of the boundary: log M there, its derivative along it, and that in the first logit."""

    at: float
    value: float
    slope: float
    pull: float


@compiled
def _side(arm: Arm, slope: float, shift: float) -> tuple[float, Side]:
    """What was seen since a bet was opened, written into its constant, and into the side of one arm."""
    w, h, b = stake(shift, arm.low, arm.high)
    won = arm.won - (0.0 if shift > 0.0 else arm.recent)  # -n [w A(z+h) - A(z)] is linear, the same for -z
    constant = (1.0 - w) * arm.score + w * won * shift
    slope += (w - 1.0) * won
    counts = arm.trials, arm.successes, arm.recent
    return constant, Side(*counts, slope, w, np.exp(h), np.exp(b), floor(w, h, b), shift > 0.0)


@compiled
def duel_of(first: Arm, other: Arm, bet: Bet, forecast: float, cash: float) -> Duel:
    """A comparison with what was seen of both arms."""
    constant, side = _side(first, bet.slope, bet.shift)
    more, opposite = _side(other, bet.other_slope, bet.other_shift)
    forecast += first.earned + other.earned
    return Duel(side, opposite, bet.constant + constant + more, forecast, cash)


@compiled
def worth(side: Side, z: float) -> tuple[float, float, float, float]:
    """By how much the forecasts of an arm beat its logit, what the bet has there, and both derivatives."""
    value = side.slope * z
    pull = side.slope
    if side.trials == 0.0:
        return 0.0, 0.0, value, pull
    e = np.exp(z)
    top = np.log1p(e)
    if side.recent > 0.0:
        if (e if side.upward else 1.0 / e) <= side.limit:  # below b the minorant is constant
            value -= side.recent * side.floor
        else:
            gain, slant, _ = bent(side.upward, z, e, top, side.share, side.lift)
            value += side.recent * gain
            pull += side.recent * slant
    beaten = side.trials * top - side.successes * z
    return beaten, side.trials * e / (1.0 + e) - side.successes, value, pull


@compiled
def _log_wealth(duel: Duel, z: float, z_other: float) -> tuple[float, float, float]:
    """Log M at these logits, and its derivative in each."""
    if not max(abs(z), abs(z_other)) < FARTHEST:
        return -np.inf, 0.0, 0.0
    beaten, drag, value, pull = worth(duel.first, z)
    beaten_other, drag_other, value_other, pull_other = worth(duel.other, z_other)
    forecast = duel.forecast + beaten + beaten_other
    bet = duel.constant + value + value_other
    highest = max(duel.cash, forecast, bet)
    forecast = np.exp(forecast - highest)
    bet = np.exp(bet - highest)
    total = np.exp(duel.cash - highest) + forecast + bet
    slope = (forecast * drag + bet * pull) / total
    return highest + np.log(total), slope, (forecast * drag_other + bet * pull_other) / total


@compiled
def at_rate(duel: Duel, z: float, z_other: float) -> float:
    """Compared with a rate: the boundary is a point."""
    value, slope, slope_other = _log_wealth(duel, z, z_other)  # of nobody's logit zero
    return value if slope <= slope_other and np.isfinite(value) else duel.cash


@compiled
def _along(duel: Duel, c: float, z: float) -> Tangent:
    value, pull, other = _log_wealth(duel, z + c, z)
    return Tangent(z, value, pull + other, pull)


@compiled
def on_line(duel: Duel, c: float) -> float:
    """A lower bound on log M over ``z_i - z_k <= c``; if there is none better, the cash."""
    n = duel.first.trials + duel.other.trials
    r = duel.first.successes + duel.other.successes
    if min(duel.first.trials, duel.other.trials) == 0.0 or r == 0.0 or r == n:
        return duel.cash
    middle = np.log(r / (n - r)) - 0.5 * c
    near = min(1.0, NEAR * np.sqrt(n / (r * (n - r))))
    left = _along(duel, c, middle - near)
    right = _along(duel, c, middle + near)
    for _ in range(STEPS):  # out to where log M falls towards the middle
        if left.slope < 0.0:
            break
        left = _along(duel, c, left.at - 2.0 * (right.at - left.at))
    for _ in range(STEPS):
        if right.slope > 0.0:
            break
        right = _along(duel, c, right.at + 2.0 * (right.at - left.at))
    if not (left.slope < 0.0 < right.slope):
        return duel.cash
    return _between(duel, c, left, right)


@compiled
def _between(duel: Duel, c: float, left: Tangent, right: Tangent) -> float:
    """The same, once the minimum is known to lie between two points."""
    s_left = left.slope
    s_right = right.slope
    side = 0
    for _ in range(STEPS):
        # Both tangents lie below log M, and so does their crossing below its minimum.
        rise = right.value - left.value + left.slope * left.at - right.slope * right.at
        bound = left.value + left.slope * (rise / (left.slope - right.slope) - left.at)
        nearer = left if -left.slope < right.slope else right
        if nearer.value - bound <= CLOSE:
            # Where log M falls into the half-space it falls no faster than here: at equal rates, rounding.
            return max(duel.cash, bound - 2.0 * FARTHEST * max(nearer.pull, 0.0))
        # Where the slope is zero: the Illinois method.
        point = _along(duel, c, left.at - s_left * (right.at - left.at) / (s_right - s_left))
        if point.slope < 0.0:
            left = point
            s_left = point.slope
            s_right *= 0.5 if side < 0 else 1.0
            side = -1
        else:
            right = point
            s_right = point.slope
            s_left *= 0.5 if side > 0 else 1.0
            side = 1
    return duel.cash
