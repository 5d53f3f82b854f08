"""Which arm next: forced exploration (the paper's Lemma 5), then tracking of the cumulative weights (Eq. track)."""

import numpy as np

from logts.tools.algebra import Array, Indices, cholesky
from logts.tools.compiling import compiled
from logts.tools.state import Stateful


class Tracker(Stateful):
    """Turns weights into a sequence of arms.

    ``b_t = argmin of N_x(t) - sum_s w_x(s)`` over the support of the sum; while ``lambda_min(A_t) < c sqrt(t)`` the spanning arms
    are tried in turn instead, ``c = lambda_min(sum over them of x x') / sqrt(d)``. Trials not yet told count as made.
    """

    _kept = ("_made", "_target", "_gram", "_turn", "_safe")

    def __init__(self, points: Array, spanning: Indices) -> None:
        self._points, self._spanning = points, spanning
        basis = points[spanning]
        self._pace = float(np.linalg.eigvalsh(basis.T @ basis)[0] / np.sqrt(len(spanning)))
        self._made = np.zeros(len(points))
        self._target = np.zeros(len(points))
        self._gram = np.zeros((points.shape[1], points.shape[1]))
        self._turn = np.zeros(1, dtype=np.intp)
        self._safe = np.zeros(1)

    def next(self, n: int, weights: Array) -> Indices:
        """The next ``n`` arms, if the weights stay as they are."""
        support = np.flatnonzero((self._target > 0.0) | (weights > 0.0))
        return _track(
            n,
            self._points,
            self._spanning,
            self._pace,
            weights,
            support,
            self._made,
            self._target,
            self._gram,
            self._turn,
            self._safe,
        )

    def correct(self, chosen: Indices, tried: Indices) -> None:
        """Count the arms that were tried instead of those chosen."""
        change = np.bincount(tried, minlength=len(self._made)) - np.bincount(
            chosen, minlength=len(self._made)
        )
        self._made += change
        self._gram += (self._points.T * change) @ self._points
        self._safe[0] = 0.0


@compiled
def _track(
    n: int,
    points: Array,
    spanning: Indices,
    pace: float,
    weights: Array,
    support: Indices,
    made: Array,
    target: Array,
    gram: Array,
    turn: Indices,
    safe: Array,
) -> Indices:
    """Choose ``n`` arms. The eigenvalue only grows: once past ``c sqrt(2 t)``, say, it need not be looked at before ``2 t``."""
    d = points.shape[1]
    out = np.empty(n, dtype=np.intp)
    t = made.sum()
    for s in range(n):
        forced = False
        if t >= safe[0]:
            forced = not _at_least(gram, pace * np.sqrt(t))
            safe[0] = t + 1.0
            for growth in (2.0, 1.1, 1.01):
                if _at_least(gram, pace * np.sqrt(growth * t)):
                    safe[0] = max(safe[0], growth * t)
                    break
        best, chosen = np.inf, spanning[0]
        for k in support:
            target[k] += weights[k]
            if made[k] - target[k] < best:
                best, chosen = made[k] - target[k], k
        if forced:
            chosen = spanning[turn[0]]
            turn[0] = (turn[0] + 1) % spanning.size
        made[chosen] += 1.0
        t += 1.0
        for i in range(d):
            for j in range(d):
                gram[i, j] += points[chosen, i] * points[chosen, j]
        out[s] = chosen
    return out


@compiled
def _at_least(matrix: Array, bound: float) -> bool:
    """Whether the smallest eigenvalue exceeds a bound: whether the matrix less the bound has a Cholesky factor."""
    rest = matrix.copy()
    for i in range(rest.shape[0]):
        rest[i, i] -= bound
    return cholesky(rest)
