"""A likelihood-ratio confidence sequence, turned into a stopping rule.

    Lee, Yun and Jun (2024), "A Unified Confidence Sequence for Generalized Linear Models, with Applications to Bandits".

With probability at least 1 - delta, at all times, the true theta with ``|theta| <= S`` has
``L(best fit in the ball) - L(theta) <= log(1/delta) + d log max(e, 2 e S t / d)``.
"""

import math
from dataclasses import dataclass

import numpy as np

from logts.evidence.likelihood import weigh
from logts.logistic.fit import log_likelihood, maximum_likelihood
from logts.stopping.base import Reading, State, nothing
from logts.tools.algebra import Array


@dataclass(frozen=True)
class LikelihoodRatio:
    """``L(fit in the ball) - sup over Alt L > log(1/delta) + d log max(e, 2 e S t/d)``.

    ``metric`` holds the map from the package's coordinates to the user's features, in which ``|theta| <= radius``.
    """

    radius: float
    metric: Array
    name: str = "likelihood-ratio"
    proven: bool = True
    forecasts: bool = True
    assumes: str = "the logistic model, and |theta| <= radius in the units of the features"

    def read(self, state: State) -> Reading:
        d = len(state.fit.theta)
        price = d * math.log(max(math.e, 2.0 * math.e * self.radius * state.total / d))
        threshold = math.log(1.0 / state.delta) + price
        found = weigh(state)
        if found is None:
            return nothing(threshold)
        answer, supremum, rival = found  # over the whole alternative, not only the ball: larger, so the rule stays valid
        ratio = self._height(state) - supremum
        return Reading(answer, ratio, threshold, math.exp(min(0.0, price - ratio)), rival)

    def _height(self, state: State) -> float:
        """Log-likelihood of the best fit in the ball: on the sphere it is a ridge fit, whose penalty is found by bisection."""
        if np.linalg.norm(self.metric @ state.fit.theta) <= self.radius:
            return state.fit.log_likelihood
        gram, start = self.metric.T @ self.metric, state.fit.theta

        def ridge(strength: float) -> Array:
            penalty = strength * gram
            return maximum_likelihood(state.points, state.trials, state.successes, start=start, precision=penalty).theta

        low, high = 0.0, 1.0
        while np.linalg.norm(self.metric @ ridge(high)) > self.radius:
            low, high = high, 4.0 * high
        while high - low > 1e-9 * high:
            middle = 0.5 * (low + high)
            if np.linalg.norm(self.metric @ ridge(middle)) > self.radius:
                low = middle
            else:
                high = middle
        return log_likelihood(state.points, state.trials, state.successes, ridge(high))  # inside the ball: not too high
