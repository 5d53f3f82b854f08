"""LinGame: Degenne, Menard, Shang and Valko, "Gamification of pure exploration for linear bandits" (2020)."""

from typing import Unpack

from logts.arms import Arms
from logts.policies.sequential import Sequential, Settings
from logts.problems import Problem
from logts.sampling.lin_game import NoRegret
from logts.sampling import Sampler


class LinGame(Sequential):
    """x"""

    def __init__(self, arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> None:
        super().__init__(arms, problem, **settings)

    def make_sampler(self, arms: Arms) -> Sampler:
        return NoRegret(arms)
