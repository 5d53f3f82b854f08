"""Frank-Wolfe sampling: one step of the Frank-Wolfe method in every round, towards where all nearby half-spaces gain.

The function ``min_j psi_j(x)`` has kinks, so the step looks at all half-spaces within ``r`` of the minimum. It goes towards the mixture
``z`` of arms with the largest ``min_j (z - x).grad psi_j``: one arm if one half-space is that near, a matrix game otherwise.
"""

import numpy as np

from logts._compile import compiled
from logts.algebra import Array
from logts.arms import Arms
from logts.half_spaces import Indices
from logts.sampling.rounds import RoundByRound, costs, payoffs

MOST = 32  # half-spaces in the game of one round: the nearest, if more are within r
GRAIN = 1e-11


class OneStep(RoundByRound):
    """The sampling rule. While there is no estimate, all arms in turn."""

    def __init__(self, arms: Arms) -> None:
        super().__init__(arms)
        self._iterate = np.full(len(arms), 1.0 / len(arms))

    @property
    def _weights(self) -> Array:
        return self._iterate

    def _rounds(self, n: int) -> Indices:
        return _play(n, self._points, self._slopes, self._rivals.normals, self._margins, self._iterate, self._made)


@compiled
def _play(n: int, points: Array, slopes: Array, normals: Array, margins: Array, x: Array, made: Array) -> Indices:
    out = np.empty(n, dtype=np.intp)
    z = np.empty(x.size)
    t = made.sum()
    for s in range(n):
        turn = np.floor(t / x.size)
        if margins.size == 0 or np.floor(np.sqrt(turn)) ** 2 == turn:
            z[:] = 1.0 / x.size
        else:
            _direction(points, slopes, normals, margins, x, t**-0.9 / x.size, z)
        t += 1.0
        best, chosen = -1.0, 0
        for k in range(x.size):
            x[k] += (z[k] - x[k]) / t
            if x[k] > best * made[k]:
                best, chosen = (x[k] / made[k] if made[k] > 0.0 else np.inf), k
        made[chosen] += 1.0
        out[s] = chosen
    return out


@compiled
def _direction(points: Array, slopes: Array, normals: Array, margins: Array, x: Array, r: float, z: Array) -> None:
    """Overwrite ``z`` with the best mixture of arms against every half-space within ``r`` of the nearest."""
    factor = np.empty((points.shape[1], points.shape[1]))
    psi = costs(points, x * slopes, normals, margins, factor)
    near = np.flatnonzero(psi <= psi.min() + r)
    if near.size > MOST:
        near = near[np.argsort(psi[near])[:MOST]]
    pay = np.empty((near.size, x.size))
    for i in range(near.size):
        j = near[i]
        payoffs(points, slopes, normals[j], margins[j], psi[j], factor, pay[i])
        pay[i] -= psi[j]  # x.grad psi_j = psi_j
    best_mixture(pay, z)


@compiled
def best_mixture(pay: Array, z: Array) -> None:
    """Overwrite ``z`` with a mixture of columns that maximises the least of ``pay @ z``, by the simplex method.

    With the game scaled to values above 1, nature's side is: maximise ``sum p`` subject to ``pay' p <= 1``, ``p >= 0``. The tableau
    has a row for each column of ``pay`` and one for the objective, in which the duals, that is z, stand at the end.
    """
    rivals, arms = pay.shape
    low, high = pay.min(), pay.max()
    z[:] = 0.0
    if rivals == 1 or not high > low:
        z[int(np.argmax(pay[0]))] = 1.0
        return
    table = np.ones((arms + 1, rivals + 1))
    for k in range(arms):
        for i in range(rivals):
            table[k, i] = 1.0 + (pay[i, k] - low) / (high - low)
    table[arms, :rivals] = -1.0
    table[arms, rivals] = 0.0
    rows, columns = np.arange(rivals, rivals + arms), np.arange(rivals)  # variables: p first, then the slacks, one for each arm
    for _ in range(50 * (arms + rivals)):
        row, column = _choose(table, rows, columns)
        if row < 0:
            break
        _pivot(table, row, column)
        rows[row], columns[column] = columns[column], rows[row]
    for i in range(rivals):
        if columns[i] >= rivals:
            z[columns[i] - rivals] = max(table[arms, i], 0.0)
    z /= z.sum()


@compiled
def _choose(table: Array, rows: Indices, columns: Indices) -> tuple[int, int]:
    """Bland's rule, which never cycles: of the variables that may enter, and of those that may leave, the first; -1 at the optimum."""
    arms, rivals = table.shape[0] - 1, table.shape[1] - 1
    column = -1
    for i in range(rivals):
        if table[arms, i] < -GRAIN and (column < 0 or columns[i] < columns[column]):
            column = i
    row, least = -1, np.inf
    for k in range(arms if column >= 0 else 0):
        if table[k, column] > GRAIN:
            ratio = table[k, rivals] / table[k, column]
            if ratio < least - GRAIN or (ratio < least + GRAIN and rows[k] < rows[row]):
                row, least = k, min(ratio, least)
    return row, column


@compiled
def _pivot(table: Array, row: int, column: int) -> None:
    """Exchange a basic and a nonbasic variable, in a tableau without the columns of the basic ones."""
    pivot = table[row, column]
    for i in range(table.shape[0]):
        if i != row and table[i, column] != 0.0:
            share = table[i, column] / pivot
            for j in range(table.shape[1]):
                table[i, j] -= share * table[row, j]
            table[i, column] = -share
    table[row] /= pivot
    table[row, column] = 1.0 / pivot
