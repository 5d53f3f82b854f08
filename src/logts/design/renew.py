"""A design at a parameter that has moved a little: one compiled call, for looks that come often.

The last weights and nature's last mixture are both strategies of the game at the new parameter, and bound its
value from either side (:mod:`logts.design.game`). While the bounds are close, the weights stay. Otherwise the
interior-point method runs on the arms that carry weight or pay well and on the half-spaces that are near,
and both strategies are held against all arms and all half-spaces, so that what comes back is proven.
"""

import numpy as np

from logts.design.interior import solve_on
from logts.design.responses import Board, respond_quadratically, room_for
from logts.logistic.kernels import slope
from logts.tools.algebra import Array, Indices, cholesky, dot, squared_norms, weighted_gram
from logts.tools.compiling import compiled

ROUNDS = 4
ITERATIONS = 30
CARRIED = 1e-4  # weights below it carry nothing
EARNING = 0.9  # of what the best arm earns: who earns less gets no weight unless it has some
NEAR = 1.5  # times the nearest half-space: those further away do not bind


@compiled
def renew(
    points: Array,
    theta: Array,
    normals: Array,
    offsets: Array,
    weights: Array,
    mixture: Array,
    gaps: tuple[float, float],
) -> tuple[float, bool]:
    """Bring weights on the arms, and nature's mixture over the half-spaces, to a new parameter.

    Up to the first gap both stay as they are; beyond it they are overwritten by some within the second.
    Returns ``min_j psi_j``, the evidence for each trial under the weights, and whether they are new; zero,
    and nothing changes, if the gap is not reached.
    """
    kept, wanted = gaps
    arms = points.shape[0]
    rivals = offsets.size
    eta = np.empty(arms)
    for k in range(arms):
        eta[k] = dot(points[k], theta)
    margins = np.empty(rivals)
    for j in range(rivals):
        margins[j] = dot(normals[j], theta) - offsets[j]
        if not margins[j] > 0.0:
            return 0.0, False
    board = Board(points, eta, normals, margins)
    w = weights.copy()
    q = mixture.copy()
    pay = np.empty(arms)
    psi, upper = _bounds(board, w, q, pay)
    if upper <= (1.0 + kept) * psi.min():
        return psi.min(), False
    for _ in range(ROUNDS):
        chosen = np.flatnonzero((w > CARRIED) | (pay >= EARNING * upper))
        near = np.flatnonzero(psi <= NEAR * psi.min())
        inner = Board(points[chosen], eta[chosen], normals[near], margins[near])
        start = np.maximum(w[chosen], 0.1 / chosen.size)
        start /= start.sum()
        found, _, _ = solve_on(inner, start, 0.5 * wanted, ITERATIONS)
        if found.size == 0:
            break
        w[:] = 0.0
        w[chosen] = start / start.sum()
        q[:] = 0.0
        q[near] = found / found.sum()
        psi, upper = _bounds(board, w, q, pay)
        if upper <= (1.0 + wanted) * psi.min():
            weights[:] = w
            mixture[:] = q
            return psi.min(), True
    return 0.0, False


@compiled
def _bounds(board: Board, w: Array, q: Array, pay: Array) -> tuple[Array, float]:
    """``psi_j`` of every half-space under the weights, and the most that an arm earns against the mixture.

    ``pay`` receives what each arm earns. Infinite, with zeros, where the weights carry no information.
    """
    x, eta, y, margins = board
    carried = np.flatnonzero(w)
    there = x[carried]
    played = np.flatnonzero(q)
    responses = room_for(np.zeros((played.size, x.shape[1])))
    part = Board(there, eta[carried], y[played], margins[played])
    if not respond_quadratically(part, w[carried], responses):
        pay[:] = 1.0
        return np.zeros(margins.size), np.inf
    psi = squared_norms(y, responses.factors[0])
    for j in range(psi.size):
        psi[j] = 0.5 * margins[j] * margins[j] / psi[j]
    upper = 0.0
    for k in range(eta.size):
        total = 0.0
        for i in range(played.size):
            step = dot(x[k], responses.u[i])
            total += q[played[i]] * step * step
        pay[k] = 0.5 * slope(eta[k]) * total
        upper = max(upper, pay[k])
    return psi, upper
