"""Top-two sampling with a Laplace posterior: a leader and a challenger, drawn at random, share the trials.

A draw from ``N(theta, H^-1)`` is known by the half-space in which it lies deepest, or by none: then the answer at theta holds for
it. For the best item these are the possible answers themselves. The leader is a draw, the challenger the first later one that
differs from it; if a hundred do not, it is the alternative nearest to theta.
"""

import numpy as np

from logts.arms import Arms
from logts.sampling.rounds import RoundByRound, absorb
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
        Try the leader's arm or the challenger's, where the best of the arms is sought. Otherwise the arm that takes most off the
        variance of ``y.theta``, y the normal of the half-space that parts the two.
    rng
        Source of the draws.
    """

    def __init__(self, arms: Arms, *, pair: bool, rng: np.random.Generator) -> None:
        super().__init__(arms)
        self._pair, self._rng = pair, rng
        self._seats = np.empty(
            0, dtype=np.intp
        )  # if arms are paired: that of each half-space, and last that of the answer

    def _write_out(self, weights: Array) -> None:
        super()._write_out(weights)
        if self._pair and self._posed is not None and self._posed.answer is not None:
            self._seats = np.array(
                [rival for _, rival in self._rivals.about] + list(self._posed.answer.items), dtype=np.intp
            )

    def _rounds(self, n: int) -> Indices:
        if self._posed is None:
            turns = (int(self._clock[0]) + np.arange(n)) % len(self._spanning)
            self._clock += n
            return self._spanning[turns]
        normals, spread = self._rivals.normals, self._rivals.normals @ self._root
        fixed = self._points, self._slopes, normals, self._margins, spread, self._seats
        return _play(n, self._rng, *fixed, self._covariance, self._widths)


@compiled
def _play(
    n: int,
    rng: np.random.Generator,
    points: Array,
    slopes: Array,
    normals: Array,
    margins: Array,
    spread: Array,
    seats: Indices,
    covariance: Array,
    widths: Array,
) -> Indices:
    out = np.empty(n, dtype=np.intp)
    reach = np.inf
    for j in range(margins.size):
        reach = min(reach, margins[j] ** 2 / dot(spread[j], spread[j]))
    for s in range(n):
        leader = challenger = _draw(rng, margins, spread, reach)
        tries = 0
        while challenger == leader and tries < TRIES:
            challenger = _draw(rng, margins, spread, reach)
            tries += 1
        if challenger == leader:
            challenger = -1 if leader >= 0 else _nearest(normals, margins, covariance)
        if seats.size > 0:
            out[s] = seats[leader] if rng.random() < SHARE else seats[challenger]
        else:
            out[s] = narrows_most(points, slopes, widths, covariance, normals, leader, challenger)
        absorb(covariance, widths, points, slopes, out[s])
    return out


@compiled
def _draw(rng: np.random.Generator, margins: Array, spread: Array, reach: float) -> int:
    """Draw a parameter; the half-space in which it lies deepest, -1 if in none. None begins within ``reach``."""
    z = np.empty(spread.shape[1])
    for i in range(z.size):
        z[i] = rng.standard_normal()
    found = -1
    if dot(z, z) >= reach:
        deepest = 0.0
        for j in range(margins.size):
            depth = margins[j] + dot(spread[j], z)
            if depth < deepest:
                deepest, found = depth, j
    return found


@compiled
def _nearest(normals: Array, margins: Array, covariance: Array) -> int:
    """The half-space at the smallest distance from the estimate, with all trials made so far."""
    least, found = np.inf, 0
    for j in range(margins.size):
        distance = margins[j] ** 2 / dot(normals[j], np.dot(covariance, normals[j]))
        if distance < least:
            least, found = distance, j
    return found


@compiled
def narrows_most(
    points: Array,
    slopes: Array,
    widths: Array,
    covariance: Array,
    normals: Array,
    leader: int,
    challenger: int,
) -> int:
    """The arm one trial of which takes most off the variance of ``y.theta``: ``mu' (x'H^-1 y)^2 / (1 + mu' x'H^-1 x)``."""
    y = np.zeros(points.shape[1])
    if challenger >= 0:
        y += normals[challenger]
    if leader >= 0:
        y -= normals[leader]
    pull = np.dot(covariance, y)
    most, found = -1.0, 0
    for k in range(slopes.size):
        taken = slopes[k] * dot(points[k], pull) ** 2 / (1.0 + slopes[k] * widths[k])
        if taken > most:
            most, found = taken, k
    return found
