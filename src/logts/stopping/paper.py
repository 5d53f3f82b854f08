"""The paper's rule (section 5.1): a threshold on the quadratic statistic at theta^(1).

    Ochoa Rivera and Tewari, "Near Optimal Pure Exploration in Logistic Bandits".

``Z(t) = min_j margin_j^2 / (2 |y_j|^2_{H^-1})`` at theta^(1), ``beta = 2 ((1 + 2S) gamma)^2`` and, by Lemma
1, ``gamma = sqrt(l)/2 + 4/sqrt(l) log(2^d/delta (t/(4 l d))^(d/2))`` with ``l = lambda(t) = d log t``. The
proofs use the square of ``(1+2S) gamma`` here and its first power there; only the square is proven. Lemma 1
is proven for constant lambda.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Posed
from logts.logistic.fit import information
from logts.logistic.projection import project
from logts.stopping.base import Case, Reading, StoppingRule, constant, rule
from logts.tools.algebra import Array, cholesky


@dataclass(frozen=True)
class _OnProjection(StoppingRule):
    """``Z(t) > beta(delta, t)`` once there is enough information.

    How much that is the two rules say differently.

    Parameters
    ----------
    radius
        ``S``, a bound on ``|theta|`` in the units of the features.
    """

    radius: float = constant("a bound on the norm of theta", above=0.0)

    forecasts = False

    @abstractmethod
    def enough_information(self, case: Case, h: Array, regularisation: float) -> bool:
        """The side condition, given ``H(theta^(1))`` and ``lambda(t)``."""

    @property
    def bounds(self) -> str:
        """What both rules assume, in words."""
        return f"the logistic model, |theta| <= {self.radius:g} and |x| <= 1 in the units of the features"

    def estimate(self, case: Case) -> Array:
        """theta^(1), in the package's coordinates; it exists for separable outcomes too."""
        # X such that x.(metric theta) is the logit.
        isometric = np.linalg.solve(case.metric.T, case.points.T).T
        found = project(np.ascontiguousarray(isometric), case.tally.trials, case.tally.successes, self.radius)
        return np.linalg.solve(case.metric, found.theta)

    def read(self, case: Case, posed: Posed | None) -> Reading:
        d = len(case.fit.theta)
        t = max(case.tally.total, 2.0)
        regularisation = d * math.log(t)  # lambda(t)
        root = math.sqrt(regularisation)
        fixed = root / 2 + 4 / root * (d * math.log(2) + d / 2 * math.log(t / (4 * regularisation * d)))
        gamma = fixed + 4 / root * math.log(1 / case.delta)  # Lemma 1
        beta = 2 * ((1 + 2 * self.radius) * gamma) ** 2
        if posed is None:
            return Reading.of_nothing(beta)
        h = information(case.points, case.tally.trials, posed.theta)
        if not self.enough_information(case, h, regularisation) or not cholesky(h):
            return Reading.of_nothing(beta)
        nearest, distances = posed.alternatives.nearest(posed.theta, h, 1)
        z = float(distances[0])
        # The delta at which beta would be Z.
        exponent = (math.sqrt(z / 2) / (1 + 2 * self.radius) - fixed) * root / 4
        rival = tuple(posed.alternatives.take(nearest).about[0])
        return Reading(posed.answer, z, beta, math.exp(min(0.0, -exponent)), rival)


@rule
@dataclass(frozen=True)
class Paper(_OnProjection):
    """The rule as stated: ``lambda_min(A_t) > kappa_0 lambda(t)`` at t, for the set B looks at the future."""

    kappa: float = constant("the largest 1/mu' over the arms (at least 4)", at_least=4.0)

    name = "paper"
    proven = True

    @property
    def assumes(self) -> str:
        return (
            f"{self.bounds}, 1/mu' <= {self.kappa:g}, and Lemma 1, which is proven for constant lambda only"
        )

    def enough_information(self, case: Case, h: Array, regularisation: float) -> bool:
        a = (case.points * case.tally.trials[:, None]).T @ case.points
        return _smallest_eigenvalue(case, a) > self.kappa * regularisation


@rule
@dataclass(frozen=True)
class PaperPractical(_OnProjection):
    """The rule of the paper's experiments: ``lambda_min(H(theta^(1))) > lambda(t)``, a heuristic."""

    name = "paper-practical"

    @property
    def assumes(self) -> str:
        return f"{self.bounds}; its side condition is a heuristic, so this is not a guarantee"

    def enough_information(self, case: Case, h: Array, regularisation: float) -> bool:
        return _smallest_eigenvalue(case, h) > regularisation


def _smallest_eigenvalue(case: Case, matrix: Array) -> float:
    """In the user's units: of ``M^-T A M^-1``, M the metric."""
    half = np.linalg.solve(case.metric.T, matrix)
    return float(np.linalg.eigvalsh(np.linalg.solve(case.metric.T, half.T))[0])
