"""A likelihood-ratio confidence sequence, turned into a stopping rule.

    Lee, Yun and Jun (2024), "A Unified Confidence Sequence for Generalized Linear Models, with Applications
    to Bandits".

With probability at least 1 - delta, at all times, the true theta with ``|theta| <= S`` has
``L(best fit in the ball) - L(theta) <= log(1/delta) + d log max(e, 2 e S X t / d)``, X the largest ``|x|``:
the gradient of L is at most ``X t`` long. (The source has arms with ``|x| <= 1`` and leaves X out.)
"""

import math
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Posed
from logts.evidence.likelihood import largest_alternative
from logts.logistic.fit import log_likelihood, maximum_likelihood
from logts.stopping.base import Case, Reading, StoppingRule, constant, rule
from logts.tools.algebra import Array

CLOSE = 1e-9  # relative, in the strength of the penalty


@rule
@dataclass(frozen=True)
class LikelihoodRatio(StoppingRule):
    """``L(fit in the ball) - sup over Alt L > log(1/delta) + d log max(e, 2 e S X t/d)``."""

    radius: float = constant("a bound on the norm of theta", above=0.0)

    name = "likelihood-ratio"
    proven = True
    assumes = "the logistic model, and |theta| <= radius in the units of the features"

    def read(self, case: Case, posed: Posed | None) -> Reading:
        d = len(case.fit.theta)
        # |x| in the units in which the radius is meant.
        lengths = np.linalg.norm(np.linalg.solve(case.metric.T, case.points.T), axis=0)
        steepest = float(lengths.max()) * case.tally.total
        price = d * math.log(max(math.e, 2.0 * math.e * self.radius * steepest / d))
        threshold = math.log(1.0 / case.delta) + price
        found = largest_alternative(case.points, case.tally, case.fit, posed.alternatives) if posed else None
        if posed is None or found is None:
            return Reading.of_nothing(threshold)
        supremum, rival = (
            found  # over the whole alternative, not only the ball: larger, so the rule stays valid
        )
        ratio = self._height(case) - supremum
        return Reading(posed.answer, ratio, threshold, math.exp(min(0.0, price - ratio)), rival)

    def _height(self, case: Case) -> float:
        """Log-likelihood of the best fit in the ball: on the sphere a ridge fit."""
        from scipy.optimize import brentq

        if np.linalg.norm(case.metric @ case.fit.theta) <= self.radius:
            return case.fit.log_likelihood
        gram = case.metric.T @ case.metric
        counts = case.tally.trials, case.tally.successes

        def ridge(strength: float) -> Array:
            fit = maximum_likelihood(case.points, *counts, start=case.fit.theta, precision=strength * gram)
            return fit.theta

        def beyond(strength: float) -> float:
            return float(np.linalg.norm(case.metric @ ridge(strength))) - self.radius

        enough = 1.0
        while beyond(enough) > 0.0:
            enough *= 4.0
        strength = brentq(beyond, 0.0, enough, xtol=CLOSE * enough, rtol=CLOSE)
        while beyond(strength) > 0.0:  # inside the ball: not too high
            strength += CLOSE * enough
        return log_likelihood(case.points, *counts, ridge(strength))
