"""The design game on a few arms and a few half-spaces, solved by a primal-dual interior-point method.

The allocator spreads trials ``w`` over arms, nature answers with a parameter in the alternative, and ``psi_j(w)`` is
what its best response in half-space j costs (:mod:`logts.design.responses`). Each ``psi_j`` is concave and
``psi_j(c w) = c psi_j(w)``, so  ``T* = min sum(w)  subject to  psi_j(w) >= 1, w >= 0``. The derivatives come from the
minimiser ``u_j`` (envelope theorem): gradient ``D_x(u_j)``, Hessian ``-E (H^-1 - H^-1 y y' H^-1 / y'H^-1 y) E'`` with
``H = sum_x w_x D_x''`` at ``u_j`` and the gradients of ``D_x`` as the rows of ``E``.
"""

from typing import NamedTuple

import numpy as np

from logts.design.responses import (
    SOFT,
    Board,
    Responses,
    no_responses,
    payoff,
    respond_exactly,
    respond_quadratically,
)
from logts.logistic.kernels import mean_change, slope
from logts.tools.algebra import Array, add, cholesky, dot, row_products, solve_lower, solve_upper
from logts.tools.compiling import compiled

FIRST = 0.2  # the first step aims at so much of the barrier


class Iterate(NamedTuple):
    """Where the method stands.

    Weights ``w`` with their multipliers ``z``, nature's mixture ``q`` with the slack of ``psi_j >= 1``, and what each
    arm pays against each response. All but ``w`` and ``z`` are in units of ``unit``, in which the game is worth about 1.
    """

    w: Array
    z: Array
    q: Array
    slack: Array
    pay: Array
    unit: float


def solve_game(board: Board, start: Array, exact: bool, goal: float, most: int) -> tuple[Array, Array, Array, float]:
    """Weights, nature's mixture over the half-spaces, its responses, and the relative gap on these arms."""
    arms, d = board.x.shape
    rivals = board.margins.size
    w = start / start.sum()
    responses = no_responses(rivals, d)
    # The first guess of the exact responses is quadratic, with logits at which every arm carries information.
    soft = board._replace(eta=np.clip(board.eta, -SOFT, SOFT)) if exact else board
    fine = respond_quadratically(soft, w, responses)
    if exact:
        fine = respond_exactly(board, w, responses)
    if not fine:
        return w, np.full(rivals, 1.0 / rivals), responses.u, np.inf
    unit = responses.psi.min() / 1.1  # the value of the game is now near 1
    slack = responses.psi / unit - 1.0
    share = 1.0 / (arms + rivals)
    at = Iterate(w, share / w, share / slack, slack, np.empty((arms, rivals)), unit)
    solve_in_turns = _iterate_exactly if exact else _iterate
    gap = solve_in_turns(board, responses, at, goal, most)
    return w / w.sum(), at.q / at.q.sum(), responses.u, float(gap)


@compiled
def _iterate(board: Board, responses: Responses, at: Iterate, goal: float, most: int) -> float:
    """Newton steps with quadratic responses until the gap meets the goal; returns the gap reached."""
    gap = np.inf
    shrink = FIRST
    for _ in range(most):
        gap = _gap(board, responses, at, False)
        if gap <= goal:
            break
        shrink = _move(_curvature(board, responses, at), responses.psi, at, shrink)
        if shrink == 0.0 or not respond_quadratically(board, at.w, responses):
            break
    return gap


def _iterate_exactly(board: Board, responses: Responses, at: Iterate, goal: float, most: int) -> float:
    """The same with exact responses, whose code is long: compiled apart, and only if used."""
    gap = np.inf
    shrink = FIRST
    for _ in range(most):
        before = at.w.copy()
        gap, shrink = _step_exactly(board, responses, at, goal, shrink)
        if shrink == 0.0:
            break
        if not respond_exactly(board, at.w, responses):
            at.w[:] = before
            break
    return gap


@compiled
def _step_exactly(
    board: Board, responses: Responses, at: Iterate, goal: float, shrink: float
) -> tuple[float, float]:
    """One Newton step with exact responses: the gap before it, and by how much to shrink the barrier next."""
    gap = _gap(board, responses, at, True)
    if gap <= goal:
        return gap, 0.0
    return gap, _move(_exact_curvature(board, responses, at), responses.psi, at, shrink)


@compiled
def _gap(board: Board, responses: Responses, at: Iterate, exact: bool) -> float:
    """What both players' strategies leave between them; brings ``psi`` to the unit, and the payoffs up to date."""
    psi = responses.psi
    arms, rivals = at.pay.shape
    least = np.inf
    total = 0.0
    for j in range(rivals):
        psi[j] /= at.unit
        least = min(least, psi[j])
        total += at.q[j]
    most = 0.0
    spent = 0.0
    for k in range(arms):
        for j in range(rivals):
            at.pay[k, j] = payoff(board.eta[k], dot(board.x[k], responses.u[j]), exact) / at.unit
        most = max(most, dot(at.pay[k], at.q))
        spent += at.w[k]
    return spent / least * most / total - 1.0


@compiled
def _curvature(board: Board, responses: Responses, at: Iterate) -> Array:
    """``-sum_j q_j Hess psi_j + sum_j q_j / slack_j grad psi_j grad psi_j'`` for the quadratic divergence.

    H is common to all j, and ``y'H^-1`` is along ``u_j``. That turns the second part of the Hessian into
    ``-2 grad grad'/psi``.
    """
    arms, rivals = at.pay.shape
    white = board.x.copy()
    pull = np.empty((arms, rivals))
    steep = np.empty((arms, rivals))
    for k in range(arms):
        solve_lower(responses.factors[0], white[k])
        for j in range(rivals):
            pull[k, j] = slope(board.eta[k]) * dot(board.x[k], responses.u[j]) * np.sqrt(at.q[j] / at.unit)
            steep[k, j] = at.pay[k, j] * at.q[j] * (1.0 / at.slack[j] - 2.0 / responses.psi[j])
    out = row_products(white, white)
    for k in range(arms):
        for i in range(k + 1):
            out[k, i] = out[k, i] * dot(pull[k], pull[i]) + dot(steep[k], at.pay[i])
            out[i, k] = out[k, i]
    return out


@compiled
def _exact_curvature(board: Board, responses: Responses, at: Iterate) -> Array:
    """The same for the exact divergence."""
    arms, d = board.x.shape
    rivals = at.q.size
    stack = np.empty((arms, rivals * (d + 1)))
    column = np.empty(d)
    for j in range(rivals):
        normal = responses.normals[j]
        scale = np.sqrt(at.q[j] / at.unit)
        for k in range(arms):
            column[:] = board.x[k]
            solve_lower(responses.factors[j], column)
            column *= scale * mean_change(board.eta[k], dot(board.x[k], responses.u[j]))
            column -= dot(column, normal) * normal
            stack[k, j * d : (j + 1) * d] = column
            stack[k, rivals * d + j] = at.pay[k, j] * np.sqrt(at.q[j] / at.slack[j])
    return row_products(stack, stack)


@compiled
def _move(kkt: Array, psi: Array, at: Iterate, shrink: float) -> float:
    """One Newton step on ``w z = barrier, q slack = barrier, 1 = pay q + z, psi(w) = 1 + slack``, reduced to w.

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
