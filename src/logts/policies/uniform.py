"""All arms equally often: what one does without an algorithm, with the same proof at the end."""

from typing import Unpack

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling import Even


@POLICIES.enter("uniform")
def Uniform(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """Every arm in turn; the settings are those of :class:`logts.LogTS`."""
    return TrackAndStop(arms, problem, lambda among, _: Even(among), alone=True, **settings)
