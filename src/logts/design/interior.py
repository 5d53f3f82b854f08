"""The design game on a few arms and a few half-spaces, solved by a primal-dual interior-point method.

The allocator spreads trials ``w`` over arms, nature answers with a parameter in the alternative, and
``psi_j(w)`` is what its best response in half-space j costs (:mod:`logts.design.responses`). Each ``psi_j``
is concave and ``psi_j(c w) = c psi_j(w)``, so  ``T* = min sum(w)  subject to  psi_j(w) >= 1, w >= 0``. The
derivatives come from the minimiser ``u_j`` (envelope theorem): gradient ``D_x(u_j)``, Hessian ``-E (H^-1 -
H^-1 y y' H^-1 / y'H^-1 y) E'`` with ``H = sum_x w_x D_x''`` at ``u_j`` and the gradients of ``D_x`` as the
rows of ``E``.
"""

from typing import NamedTuple

import numpy as np

from logts.design.responses import (
    SOFT,
    Board,
    Responses,
    respond_exactly,
    respond_quadratically,
    room_for,
)
from logts.logistic.kernels import divergence, mean_change, slope
from logts.tools.algebra import Array, add, assign, cholesky, dot, row_products, solve_lower, solve_upper
from logts.tools.compiling import compiled

FIRST = 0.2  # the first step aims at so much of the barrier


class Iterate(NamedTuple):
    """Where the method stands.

    Weights ``w`` with their multipliers ``z``, nature's mixture ``q`` with the slack of ``psi_j >= 1``, and
    what each arm pays against each response. All but ``w`` and ``z`` are in units of ``unit``, in which the
    game is worth about 1.
    """

    w: Array
    z: Array
    q: Array
    slack: Array
    pay: Array
    unit: float


def solve_game(
    board: Board, start: Array, exact: bool, goal: float, most: int
) -> tuple[Array, Array, Array, float]:
    """Weights, nature's mixture over the half-spaces, its responses, and the relative gap on these arms."""
    w = start / start.sum()
    method = _solve_exactly if exact else _solve_quadratically
    q, moves, gap = method(*board, w, goal, most)
    if q.size == 0:
        return w, np.full(len(moves), 1.0 / len(moves)), moves, np.inf
    return w / w.sum(), q / q.sum(), moves, gap


@compiled
def _solve_quadratically(
    x: Array, eta: Array, y: Array, margins: Array, w: Array, goal: float, most: int
) -> tuple[Array, Array, float]:
    """Move the weights to the optimum.

    Returns nature's mixture (empty without information), its moves, and the gap.
    """
    return solve_on(Board(x, eta, y, margins), w, goal, most)


@compiled
def solve_on(board: Board, w: Array, goal: float, most: int) -> tuple[Array, Array, float]:
    """The same, called by compiled code."""
    responses = room_for(np.zeros(board.y.shape))
    if not respond_quadratically(board, w, responses):
        return np.empty(0), responses.u, np.inf
    at = _first(w, responses.psi)
    gap = np.inf
    shrink = FIRST
    for _ in range(most):
        gap = _gap(board, responses, at, False)
        if gap <= goal:
            break
        shrink = _move(_curvature(board, responses, at), responses.psi, at, shrink)
        if shrink == 0.0 or not respond_quadratically(board, at.w, responses):
            break
    return at.q, responses.u, gap


@compiled
def _solve_exactly(
    x: Array, eta: Array, y: Array, margins: Array, w: Array, goal: float, most: int
) -> tuple[Array, Array, float]:
    """The same with exact responses."""
    board = Board(x, eta, y, margins)
    responses = room_for(np.zeros(y.shape))
    # The first guess is quadratic, with logits at which every arm carries information.
    soft = np.empty(eta.size)
    for k in range(eta.size):
        soft[k] = min(max(eta[k], -SOFT), SOFT)
    respond_quadratically(Board(x, soft, y, margins), w, responses)
    if not respond_exactly(board, w, responses):
        return np.empty(0), responses.u, np.inf
    at = _first(w, responses.psi)
    before = np.empty(w.size)
    gap = np.inf
    shrink = FIRST
    for _ in range(most):
        gap = _gap(board, responses, at, True)
        if gap <= goal:
            break
        assign(before, 1.0, w)
        shrink = _move(_exact_curvature(board, responses, at), responses.psi, at, shrink)
        if shrink == 0.0:
            break
        if not respond_exactly(board, w, responses):
            assign(w, 1.0, before)
            break
    return at.q, responses.u, gap


@compiled
def _first(w: Array, psi: Array) -> Iterate:
    """Where to start from these weights: near the central path of a game worth about 1."""
    arms = w.size
    rivals = psi.size
    unit = np.inf
    for j in range(rivals):
        unit = min(unit, psi[j])
    unit /= 1.1
    z = np.empty(arms)
    q = np.empty(rivals)
    slack = np.empty(rivals)
    for k in range(arms):
        z[k] = 1.0 / (arms + rivals) / w[k]
    for j in range(rivals):
        slack[j] = psi[j] / unit - 1.0
        q[j] = 1.0 / (arms + rivals) / slack[j]
    return Iterate(w, z, q, slack, np.empty((arms, rivals)), unit)


@compiled
def _gap(board: Board, responses: Responses, at: Iterate, exact: bool) -> float:
    """What both players' strategies leave between them.

    Brings ``psi`` to the unit, and the payoffs up to date.
    """
    x, eta, _, _ = board
    u, _, _, psi = responses
    w, _, q, _, pay, unit = at
    arms, rivals = pay.shape
    least = np.inf
    total = 0.0
    for j in range(rivals):
        psi[j] /= unit
        least = min(least, psi[j])
        total += q[j]
    most = 0.0
    spent = 0.0
    for k in range(arms):
        steep = slope(eta[k])
        for j in range(rivals):
            step = dot(x[k], u[j])
            pay[k, j] = (divergence(eta[k], step) if exact else 0.5 * steep * step * step) / unit
        most = max(most, dot(pay[k], q))
        spent += w[k]
    return spent / least * most / total - 1.0


@compiled
def _curvature(board: Board, responses: Responses, at: Iterate) -> Array:
    """``-sum_j q_j Hess psi_j + sum_j q_j / slack_j grad psi_j grad psi_j'`` for the quadratic divergence.

    H is common to all j, and ``y'H^-1`` is along ``u_j``. That turns the second part of the Hessian into
    ``-2 grad grad'/psi``.
    """
    x, eta, _, _ = board
    u, factors, _, psi = responses
    _, _, q, slack, pay, unit = at
    arms, rivals = pay.shape
    factor = factors[0]
    white = x.copy()
    pull = np.empty((arms, rivals))
    steep = np.empty((arms, rivals))
    for k in range(arms):
        solve_lower(factor, white[k])
        rise = slope(eta[k])
        for j in range(rivals):
            pull[k, j] = rise * dot(x[k], u[j]) * np.sqrt(q[j] / unit)
            steep[k, j] = pay[k, j] * q[j] * (1.0 / slack[j] - 2.0 / psi[j])
    out = row_products(white, white)
    for k in range(arms):
        for i in range(k + 1):
            out[k, i] = out[k, i] * dot(pull[k], pull[i]) + dot(steep[k], pay[i])
            out[i, k] = out[k, i]
    return out


@compiled
def _exact_curvature(board: Board, responses: Responses, at: Iterate) -> Array:
    """The same for the exact divergence."""
    x, eta, _, _ = board
    u, factors, normals, _ = responses
    _, _, q, slack, pay, unit = at
    arms, d = x.shape
    rivals = q.size
    stack = np.empty((arms, rivals * (d + 1)))
    column = np.empty(d)
    for j in range(rivals):
        scale = np.sqrt(q[j] / unit)
        for k in range(arms):
            column[:] = x[k]
            solve_lower(factors[j], column)
            column *= scale * mean_change(eta[k], dot(x[k], u[j]))
            column -= dot(column, normals[j]) * normals[j]
            stack[k, j * d : (j + 1) * d] = column
            stack[k, rivals * d + j] = pay[k, j] * np.sqrt(q[j] / slack[j])
    return row_products(stack, stack)


@compiled
def _move(kkt: Array, psi: Array, at: Iterate, shrink: float) -> float:
    """A Newton step on ``w z = q slack = barrier, 1 = pay q + z, psi(w) = 1 + slack``, reduced to w.

    Returns by how much to shrink the barrier next: zero, and nothing moves, when the step cannot be computed.
    """
    w, z, q, slack, pay, _ = at
    arms, rivals = pay.shape
    barrier = shrink * (dot(w, z) + dot(q, slack)) / (arms + rivals)
    for k in range(arms):
        kkt[k, k] += z[k] / w[k]
    if not cholesky(kkt):
        return 0.0
    pull = np.empty(rivals)
    dw = np.empty(arms)
    dslack = np.empty(rivals)
    for j in range(rivals):
        dslack[j] = psi[j] - 1.0 - slack[j]  # by how much psi(w) = 1 + slack is missed
        pull[j] = (barrier - q[j] * dslack[j]) / slack[j]
    for k in range(arms):
        dw[k] = barrier / w[k] - 1.0 + dot(pay[k], pull)
    solve_lower(kkt, dw)
    solve_upper(kkt, dw)
    dz = np.empty(arms)
    dq = np.empty(rivals)
    for k in range(arms):
        dz[k] = barrier / w[k] - z[k] - z[k] / w[k] * dw[k]
        for j in range(rivals):
            dslack[j] += dw[k] * pay[k, j]
    for j in range(rivals):
        dq[j] = barrier / slack[j] - q[j] - q[j] / slack[j] * dslack[j]
    size = min(_longest(w, dw), _longest(slack, dslack))
    dual = min(_longest(z, dz), _longest(q, dq))
    add(w, size, dw)
    add(slack, size, dslack)
    add(z, dual, dz)
    add(q, dual, dq)
    return 0.05 if min(size, dual) > 0.8 else 0.2 if min(size, dual) > 0.3 else 0.5


@compiled
def _longest(values: Array, steps: Array) -> float:
    """Largest step up to 1 that keeps positive values positive, with a margin."""
    size = 1.0
    for i in range(values.size):
        if steps[i] < 0.0:
            size = min(size, -0.99 * values[i] / steps[i])
    return size
