"""Nature's best responses to weights ``w`` on a few arms, in each of a few half-spaces.

    psi_j(w) = min over u of sum_x w_x D_x(u)   subject to   y_j.u = -margin_j,     u = lambda - theta,

where ``D_x(u)`` is the exact divergence of arm x, or its quadratic ``mu'_x (x.u)^2 / 2``.
"""

from typing import NamedTuple

import numpy as np

from logts.logistic.kernels import divergence, mean_change, slope
from logts.logistic.newton import Minimum, Objective, Plane, minimise
from logts.tools.algebra import Array, assign, cholesky, dot, solve_lower, solve_upper, weighted_gram
from logts.tools.compiling import compiled

SOFT = 12.0  # logits so near to zero that every arm carries information


class Board(NamedTuple):
    """What is played with: arms ``x`` with logits ``eta``, half-spaces with normals ``y`` and margins."""

    x: Array
    eta: Array
    y: Array
    margins: Array


class Responses(NamedTuple):
    """For each half-space nature's step ``u_j``, the factor L of H there, ``L^-1 y_j``, and ``psi_j``.

    Under the quadratic divergence H is common to all: only ``factors[0]`` is used. Under the exact one
    ``normals`` have length 1.
    """

    u: Array
    factors: Array
    normals: Array
    psi: Array


@compiled
def room_for(moves: Array) -> Responses:
    """Room for as many responses as there are rows in ``moves``, which become their ``u``."""
    rivals, d = moves.shape
    return Responses(moves, np.empty((rivals, d, d)), np.empty((rivals, d)), np.empty(rivals))


@compiled
def payoff(eta: float, step: float, exact: bool) -> float:
    """Divergence ``D`` of an arm with logit ``eta`` when the alternative moves its logit by ``step``."""
    return divergence(eta, step) if exact else 0.5 * slope(eta) * step * step


@compiled
def payoff_slope(eta: float, step: float, exact: bool) -> float:
    """Derivative of :func:`payoff` in ``step``."""
    return mean_change(eta, step) if exact else slope(eta) * step


@compiled
def respond_quadratically(board: Board, w: Array, responses: Responses) -> bool:
    """Overwrite ``responses`` with those under the quadratic divergence; False without information."""
    x, eta, y, margins = board
    u, factors, normals, psi = responses
    scaled = np.empty(eta.size)
    for k in range(eta.size):
        scaled[k] = w[k] * slope(eta[k])
    weighted_gram(x, scaled, factors[0])
    if not cholesky(factors[0]):
        return False
    for j in range(margins.size):
        assign(normals[j], 1.0, y[j])
        solve_lower(factors[0], normals[j])
        psi[j] = 0.5 * margins[j] ** 2 / dot(normals[j], normals[j])
        for i in range(u.shape[1]):
            u[j, i] = -2.0 * psi[j] / margins[j] * normals[j, i]
        solve_upper(factors[0], u[j])
    return True


@compiled
def respond_exactly(board: Board, w: Array, responses: Responses) -> bool:
    """The same under the exact divergence, starting from the ``u`` given.

    False if one could not be proven.
    """
    u, factors, normals, psi = responses
    for j in range(psi.size):
        psi[j], error = respond(board, w, j, Minimum(u[j], factors[j], normals[j]))
        if not error < 1e-9 * psi[j]:
            return False
    return True


@compiled
def respond(board: Board, w: Array, j: int, found: Minimum) -> tuple[float, float]:
    """The exact response in half-space ``j``: its value, and a proven bound on the error.

    A guess that saturates the logits of a needed arm leaves Newton's method without curvature; then it starts
    nearer.
    """
    y = board.y[j]
    margin = board.margins[j]
    objective = Objective(board.x, board.eta, w, np.zeros(y.size), np.empty((0, 0)))
    plane = Plane(y, margin)
    value, error = minimise(objective, plane, 0.0, found)
    if not np.isfinite(error):
        found.u[:] = -margin / dot(y, y) * y
        value, error = minimise(objective, plane, 0.0, found)
    return value, error


@compiled
def quadratic_moves(x: Array, eta: Array, y: Array, margins: Array, w: Array, moves: Array) -> bool:
    """Overwrite ``moves`` with nature's quadratic responses; False without information.

    For calls from Python.
    """
    return respond_quadratically(Board(x, eta, y, margins), w, room_for(moves))


@compiled
def exact_moves(x: Array, eta: Array, y: Array, margins: Array, w: Array, moves: Array) -> bool:
    """The same with the exact ones, starting from the ``moves`` given; False if one could not be proven."""
    return respond_exactly(Board(x, eta, y, margins), w, room_for(moves))
