"""The oracle: weights that are optimal at the true parameter, told beforehand.

No algorithm, but a yardstick for algorithms.

The weights are those of the exact lower bound, divergence KL, within a thousandth. What the oracle needs
beyond that bound is the price of the stopping rule; what others need beyond the oracle is the price of not
knowing the parameter.
"""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.design import Design, Game, solve
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Posed, Problem, Question
from logts.sampling import OptimalTracking, Sampler
from logts.sampling.tracking import Tracker
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status


class FixedWeights:
    """The arms that bring the trials nearest to the weights of one design."""

    def __init__(self, arms: Arms, design: Design) -> None:
        self._tracker = Tracker(arms.points, arms.spanning)
        self._tracker.aim(design.weights)
        self.characteristic_time = design.characteristic_time

    def next(self, n: int) -> Indices:
        return self._tracker.next(n)

    def learn(self, posed: Posed, trials: Array) -> None:
        pass

    def patience(self, t: int) -> float:
        return np.inf


TOLERANCE = 1e-3


@POLICIES.enter("oracle")
def Oracle(arms: Arms, problem: Problem, *, theta: ArrayLike, **settings: Unpack[Settings]) -> TrackAndStop:
    """Tracks the optimal weights at the true parameter.

    Should the model fail, it knows nothing: then at the estimate.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    theta
        The true parameter, one number for each feature.
    **settings
        Those of :class:`logts.LogTS`, without ``design`` and ``schedule``.

    Returns
    -------
    TrackAndStop
        The policy.

    Examples
    --------
    >>> import functools, logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> policy = functools.partial(logts.policies.Oracle, theta=[1.0, 0.5])
    >>> runs = logts.simulate(policy, arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """
    truth = arms.coordinates(theta)
    saturated = arms.dimension == len(arms)

    def sampler(among: Arms, _: np.random.Generator) -> Sampler:
        if among is arms:
            return _at(among, truth, problem)
        if saturated:  # the same truth, where every arm has a parameter of its own
            return _at(among, among.coordinates(arms.points @ truth[: arms.dimension]), problem)
        return OptimalTracking(among, divergence="kl", schedule="certificate")

    return TrackAndStop(arms, problem, sampler, **settings)


def _at(arms: Arms, truth: Array, problem: Problem) -> Sampler:
    """The weights that are optimal at the truth, to be tracked."""
    posed = Question(problem, arms).pose(truth)
    if posed.status is Status.ALREADY_KNOWN:
        return OptimalTracking(arms, divergence="kl", schedule="certificate")
    if posed.status is not Status.CONVERGED:
        raise ValueError(
            f"theta must have an answer; at the one given {' and '.join(posed.rivals)}: {posed.status}"
        )
    game = Game(arms.points, posed.theta, posed.alternatives, "kl")
    design = solve(game, arms.spanning, tolerance=TOLERANCE)
    if not np.isfinite(design.characteristic_time):
        raise ValueError(f"theta must leave the arms some information; at the one given: {design.status}")
    return FixedWeights(arms, design)
