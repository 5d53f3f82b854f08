"""Lazy track-and-stop: Jedra and Proutiere, "Optimal best-arm identification in linear bandits" (2020).

From the source: optimal weights at the estimate are computed when t = 2^k; in between their sum is tracked,
and spanning arms are tried in turn while ``lambda_min(A_t) < c sqrt(t)``. Log-TS tracks in the same way, so
that the two differ in the schedule alone.

Generalised from the linear to the logistic model: ``H(theta)`` instead of A in the weights. Questions are any
made of half-spaces.

Choices of this package: the first look after t = 2^k computes the weights, to within 2% of the optimum; the
spanning arms are chosen far apart, not at random. The stopping rule is that of this package.
"""

from typing import Unpack

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling import OptimalTracking


@POLICIES.enter("lazy-track-and-stop")
def LazyTrackAndStop(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """Optimal weights, computed anew when t has doubled.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    **settings
        Those of :class:`logts.LogTS`, without ``design`` and ``schedule``.

    Returns
    -------
    TrackAndStop
        The policy.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> runs = logts.simulate("lazy-track-and-stop", arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """

    def tracking(among: Arms, _: np.random.Generator) -> OptimalTracking:
        return OptimalTracking(among, divergence="quadratic", schedule="doubling")

    return TrackAndStop(arms, problem, tracking, **settings)
