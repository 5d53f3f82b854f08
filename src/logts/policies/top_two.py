"""Top-two sampling: after Russo, "Simple Bayesian algorithms for best-arm identification" (2016).

From the source, as it is commonly told: the leader is the answer at a draw from the posterior, the challenger
that at the first later draw with another answer, and each gets half of the trials. It is meant for arms that
share nothing; ``play="pair"`` is that rule. That the nearest alternative stands in when a hundred draws bring
no challenger is after the top-two rules with a transport cost (Shang et al. 2020).

The rest is a guess at what the rule means with features, and for any question made of half-spaces. The
posterior is ``N(theta, H^-1)`` at the last estimate. Two draws have different answers if they lie deepest in
different half-spaces; for the best item this is exact. With ``play="informative"`` the arm is tried of which
one trial takes most off the variance of ``y.theta``, y the normal of the half-space that parts leader and
challenger. Where arms share features a third one may tell more about the two than both: ``"pair"`` then takes
up to fifty times the samples. With more than 1,000 half-spaces the 256 nearest count. The stopping rule is
that of this package.
"""

from typing import Literal, Unpack

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import BestArm, Problem
from logts.sampling.top_two import LeaderAndChallenger


@POLICIES.enter("top-two")
def TopTwo(
    arms: Arms,
    problem: Problem,
    *,
    play: Literal["informative", "pair"] = "informative",
    **settings: Unpack[Settings],
) -> TrackAndStop:
    """A leader and a challenger, drawn from the posterior.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    play
        ``"informative"``: the arm that tells most about the two. ``"pair"``: one of the two, by chance; for
        the best of the arms.
    **settings
        Those of :class:`logts.LogTS`, without ``design`` and ``schedule``. Draws depend on ``rng`` alone.
    """
    if play not in ("informative", "pair"):
        raise ValueError(f"play must be 'informative' or 'pair'; got {play!r}")
    pair = play == "pair"
    if pair and not (isinstance(problem, BestArm) and arms.items.points is arms.points):
        raise ValueError(
            "play='pair' tries the items in question: it needs BestArm and items that are arms; got "
            f"{problem!r}"
        )

    def sampler(among: Arms, rng: np.random.Generator) -> LeaderAndChallenger:
        return LeaderAndChallenger(among, pair=pair, rng=rng.spawn(1)[0])

    return TrackAndStop(arms, problem, sampler, **settings)
