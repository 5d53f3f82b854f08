"""Rounds of trials that settle items by a linear model: what RAGE and MELK share.

Outcomes count as +1 (yes) and -1 (no), and the model is ``E[outcome] = x.theta``. Such outcomes less their
mean are 1-sub-Gaussian (Hoeffding), whatever the rate. In round k = 1, 2, ..., with rows y to be known to
within 2^-k,

    rho = min_w max_y |y|^2   in the norm of (sum_x w_x x x')^-1,
    n_k = max{ceil(8 (2^{k-1})^2 (1 + eps) rho L_k), 2 l / eps},   L_k = log(2 / failure of one y),

l the number of arms with weight. The n_k trials are split by Pukelsheim's efficient rounding, which costs a
factor 1 + eps at most, and theta_k is the least-squares estimate from them alone. For one y,

    P(|y.(theta_k - theta)| > reach) <= 2 exp(-L_k),   reach = sqrt(2 |y|^2_{A_k^-1} L_k),

A_k the sum of x x' over the round. The reach of every row is at most 2^-k, because ``|y|^2 <= (1 + eps) rho /
n_k``. What a round settles it settles by its reach.

Where the logit and not the rate is linear, theta does not exist and nothing is guaranteed; the least-squares
estimate then tends to something that depends on the split. One case is safe: arms with a rate each, judged
themselves, for any rates are linear there.
"""

import math
from abc import abstractmethod

import numpy as np

from logts.arms import Arms
from logts.evidence.tally import Tally
from logts.judge import Verdict
from logts.policies.staged import Found, Staged, narrowest, rounded
from logts.problems import Problem
from logts.tools.algebra import Array

EPS = 0.1
FURTHEST = 40  # rounds; differences of 2^-40 are below rounding


class LinearRounds(Staged):
    """Rounds at whose end items are settled by a linear model; the confidence is then 1 - delta."""

    def __init__(
        self, arms: Arms, problem: Problem, *, delta: float = 0.05, max_trials: int | None = None
    ) -> None:
        if arms.items.points.shape[1] > arms.dimension:
            raise ValueError(
                f"{self.rule} answers about items in the span of the arms; got items that reach beyond it"
            )
        self._separate = arms.dimension == len(arms) and arms.own_items
        self.assumes = (
            "independent outcomes; every arm has a rate of its own, so that a linear model holds"
            if self._separate
            else "independent outcomes with a rate linear in the features; where the logit is, no guarantee"
        )
        self._round = 1
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)

    @abstractmethod
    def rows(self) -> Array:
        """The rows y that this round is to know to within 2^-k.

        Returns
        -------
        Array
            A row for each.
        """

    @abstractmethod
    def failure(self) -> float:
        """How improbable it must be that one of them is further off in this round.

        Returns
        -------
        float
            A probability.
        """

    @abstractmethod
    def settle(self, theta: Array, reach: Array) -> Found | None:
        """Settle what this round can, each of whose rows is known to within its reach.

        Parameters
        ----------
        theta
            The estimate.
        reach
            How far off it may be in the direction of each row.

        Returns
        -------
        tuple or None
            The answer, if nothing is left to settle.
        """

    def first_plan(self) -> Array:
        """The first round.

        Returns
        -------
        Array
            Trials of each arm.
        """
        return self._plan_of_round()

    def conclude(self) -> Verdict | None:
        here = self._of_this_stage
        rows = self.rows()
        covariance = np.linalg.pinv(gram(self.arms.points, here), hermitian=True)
        spread = np.einsum("jd,de,je->j", rows, covariance, rows)
        reach = np.sqrt(2.0 * spread * math.log(2.0 / self.failure()))
        found = self.settle(least_squares(self.arms.points, here), reach)
        if found is not None:
            reason = f"round {self._round} settled the last item"
            return self._decide(found, 1.0 - self.delta, reason, proven=self._separate)
        if self._round == FURTHEST:
            reason = f"{FURTHEST} rounds settled nothing: items are equal in the linear model"
            return self._decide(self.guess(), 0.0, reason, proven=False)
        self._round += 1
        self._begin(self._plan_of_round())
        return None

    def _plan_of_round(self) -> Array:
        # At theta = 0 every slope is 1/4, and the information of the logistic model that of this one over 4.
        weights, width = narrowest(self.arms, np.zeros(self.arms.dimension), self.rows())
        rho = 0.25 * width
        wanted = 8.0 * 4.0 ** (self._round - 1) * (1.0 + EPS) * rho * math.log(2.0 / self.failure())
        return rounded(weights, math.ceil(max(wanted, 2.0 * np.count_nonzero(weights) / EPS)))

    def _rates(self, theta: Array) -> Array:
        return np.clip(0.5 * (1.0 + self.arms.items.points @ theta), 0.0, 1.0)


def gram(points: Array, tally: Tally) -> Array:
    """The sum of x x' over all trials."""
    return points.T @ (tally.trials[:, None] * points)


def least_squares(points: Array, tally: Tally) -> Array:
    """The least-squares estimate where an outcome counts as +1 or -1."""
    moment = points.T @ (2.0 * tally.successes - tally.trials)
    return np.asarray(np.linalg.pinv(gram(points, tally), hermitian=True) @ moment)
