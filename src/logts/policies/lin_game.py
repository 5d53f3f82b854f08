"""LinGame: Degenne, Menard, Shang and Valko, "Gamification of pure exploration for linear bandits" (2020).

From a public program of the authors (the paper's text was not at hand): one AdaHedge over the arms for each
answer; nature's best response to its weights at the estimate; gains ``(|x.u| + sqrt(2 log(t) |x|^2))^2 / 2``,
``u`` her step and ``|x|`` in the metric of the inverse information, and at most ``log t``; tracking of the
sum of the weights; no forced exploration, for optimism sees to that.

Generalised from the linear to the logistic model: the information is ``H(theta)``, and both parts of a gain
carry the ``mu'`` of the arm. Questions are any made of half-spaces.

Choices of this package: the estimate stays between two looks at the evidence, while learner, information and
tracking go on in every round; AdaHedge starts without a scale, as its inventors have it (de Rooij et al.
2014), where the program starts at 0.01; the spanning arms in turn until there is an estimate, where the
program tries every arm once; with more than 1,000 half-spaces nature responds within the 256 nearest, chosen
anew every sixteen rounds. The stopping rule is that of this package.
"""

from typing import Unpack

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling.lin_game import NoRegret


@POLICIES.enter("lin-game")
def LinGame(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """A learner without regret against the closest alternative.

    The settings are those of :class:`logts.LogTS`.
    """
    return TrackAndStop(arms, problem, lambda among, _: NoRegret(among), **settings)
