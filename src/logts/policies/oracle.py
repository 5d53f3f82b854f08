"""The oracle: weights that are optimal at the true parameter, told beforehand. No algorithm, but a yardstick for algorithms.

The weights are those of the exact lower bound, divergence KL, within a thousandth. What the oracle needs beyond that bound is the
price of the stopping rule; what others need beyond the oracle is the price of not knowing the parameter.
"""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.design import Game, solve
from logts.policies.sequential import Sequential, Settings
from logts.problems import Problem, Question
from logts.sampling import OptimalTracking, Sampler
from logts.sampling.oracle import FixedWeights
from logts.tools.status import Status

TOLERANCE = 1e-3


class Oracle(Sequential):
    """Tracks the optimal weights at the true parameter. Should the model fail, it knows nothing: then those at the estimate.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    theta
        The true parameter, one number for each feature.
    **settings
        Those of :class:`logts.LogTS`, without ``design`` and ``schedule``.
    """

    def __init__(self, arms: Arms, problem: Problem, *, theta: ArrayLike, **settings: Unpack[Settings]) -> None:
        self._truth = arms.coordinates(theta)
        super().__init__(arms, problem, **settings)

    def make_sampler(self, arms: Arms) -> Sampler:
        posed = Question(self.problem, arms).pose(self._truth) if arms is self.arms else None
        if posed is None or posed.status is Status.ALREADY_KNOWN:
            return OptimalTracking(arms, exact=True, schedule="certificate")
        if posed.status is not Status.CONVERGED:
            raise ValueError(f"theta must have an answer; at the one given {' and '.join(posed.rivals)}: {posed.status}")
        design = solve(Game(arms.points, posed.theta, posed.alternatives, True), arms.spanning, tolerance=TOLERANCE)
        if not np.isfinite(design.characteristic_time):
            raise ValueError(f"theta must leave the arms some information; at the one given: {design.status}")
        return FixedWeights(arms, design)
