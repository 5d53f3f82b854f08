"""Intervals for every rate at once, at every time at once: what the evidence has not refuted.

The parameters at which the forecast, of all that a wealth is made of, has less than ``1/delta`` are those
with ``L(lambda) >= log cap_0 + Q - log(1/delta)``. They contain the true one at all times with probability at
least 1 - delta. The interval of an item is the range of ``z.lambda`` over them
(:mod:`logts.logistic.extremes`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from logts.evidence.tally import Tally
from logts.logistic.extremes import Level, Peak, largest
from logts.logistic.fit import Fit, information_factor, maximum_likelihood
from logts.tools.algebra import Array
from logts.tools.state import record

WIDEST = 60.0  # logits; beyond, a rate is 0 or 1 to every digit
LEAST = 1e-9  # by how much the fit lies above the line, at least


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
        return self.rates(z[None], [name])[0]

    def rates(self, items: Array, names: Sequence[str]) -> list[Rate]:
        """The rates of the items at these points."""
        middles = items @ self.fit.theta
        if self.fit.proven and self._level.line > -math.inf:
            high = expit(largest(self._level, self._peak, items, WIDEST))
            low = expit(-largest(self._level, self._peak, -items, WIDEST))
            middle = expit(middles)
        else:
            low, middle, high = np.zeros(len(items)), np.full(len(items), 0.5), np.ones(len(items))
            middle = expit(middles) if self.fit.proven else middle
        known = ~items.any(axis=1)  # a rate of one half whatever the parameter
        found = (np.where(known, 0.5, ends).tolist() for ends in (low, middle, high))
        return [Rate(*row) for row in zip(names, *found, strict=True)]

    @cached_property
    def _level(self) -> Level:
        """The arms that were tried: the others change nothing."""
        tried = self.tally.trials > 0.0
        x = np.ascontiguousarray(self.points[tried])
        return Level(x, self.tally.trials[tried], self.tally.successes[tried], self.line)

    @cached_property
    def _peak(self) -> Peak:
        x, trials, _, line = self._level
        factor, _ = information_factor(x, trials, self.fit.theta)
        return Peak(self.fit.theta, factor, max(self.fit.log_likelihood + self.fit.shortfall - line, LEAST))
