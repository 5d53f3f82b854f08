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

``min_j psi_j(x)`` has kinks, so a step looks at all half-spaces within ``r`` of the minimum. It goes towards
the mixture ``z`` of arms with the largest ``min_j (z - x).grad psi_j``: one arm if one half-space is that
near, a matrix game otherwise.
"""

from typing import Unpack

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Problem
from logts.sampling.matrix_game import best_mixture, least_of
from logts.sampling.rounds import Field, Parts, Rivals, RoundByRound, costs, named, payoffs
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

MOST = 32  # half-spaces in the game of one round: while more are within r, it is halved


class OneStep(RoundByRound):
    """The sampling rule. While there is no estimate, all arms in turn."""

    def __init__(self, arms: Arms) -> None:
        super().__init__(arms)
        self._iterate = np.full(len(arms), 1.0 / len(arms))

    @property
    def _weights(self) -> Array:
        return self._iterate

    def _rounds(self, n: int) -> Indices:
        return _play(n, self._parts, self._iterate, self._made)


@compiled
def _play(n: int, parts: Parts, x: Array, made: Array) -> Indices:
    """Move the iterate ``x`` round by round; the arm that lags most behind it is tried."""
    field, rivals, _ = named(parts)
    out = np.empty(n, dtype=np.intp)
    z = np.empty(x.size)
    t = made.sum()
    for s in range(n):
        turn = np.floor(t / x.size)
        if rivals.margins.size == 0 or np.floor(np.sqrt(turn)) ** 2 == turn:
            z[:] = 1.0 / x.size
        else:
            _direction(field, rivals, x, t**-0.9 / x.size, z)
        t += 1.0
        best = -1.0
        chosen = 0
        for k in range(x.size):
            x[k] += (z[k] - x[k]) / t
            lag = x[k] / made[k] if made[k] > 0.0 else np.inf
            if lag > best:
                best = lag
                chosen = k
        made[chosen] += 1.0
        out[s] = chosen
    return out


@compiled
def _direction(field: Field, rivals: Rivals, x: Array, r: float, z: Array) -> None:
    """Overwrite ``z`` with the best mixture of arms against every half-space within ``r`` of the nearest."""
    points, slopes = field
    factor = np.empty((points.shape[1], points.shape[1]))
    psi = costs(points, x * slopes, rivals, factor)
    least = least_of(psi)
    if not least > 0.0:  # rates next to 0 or 1, which say nothing
        z[:] = 1.0 / x.size
        return
    while _count(psi, least + r) > MOST and r > 1e-9 * least:
        r *= 0.5
    pay = np.empty((MOST, x.size))
    near = 0
    for j in range(psi.size):
        if psi[j] <= least + r and near < MOST:
            payoffs(field, rivals, j, psi[j], factor, pay[near])
            for k in range(x.size):
                pay[near, k] -= psi[j]  # x.grad psi_j = psi_j
            near += 1
    best_mixture(pay[:near], z)


@compiled
def _count(values: Array, limit: float) -> int:
    count = 0
    for value in values:
        count += value <= limit
    return count


@POLICIES.enter("frank-wolfe")
def FrankWolfeSampling(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """One Frank-Wolfe step a round.

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
    >>> runs = logts.simulate("frank-wolfe", arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """
    return TrackAndStop(arms, problem, lambda among, _: OneStep(among), **settings)
