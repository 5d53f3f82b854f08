"""Intervals for every rate at once, at every time at once: what the evidence has not refuted.

The parameters at which the forecast, of all that a wealth is made of, has less than ``1/delta`` are those
with ``L(lambda) >= log cap_0 + Q - log(1/delta)``. They contain the true one at all times with probability at
least 1 - delta. The interval of an item is the range of ``z.lambda`` over them: its ends are where the
maximum of L on ``z.lambda = v`` falls to that line.
"""

import math
from dataclasses import dataclass

from scipy.special import expit

from logts.evidence.tally import Tally
from logts.logistic.fit import Fit, gradient, maximum_likelihood
from logts.tools.algebra import Array
from logts.tools.state import record

CLOSE = 1e-6  # how far below the line an end may lie, in log-likelihood
WIDEST = 60.0  # logits; beyond, a rate is 0 or 1 to every digit
STEPS = 60


@record
@dataclass(frozen=True)
class Rate:
    """Success rate of an item: the estimate, and the interval that holds for all items and times at once."""

    name: str
    low: float
    estimate: float
    high: float


@dataclass(frozen=True)
class NotRefuted:
    """The parameters with ``L >= line``, given by the outcomes and the maximum-likelihood fit to them."""

    points: Array
    tally: Tally
    fit: Fit
    line: float

    @classmethod
    def of(cls, points: Array, tally: Tally, line: float) -> "NotRefuted":
        """Those above a line."""
        return cls(points, tally, maximum_likelihood(points, tally.trials, tally.successes), line)

    def rate(self, z: Array, name: str) -> Rate:
        """The rate of an item at ``z``; without a proven fit anything is possible."""
        if not z.any():  # its rate is one half whatever the parameter
            return Rate(name, 0.5, 0.5, 0.5)
        if not self.fit.proven:
            return Rate(name, 0.0, 0.5, 1.0)
        middle = float(z @ self.fit.theta)
        low = self._end(z, middle, -1.0)
        high = self._end(z, middle, 1.0)
        return Rate(name, float(expit(low)), float(expit(middle)), float(expit(high)))

    def _end(self, z: Array, middle: float, side: float) -> float:
        """Where the profile meets the line: out by doubling, then Newton's method in a bracket."""
        inside = 0.0
        outside = math.inf
        step = 0.1
        start = self.fit.theta
        for _ in range(STEPS):
            if inside > WIDEST:
                return side * math.inf
            at = inside + step
            found = self._on_hyperplane(z, middle + side * at, start)
            if not found.proven:
                return side * math.inf
            height = found.log_likelihood + found.shortfall - self.line
            pull = gradient(self.points, self.tally.trials, self.tally.successes, found.theta)
            slope = float(z @ pull / (z @ z)) * side
            if height > 0.0:
                inside = at
                start = found.theta
            else:
                outside = at
                if height > -CLOSE:
                    break
            if math.isinf(outside):
                step *= 2.0
                continue
            if outside - inside <= 1e-6 * (1.0 + outside):
                break
            newton = at - height / slope if slope < 0.0 else math.nan
            step = (
                newton + 0.5 * CLOSE / abs(slope) - inside
                if inside < newton < outside
                else 0.5 * (outside - inside)
            )
        return middle + side * outside

    def _on_hyperplane(self, z: Array, offset: float, start: Array) -> Fit:
        counts = self.tally.trials, self.tally.successes
        return maximum_likelihood(self.points, *counts, start=start, normal=z, offset=offset)
