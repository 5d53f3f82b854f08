"""All arms equally often: what one does without an algorithm, with the same proof at the end."""

from typing import Unpack

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling import Even


@POLICIES.enter("uniform")
def Uniform(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """Every arm in turn.

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
    >>> runs = logts.simulate("uniform", arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """
    return TrackAndStop(arms, problem, lambda among, _: Even(among), alone=True, **settings)
