"""Frank-Wolfe sampling: Wang, Tzeng and Proutiere, "Fast pure exploration via Frank-Wolfe" (2021).

From the authors' public program (the paper's text was not at hand), with K arms: in round t the iterate x
moves by a share ``1/t`` towards the mixture ``z`` of arms with the largest ``min (z - x).g``, g in the convex
hull of the gradients of all ``psi_j`` within ``r = t^-0.9 / K`` of the smallest. While ``floor(t/K)`` is a
perfect square, z is even. Then the arm with the largest ``x / N`` is tried. The hull makes a matrix game: z
is a single arm if a single half-space is that near, and in general a mixture of as many arms as there are
half-spaces.

Generalised from the linear to the logistic model: ``psi_j`` is quadratic in the metric ``H_x(theta)``.
Questions are any made of half-spaces.

Choices of this package: the estimate stays between two looks at the evidence, while steps and tracking go on
in every round; at most 32 half-spaces enter a game, r being halved while there are more; with more than 1,000
half-spaces only the 256 nearest are looked at, chosen anew every sixteen rounds; at a tie the last estimate
stays, where the program has z even. The stopping rule is that of this package.
"""

from typing import Unpack

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling.frank_wolfe import OneStep


@POLICIES.enter("frank-wolfe")
def FrankWolfeSampling(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """One Frank-Wolfe step a round; the settings are those of :class:`logts.LogTS`."""
    return TrackAndStop(arms, problem, lambda among, _: OneStep(among), **settings)
