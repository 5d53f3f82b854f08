"""A design at a parameter that has moved: one compiled call, for looks that come often.

The last weights and nature's last mixture are both strategies of the game at the new parameter, and bound its
value from either side (:mod:`logts.design.game`). While the bounds are close, the weights stay. Otherwise the
interior-point method runs on the arms that carry weight or pay well and on the half-spaces that are near, and
both strategies are held against all arms and all half-spaces. In a large game that is done a few times at
most: while the estimate still jumps about, to be exact about it would be wasted.
"""

import numpy as np

from logts.design.interior import solve_on
from logts.design.responses import Board, respond_quadratically, room_for
from logts.logistic.kernels import slope
from logts.tools.algebra import Array, Indices, assign, dot, ranked, squared_norms
from logts.tools.compiling import compiled

ROUNDS = 2  # in a large game
SMALL = 64  # arms or half-spaces up to which a game is solved in any case
ITERATIONS = 30
CARRIED = 1e-3  # weights below it carry nothing
NEAR = 4.0  # times the nearest half-space: those further away do not bind


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

    Up to the first gap both stay as they are; beyond it better ones take their place, within the second gap
    unless the game is large. Returns ``min_j psi_j``, the evidence for each trial under the weights, and
    whether they are new; zero, whatever the weights are then, if none were found.
    """
    kept, wanted = gaps
    arms, d = points.shape
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
    best = psi.min()
    new = False
    if upper <= (1.0 + kept) * best:
        return best, new
    for turn in range(2 * ROUNDS):
        if turn == ROUNDS and max(arms, rivals) > SMALL:
            break
        everything = turn >= ROUNDS
        chosen = np.flatnonzero((w > CARRIED) | (-pay <= _rank(-pay, d)) | everything)
        near = np.flatnonzero((psi <= min(_rank(psi, d), NEAR * psi.min())) | everything)
        start = np.maximum(w[chosen], 0.1 / chosen.size)
        start /= start.sum()
        inner = Board(points[chosen], eta[chosen], normals[near], margins[near])
        found, _, _ = solve_on(inner, start, 0.5 * wanted, ITERATIONS)
        if found.size == 0:  # these arms alone do not span the space
            continue
        _spread(w, chosen, start)
        _spread(q, near, found)
        psi, upper = _bounds(board, w, q, pay)
        if psi.min() > best:
            best = psi.min()
            new = True
            assign(weights, 1.0, w)
            assign(mixture, 1.0, q)
        if upper <= (1.0 + wanted) * best:
            return best, new
    return best if new and max(arms, rivals) > SMALL else 0.0, new


@compiled
def _spread(whole: Array, places: Indices, parts: Array) -> None:
    """Probabilities in the proportions of these parts, at their places."""
    total = parts.sum()
    whole[:] = 0.0
    for i in range(places.size):
        whole[places[i]] = parts[i] / total


@compiled
def _rank(values: Array, count: int) -> float:
    """The value that so many are below."""
    if count >= values.size:
        return np.inf
    return ranked(values, count)


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
