"""Which arm next: forced exploration, then tracking of the cumulative weights (the paper's section 5.2).

Forced exploration is Eq. 9 (forced_expl) in Lemma 5.2 of the paper, Lemma 5 of Jedra and Proutiere; tracking
is Eq. 13 (track). Algorithm 1 takes the first while ``lambda_min(A_t) < f(t)``, otherwise the second.
"""

from typing import NamedTuple

import numpy as np

from logts.tools.algebra import Array, Indices, cholesky
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

# One in so many trials explores, however large A_t is. Weights that are optimal at an estimate may starve
# what would mend it: where two arms nearly tie, all trials go to the two, and a better one that had bad luck
# waits for ever.
EXPLORED = 32.0


class Exploration(NamedTuple):
    """The arms that span, tried in turn while ``A_t`` is small, and ``c`` of ``f(t) = c sqrt(t)``."""

    spanning: Indices
    constant: float


class Course(NamedTuple):
    """Where tracking stands, written to as it goes.

    The trials made of each arm, the sums of their weights, the design matrix ``A_t``, whose turn it is in
    exploring, and the trials made in all, with those up to which exploring need not be thought of.
    """

    made: Array
    target: Array
    gram: Array
    turn: Indices
    clock: Array


class Tracker(Stateful):
    """Turns weights into a sequence of arms.

    ``b_t = argmin of N_x(t) - sum_s w_x(s)`` over the support of the sum (Eq. 13, track; of arms that have no
    weight now those only that are owed a whole trial, so that what a choice costs does not grow); while
    ``lambda_min(A_t) < c sqrt(t)``, and every 32nd time, the spanning arms are tried in turn (Eq. 9,
    forced_expl),
    ``c = lambda_min(sum over them of x x') / sqrt(d)``. Trials not yet told count as made.
    """

    _kept = ("_made", "_target", "_gram", "_turn", "_clock", "_weights", "_support")

    def __init__(self, points: Array, spanning: Indices) -> None:
        basis = points[spanning]
        constant = float(np.linalg.eigvalsh(basis.T @ basis)[0] / np.sqrt(len(spanning)))
        self._points = points
        self._exploration = Exploration(spanning, constant)
        self._made = np.zeros(len(points))
        self._target = np.zeros(len(points))
        self._gram = np.zeros((points.shape[1], points.shape[1]))
        self._turn = np.zeros(1, dtype=np.intp)
        self._clock = np.zeros(2)
        self._weights = np.zeros(0)
        self._support = np.zeros(0, dtype=np.intp)

    def aim(self, weights: Array) -> None:
        """Track these weights from now on."""
        self._support = np.flatnonzero((weights > 0.0) | (self._target - self._made >= 1.0))
        self._weights = weights[self._support]

    def next(self, n: int) -> Indices:
        """The next ``n`` arms; nothing passes over those without weight."""
        course = Course(self._made, self._target, self._gram, self._turn, self._clock)
        return _track(n, self._points, self._support, self._weights, self._exploration, course)

    def correct(self, chosen: Indices, tried: Indices) -> None:
        """Count the arms that were tried instead of those chosen."""
        _count_all(tried, 1.0, self._points, self._made, self._gram)
        _count_all(chosen, -1.0, self._points, self._made, self._gram)
        self._clock[:] = self._clock[0] + len(tried) - len(chosen), 0.0


@compiled
def _count(k: int, sign: float, points: Array, made: Array, gram: Array) -> None:
    """Add a trial of an arm, or take one away."""
    made[k] += sign
    for i in range(gram.shape[0]):
        for j in range(gram.shape[0]):
            gram[i, j] += sign * points[k, i] * points[k, j]


@compiled
def _count_all(arms: Indices, sign: float, points: Array, made: Array, gram: Array) -> None:
    """The same for several."""
    for k in arms:
        _count(k, sign, points, made, gram)


@compiled
def _track(
    n: int, points: Array, support: Indices, weights: Array, exploration: Exploration, course: Course
) -> Indices:
    """Choose ``n`` arms.

    The eigenvalue only grows: once past ``c sqrt(2 t)``, say, it need not be looked at before ``2 t``.
    """
    spanning, constant = exploration
    made, target, gram, turn, clock = course
    out = np.empty(n, dtype=np.intp)
    t, safe = clock
    for s in range(n):
        forced = t % EXPLORED == EXPLORED - 1.0
        if t >= safe:
            forced |= not _at_least(gram, constant * np.sqrt(t))
            safe = t + 1.0
            for growth in (2.0, 1.1, 1.01):
                if _at_least(gram, constant * np.sqrt(growth * t)):
                    safe = max(safe, growth * t)
                    break
        best = np.inf
        chosen = spanning[0]
        for i in range(support.size):  # Eq. 13 (track)
            k = support[i]
            target[k] += weights[i]
            if made[k] - target[k] < best:
                best = made[k] - target[k]
                chosen = k
        if forced:  # Eq. 9 (forced_expl)
            chosen = spanning[turn[0]]
            turn[0] = (turn[0] + 1) % spanning.size
        t += 1.0
        out[s] = chosen
        _count(chosen, 1.0, points, made, gram)
    clock[0] = t
    clock[1] = safe
    return out


@compiled
def _at_least(matrix: Array, bound: float) -> bool:
    """Whether the smallest eigenvalue exceeds a bound: whether the rest has a Cholesky factor."""
    rest = matrix.copy()
    for i in range(rest.shape[0]):
        rest[i, i] -= bound
    return cholesky(rest)
