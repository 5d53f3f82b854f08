"""A bet on a shift in one direction: it pays for that direction alone.

A bet has a shift ``h_x = x.s`` for every arm, and a share ``w_x``, fixed when it is opened. With n, r the
trials and successes of an arm since, q what the forecasts of its outcomes have earned since, ``z = x.lambda``
and ``A(z) = log(1 + e^z)``, its log wealth is

    F(lambda) = sum_x  w [r (z + h) - n A(z + h)] + (1 - w) q - [r z - n A(z)].

*Fair or worse at the true parameter, whatever the w in [0, 1]*: an outcome multiplies the wealth by
``(p(r|z+h)/p(r|z))^w (q(r)/p(r|z))^(1-w)``, whose mean is at most 1 (Hoelder).

*A convex minorant.* Let h > 0. In ``-n [w A(z + h) - A(z)]``, all of F that is not linear in z, the second
derivative ``n (mu'(z) - w mu'(z + h))`` is negative up to some z and positive beyond, because
``mu'(z+h)/mu'(z)`` falls. So the largest convex function below it is constant up to the ``b`` at which its
slope is zero again, and itself beyond. That is where ``mu(b) = w mu(b + h)``, or

    w = 1 - (1 - e^-h) mu(-b).

Any b may be chosen: the evidence uses the minorant, which is never more than F, and is F itself for z > b.
Here b lies a little below the logits that matter. (``b = -inf``, ``w = e^-h`` makes F convex everywhere, and
costs more.) For h < 0 the same holds with outcomes exchanged, ``A(z) = z + A(-z)``.

*Direction*: F falls, to first order, along ``H s``, H the information of the trials since. For a rival with
normal y the shift lies along ``H^-1 y``, so that F changes with ``y.lambda`` alone, and not to know the other
d - 1 directions costs nothing.
"""

from typing import NamedTuple

import numpy as np

from logts.logistic.kernels import log1pexp, mean
from logts.tools.algebra import Array, add, assign, dot
from logts.tools.compiling import compiled


class Since(NamedTuple):
    """What was seen of each arm since the bets were opened: trials, successes, score of the forecasts."""

    trials: Array
    successes: Array
    scores: Array


class Bets(NamedTuple):
    """Open bets, one a row: the constant and slope of what is affine, and the shifts as a vector.

    ``low`` and ``high`` are, for all of them, the ends of the logits of each arm that mattered when they were
    opened.
    """

    constants: Array
    slopes: Array
    shifts: Array
    low: Array
    high: Array


class Stakes(NamedTuple):
    """Bets at some time, one a row: all that is affine in lambda, and what is not, for each arm.

    That is ``w``, ``e^|h|``, ``e^b``, the value at b, and the sign of h. Between two outcomes nothing here
    changes.
    """

    constants: Array
    slopes: Array
    shares: Array
    lifts: Array
    limits: Array
    floors: Array
    upward: Array


FARTHEST = 600.0  # logits beyond which nothing is claimed


@compiled
def stakes_of(points: Array, since: Since, bets: Bets) -> Stakes:
    """The bets with what was seen since they were opened."""
    trials, successes, scores = since
    count = bets.constants.size
    arms = trials.size
    constants = bets.constants.copy()
    slopes = bets.slopes.copy()
    shares = np.ones((count, arms))
    lifts = np.ones((count, arms))
    limits = np.zeros((count, arms))
    floors = np.zeros((count, arms))
    upward = np.ones((count, arms), dtype=np.bool_)
    for c in range(count):
        for k in range(arms):
            n = trials[k]
            if n == 0.0:
                continue
            shift = dot(points[k], bets.shifts[c])
            w, h, b = stake(shift, bets.low[k], bets.high[k])
            shares[c, k] = w
            lifts[c, k] = np.exp(h)
            limits[c, k] = np.exp(b)
            floors[c, k] = floor(w, h, b)
            upward[c, k] = shift > 0.0
            lost = 0.0 if shift > 0.0 else n  # -n [w A(z+h) - A(z)] is linear, and the same for -z
            constants[c] += (1.0 - w) * scores[k] + w * (successes[k] - lost) * shift
            add(slopes[c], (w - 1.0) * (successes[k] - lost), points[k])
    return Stakes(constants, slopes, shares, lifts, limits, floors, upward)


@compiled
def stake(shift: float, low: float, high: float) -> tuple[float, float, float]:
    """Share, size and limit of a bet on one arm: ``w``, ``|h|`` and ``b``."""
    h = abs(shift)
    b = (low if shift > 0.0 else -high) - h
    return 1.0 + np.expm1(-h) * mean(-b), h, b


@compiled
def floor(w: float, h: float, b: float) -> float:
    """``w A(z + h) - A(z)`` at b, and in the minorant below it."""
    return w * log1pexp(b + h) - log1pexp(b)


@compiled
def bent(up: bool, z: float, e: float, top: float, w: float, lift: float) -> tuple[float, float, float]:
    """``w A(z + h) - A(z)`` beyond b and its two derivatives, with signs turned; for a shift down, at -z.

    ``e`` is ``e^z``, ``top`` is ``A(z)``, ``lift`` is ``e^|h|``.
    """
    mu = e / (1.0 + e)
    lifted = (e if up else 1.0 / e) * lift
    moved = w * lifted / (1.0 + lifted)
    value = w * np.log1p(lifted) - (top if up else top - z)
    pull = mu - moved if up else moved - 1.0 / (1.0 + e)
    return -value, pull, mu / (1.0 + e) - moved / (1.0 + lifted)


@compiled
def tangent(points: Array, since: Since, bets: Bets, c: int, at: Array, slope: Array) -> float:
    """What bet ``c`` is worth at a point, in logarithms; ``slope`` receives its gradient there."""
    trials, successes, scores = since
    value = bets.constants[c] + dot(bets.slopes[c], at)
    assign(slope, 1.0, bets.slopes[c])
    for k in range(trials.size):
        n = trials[k]
        if n == 0.0:
            continue
        z = dot(points[k], at)
        if not abs(z) < FARTHEST:
            return -np.inf
        shift = dot(points[k], bets.shifts[c])
        up = shift > 0.0
        w, h, b = stake(shift, bets.low[k], bets.high[k])
        won = successes[k] - (0.0 if up else n)
        pull = (w - 1.0) * won
        value += (1.0 - w) * scores[k] + w * won * shift + pull * z
        if (z if up else -z) <= b:
            value -= n * floor(w, h, b)
        else:
            e = np.exp(z)
            gain, slant, _ = bent(up, z, e, np.log1p(e), w, np.exp(h))
            value += n * gain
            pull += n * slant
        add(slope, pull, points[k])
    return value
