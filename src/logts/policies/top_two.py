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

A draw from ``N(theta, H^-1)`` is known by the half-space in which it lies deepest, or by none: then the
answer at theta holds for it. For the best item these are the possible answers themselves. The leader is a
draw, the challenger the first later one that differs from it; if a hundred do not, it is the alternative
nearest to theta.
"""

from typing import Literal, Unpack

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import BestArm, Problem
from logts.sampling.rounds import Field, Known, Parts, Rivals, RoundByRound, absorb, named
from logts.tools.algebra import Array, Indices, dot
from logts.tools.compiling import compiled

SHARE = 0.5  # of the trials, for the leader
TRIES = 100


class LeaderAndChallenger(RoundByRound):
    """The sampling rule. While there is no estimate, the spanning arms in turn.

    Parameters
    ----------
    arms
        What can be tried.
    pair
        Try the leader's arm or the challenger's, where the best of the arms is sought. Otherwise the arm that
        takes most off the variance of ``y.theta``, y the normal of the half-space that parts the two.
    rng
        Source of the draws.
    """

    def __init__(self, arms: Arms, *, pair: bool, rng: np.random.Generator) -> None:
        super().__init__(arms)
        self._pair = pair
        self._rng = rng
        # If arms are paired: that of each half-space, and last that of the answer.
        self._seats = np.empty(0, dtype=np.intp)

    def _write_out(self, weights: Array) -> None:
        super()._write_out(weights)
        if self._pair and self._posed is not None and self._posed.answer is not None:
            rivals = [rival for _, rival in self._rivals.about]
            self._seats = np.array([*rivals, *self._posed.answer.items], dtype=np.intp)

    def _rounds(self, n: int) -> Indices:
        if self._posed is None:
            turns = (int(self._clock[0]) + np.arange(n)) % len(self._spanning)
            self._clock += n
            return self._spanning[turns]
        whitened = self._rivals.normals @ self._root
        return _play(n, self._rng, self._parts, whitened, self._seats)


@compiled
def _play(n: int, rng: np.random.Generator, parts: Parts, whitened: Array, seats: Indices) -> Indices:
    """Play rounds; ``whitened`` are the normals where the posterior is standard normal."""
    field, rivals, known = named(parts)
    margins = rivals.margins
    out = np.empty(n, dtype=np.intp)
    reach = np.inf
    for j in range(margins.size):
        reach = min(reach, margins[j] ** 2 / dot(whitened[j], whitened[j]))
    for s in range(n):
        leader = challenger = _draw(rng, margins, whitened, reach)
        tries = 0
        while challenger == leader and tries < TRIES:
            challenger = _draw(rng, margins, whitened, reach)
            tries += 1
        if challenger == leader:
            challenger = -1 if leader >= 0 else _nearest(rivals, known.covariance)
        if seats.size > 0:
            out[s] = seats[leader] if rng.random() < SHARE else seats[challenger]
        else:
            out[s] = narrows_most(field, known, rivals.normals, leader, challenger)
        absorb(known, field, out[s])
    return out


@compiled
def _draw(rng: np.random.Generator, margins: Array, whitened: Array, reach: float) -> int:
    """Draw a parameter; the half-space in which it lies deepest, -1 if in none.

    None begins within ``reach``.
    """
    z = np.empty(whitened.shape[1])
    for i in range(z.size):
        z[i] = rng.standard_normal()
    found = -1
    if dot(z, z) >= reach:
        deepest = 0.0
        for j in range(margins.size):
            depth = margins[j] + dot(whitened[j], z)
            if depth < deepest:
                deepest = depth
                found = j
    return found


@compiled
def _nearest(rivals: Rivals, covariance: Array) -> int:
    """The half-space at the smallest distance from the estimate, with all trials made so far."""
    normals, margins = rivals
    least = np.inf
    found = 0
    for j in range(margins.size):
        distance = margins[j] ** 2 / dot(normals[j], np.dot(covariance, normals[j]))
        if distance < least:
            least = distance
            found = j
    return found


@compiled
def narrows_most(field: Field, known: Known, normals: Array, leader: int, challenger: int) -> int:
    """The arm that takes most off the variance of ``y.theta``: ``mu' (x'H^-1 y)^2 / (1 + mu' x'H^-1 x)``."""
    points, slopes = field
    covariance, widths = known
    y = np.zeros(points.shape[1])
    if challenger >= 0:
        y += normals[challenger]
    if leader >= 0:
        y -= normals[leader]
    pull = np.dot(covariance, y)
    most = -1.0
    found = 0
    for k in range(slopes.size):
        taken = slopes[k] * dot(points[k], pull) ** 2 / (1.0 + slopes[k] * widths[k])
        if taken > most:
            most = taken
            found = k
    return found


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

    Returns
    -------
    TrackAndStop
        The policy.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> runs = logts.simulate("top-two", arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """
    if play not in ("informative", "pair"):
        raise ValueError(f"play must be 'informative' or 'pair'; got {play!r}")
    pair = play == "pair"
    if pair and not (isinstance(problem, BestArm) and arms.own_items):
        raise ValueError(
            "play='pair' tries the items in question: it needs BestArm and items that are arms; got "
            f"{problem!r}"
        )

    def sampler(among: Arms, rng: np.random.Generator) -> LeaderAndChallenger:
        return LeaderAndChallenger(among, pair=pair, rng=rng.spawn(1)[0])

    return TrackAndStop(arms, problem, sampler, **settings)
