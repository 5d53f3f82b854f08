"""The paper's rule (section 5.1): a threshold on the quadratic statistic at theta^(1).

    Ochoa Rivera and Tewari, "Near Optimal Pure Exploration in Logistic Bandits".

``Z(t) = min_j margin_j^2 / (2 |y_j|^2_{H^-1})`` at theta^(1), ``beta = 2 ((1 + 2S) gamma)^2`` and, by Lemma 1,
``gamma = sqrt(l)/2 + 4/sqrt(l) log(2^d/delta (t/(4 l d))^(d/2))`` with ``l = lambda(t) = d log t``. The proofs use the square of
``(1+2S) gamma`` here and its first power there; only the square is proven. Lemma 1 is proven for constant lambda.
"""

import math
from dataclasses import dataclass

import numpy as np

from logts.logistic.fit import information
from logts.logistic.projection import project
from logts.stopping.base import Reading, State, nothing
from logts.tools.algebra import Array, cholesky


@dataclass(frozen=True)
class Paper:
    """``Z(t) > beta(delta, t)`` with the side condition that there is enough information.

    Parameters
    ----------
    radius
        ``S``, a bound on ``|theta|`` in the units of the features.
    metric
        Map from the package's coordinates to features with the same norm as the user's.
    kappa
        ``kappa_0``, the largest ``1/mu'`` over the arms; None for the rule of the paper's experiments, which asks
        ``lambda_min(H(theta^(1))) > lambda(t)`` instead of ``lambda_min(A) > kappa_0 lambda(t)``.
    """

    radius: float
    metric: Array
    kappa: float | None = None

    @property
    def name(self) -> str:
        return "paper-practical" if self.kappa is None else "paper"

    @property
    def proven(self) -> bool:
        return self.kappa is not None

    @property
    def forecasts(self) -> bool:
        return False

    @property
    def assumes(self) -> str:
        bound = f"the logistic model, |theta| <= {self.radius:g} and |x| <= 1 in the units of the features"
        if self.kappa is None:
            return f"{bound}; its side condition is a heuristic, so this is not a guarantee"
        return f"{bound}, 1/mu' <= {self.kappa:g}, and Lemma 1, which is proven for constant lambda only"

    def _projection(self, state: State) -> Array:
        """theta^(1), in the package's coordinates."""
        isometric = np.linalg.solve(self.metric.T, state.points.T).T  # x such that x.(metric theta) is the logit
        found = project(np.ascontiguousarray(isometric), state.trials, state.successes, self.radius)
        return np.linalg.solve(self.metric, found.theta)

    def read(self, state: State) -> Reading:
        d, t = len(state.fit.theta), max(state.total, 2.0)
        spread = d * math.log(t)
        fixed = math.sqrt(spread) / 2 + 4 / math.sqrt(spread) * (d * math.log(2) + d / 2 * math.log(t / (4 * spread * d)))
        gamma = fixed + 4 / math.sqrt(spread) * math.log(1 / state.delta)
        threshold = 2 * ((1 + 2 * self.radius) * gamma) ** 2
        theta = self._projection(state)
        h = information(state.points, state.trials, theta)
        posed = state.pose(theta)
        if posed is None or not self._enough_information(state, h, spread) or not cholesky(h):
            return nothing(threshold, theta)
        nearest, distances = posed[1].nearest(theta, h, 1)
        z = float(distances[0])
        # The delta at which beta would equal Z.
        exponent = (math.sqrt(z / 2) / (1 + 2 * self.radius) - fixed) * math.sqrt(spread) / 4
        return Reading(posed[0], z, threshold, math.exp(min(0.0, -exponent)), tuple(posed[1].take(nearest).about[0]), theta)

    def _enough_information(self, state: State, h: Array, spread: float) -> bool:
        matrix = h if self.kappa is None else (state.points * state.trials[:, None]).T @ state.points
        half = np.linalg.solve(self.metric.T, matrix)  # M^-T A, then M^-T A M^-1: the matrix in the user's units
        smallest = float(np.linalg.eigvalsh(np.linalg.solve(self.metric.T, half.T))[0])
        return smallest > (1.0 if self.kappa is None else self.kappa) * spread
