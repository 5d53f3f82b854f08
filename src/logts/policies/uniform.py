"""All arms equally often: what an experimenter does without an algorithm, here with the same proof at the end."""

from typing import Unpack

from logts.arms import Arms
from logts.policies.sequential import Sequential, Settings
from logts.problems import Problem
from logts.sampling import Even, Sampler


class Uniform(Sequential):
    """Every arm in turn; the settings are those of :class:`logts.LogTS`."""

    def __init__(self, arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> None:
        super().__init__(arms, problem, **settings)

    def make_sampler(self, arms: Arms) -> Sampler:
        return Even(arms.points)
