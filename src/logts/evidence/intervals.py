"""Intervals for every rate at once, at every time at once: what the evidence has not refuted.

The parameters with ``L(lambda) >= Q - log(1/delta)`` contain the true one at all times with probability at least 1 - delta. The
interval of an item is the range of ``z.lambda`` over them: its ends are where the maximum of L on ``z.lambda = v`` falls to that
line.
"""

import math
from dataclasses import dataclass

from scipy.special import expit

from logts.logistic.fit import Fit, gradient, maximum_likelihood
from logts.tools.algebra import Array

CLOSE = 1e-6  # how far below the line an end may lie, in log-likelihood
WIDEST = 60.0  # logits; beyond, a rate is 0 or 1 to every digit


@dataclass(frozen=True)
class Rate:
    """Success rate of an item: the estimate, and the interval that holds for all items and times at once."""

    name: str
    low: float
    estimate: float
    high: float


def rate(points: Array, trials: Array, successes: Array, fit: Fit, line: float, z: Array, name: str) -> Rate:
    """The rate of an item at ``z``; without a proven fit, or for an item that no arm measures, anything is possible."""
    if not fit.proven or not z.any():
        return Rate(name, 0.0 if z.any() else 0.5, 0.5, 1.0 if z.any() else 0.5)
    middle = float(z @ fit.theta)
    low, high = (_end(points, trials, successes, fit, line, z, middle, side) for side in (-1.0, 1.0))
    return Rate(name, float(expit(low)), float(expit(middle)), float(expit(high)))


def _end(points: Array, trials: Array, successes: Array, fit: Fit, line: float, z: Array, middle: float, side: float) -> float:
    """Where the profile likelihood meets the line: out by doubling, then Newton's method inside a shrinking bracket."""
    inside, outside, step, start = 0.0, math.inf, 0.1, fit.theta
    for _ in range(60):
        if inside > WIDEST:
            return side * math.inf
        at = inside + step
        found = maximum_likelihood(points, trials, successes, start=start, normal=z, offset=middle + side * at)
        if not found.proven:
            return side * math.inf
        height = found.log_likelihood + found.shortfall - line
        slope = float(z @ gradient(points, trials, successes, found.theta) / (z @ z)) * side
        if height > 0.0:
            inside, start = at, found.theta
        else:
            outside = at
            if height > -CLOSE:
                break
        if math.isfinite(outside):
            if outside - inside <= 1e-6 * (1.0 + outside):
                break
            newton = at - height / slope if slope < 0.0 else math.nan
            step = newton + 0.5 * CLOSE / abs(slope) - inside if inside < newton < outside else 0.5 * (outside - inside)
        else:
            step *= 2.0
    return middle + side * outside
