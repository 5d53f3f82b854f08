"""What tests of policies share: the questions, and a policy played to its verdict."""

import numpy as np

from logts import BestArm, Policy, Problem, Ranking, Threshold, TopM, Verdict, VersusControl
from logts.tools.algebra import Array

PROBLEMS: list[Problem] = [
    BestArm(),
    BestArm(0.3),
    TopM(2),
    Threshold(0.45),
    VersusControl(0),
    Ranking(),
]


def play(policy: Policy, rates: Array, seed: int) -> Verdict:
    """The verdict after outcomes drawn with these rates."""
    rng = np.random.default_rng(seed)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    return policy.verdict
