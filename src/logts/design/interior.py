"""The design game on a few arms and a few half-spaces, solved by a primal-dual interior-point method.

The allocator spreads trials ``w`` over arms, nature answers with a parameter in the alternative:

    psi_j(w) = min over u of sum_x w_x D_x(u)   subject to   y_j.u = -margin_j,     u = lambda - theta,

where ``D_x(u)`` is the exact divergence of arm x, or its quadratic ``mu'_x (x.u)^2 / 2``. Each ``psi_j`` is concave and
``psi_j(c w) = c psi_j(w)``, so  ``T* = min sum(w)  subject to  psi_j(w) >= 1, w >= 0``. The derivatives come from the
minimiser ``u_j`` (envelope theorem): gradient ``D_x(u_j)``, Hessian ``-E (H^-1 - H^-1 y y' H^-1 / y'H^-1 y) E'`` with
``H = sum_x w_x D_x''`` at ``u_j`` and the gradients of ``D_x`` as the rows of ``E``.
"""

import numpy as np

from logts.logistic.kernels import divergence, mean_change, slope
from logts.logistic.newton import Minimum, Objective, Plane, minimise
from logts.tools.algebra import Array, cholesky, dot, row_products, solve_lower, solve_upper, weighted_gram
from logts.tools.compiling import compiled


@compiled
def payoff(eta: float, step: float, exact: bool) -> float:
    """Divergence ``D`` of an arm with logit ``eta`` when the alternative moves its logit by ``step``."""
    return divergence(eta, step) if exact else 0.5 * slope(eta) * step * step


@compiled
def payoff_slope(eta: float, step: float, exact: bool) -> float:
    """Derivative of :func:`payoff` in ``step``."""
    return mean_change(eta, step) if exact else slope(eta) * step


@compiled
def respond(x: Array, eta: Array, w: Array, y: Array, margin: float, u: Array, factor: Array, normal: Array) -> tuple[float, float]:
    """Nature's best response in one half-space under the exact divergence: its value, and a proven bound on the error.

    A guess that saturates the logits of a needed arm leaves Newton's method without curvature; then it starts nearer.
    """
    none, free = np.zeros(y.size), np.empty((0, 0))
    objective = Objective(x, eta, w, none, free)
    plane = Plane(y, margin)
    found = Minimum(u, factor, normal)
    value, error = minimise(objective, plane, 0.0, found)
    if not np.isfinite(error):
        u[:] = -margin / dot(y, y) * y
        value, error = minimise(objective, plane, 0.0, found)
    return value, error


@compiled
def respond_quadratically(
    x: Array, eta: Array, w: Array, y: Array, margin: Array, u: Array, factors: Array, normals: Array, psi: Array
) -> bool:
    """Nature's best response ``u_j`` in every half-space under the quadratic divergence, and its value; False without information.

    ``factors[0]`` receives the Cholesky factor of H, ``normals[j]`` the direction of ``L^-1 y_j``.
    """
    scaled = np.empty(eta.size)
    for k in range(eta.size):
        scaled[k] = w[k] * slope(eta[k])
    weighted_gram(x, scaled, factors[0])
    if not cholesky(factors[0]):
        return False
    for j in range(margin.size):
        normals[j] = y[j]
        solve_lower(factors[0], normals[j])
        psi[j] = 0.5 * margin[j] ** 2 / dot(normals[j], normals[j])
        u[j] = -2.0 * psi[j] / margin[j] * normals[j]
        solve_upper(factors[0], u[j])
    return True


@compiled
def respond_exactly(
    x: Array, eta: Array, w: Array, y: Array, margin: Array, u: Array, factors: Array, normals: Array, psi: Array
) -> bool:
    """The same under the exact divergence, starting from the ``u`` given, with ``factors[j]`` at ``u_j``; False if one failed."""
    for j in range(margin.size):
        psi[j], error = respond(x, eta, w, y[j], margin[j], u[j], factors[j], normals[j])
        if not error < 1e-9 * psi[j]:
            return False
    return True


@compiled
def _exact_curvature(
    x: Array, eta: Array, u: Array, factors: Array, normals: Array, slack: Array, q: Array, pay: Array, unit: float
) -> Array:
    """``-sum_j q_j Hess psi_j + sum_j q_j / slack_j grad psi_j grad psi_j'``, everything in units of ``unit``."""
    (arms, d), rivals = x.shape, q.size
    stack, column = np.empty((arms, rivals * (d + 1))), np.empty(d)
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
def _curvature(x: Array, eta: Array, u: Array, factor: Array, psi: Array, slack: Array, q: Array, pay: Array, unit: float) -> Array:
    """The same for the quadratic divergence. H is common to all j, and ``y'H^-1`` is along ``u_j``.

    That turns the second part of the Hessian into ``-2 grad grad'/psi``.
    """
    arms, rivals = pay.shape
    white, pull, steep = x.copy(), np.empty((arms, rivals)), np.empty((arms, rivals))
    for k in range(arms):
        solve_lower(factor, white[k])
        for j in range(rivals):
            pull[k, j] = slope(eta[k]) * dot(x[k], u[j]) * np.sqrt(q[j] / unit)
            steep[k, j] = pay[k, j] * q[j] * (1.0 / slack[j] - 2.0 / psi[j])
    out = row_products(white, white)
    for k in range(arms):
        for i in range(k + 1):
            out[k, i] = out[k, i] * dot(pull[k], pull[i]) + dot(steep[k], pay[i])
            out[i, k] = out[k, i]
    return out


@compiled
def _longest(values: Array, steps: Array) -> float:
    """Largest step up to 1 that keeps positive values positive, with a margin."""
    size = 1.0
    for i in range(values.size):
        if steps[i] < 0.0:
            size = min(size, -0.99 * values[i] / steps[i])
    return size


def solve_game(
    x: Array, eta: Array, y: Array, margin: Array, start: Array, exact: bool, soft: float, goal: float, most: int
) -> tuple[Array, Array, Array, float, int]:
    """Weights, nature's mixture over the half-spaces, its responses, the relative gap on these arms, and iterations."""
    (arms, d), rivals = x.shape, margin.size
    u, normals, factors = np.zeros((rivals, d)), np.empty((rivals, d)), np.empty((rivals, d, d))
    psi, pay, w = np.empty(rivals), np.empty((arms, rivals)), start / start.sum()
    # The first guess of the exact responses is quadratic, with logits at which every arm carries information.
    fine = respond_quadratically(x, np.clip(eta, -soft, soft), w, y, margin, u, factors, normals, psi)
    if exact:
        fine = respond_exactly(x, eta, w, y, margin, u, factors, normals, psi)
    if not fine:
        return w, np.full(rivals, 1.0 / rivals), u, np.inf, 0
    unit = psi.min() / 1.1  # the value of the game is now near 1
    slack = psi / unit - 1.0
    q, z = 1.0 / (arms + rivals) / slack, 1.0 / (arms + rivals) / w
    if not exact:
        gap, iteration = _iterate(x, eta, y, margin, u, factors, normals, psi, w, q, z, slack, pay, unit, goal, most)
    else:  # the same with exact responses, whose code is long: compiled apart, and only if used
        gap, iteration, shrink = np.inf, 0, 0.2
        while shrink > 0.0 and iteration < most:
            iteration, before = iteration + 1, w.copy()
            gap, shrink = _step(x, eta, True, u, factors, normals, psi, w, q, z, slack, pay, unit, shrink, goal)
            if shrink > 0.0 and not respond_exactly(x, eta, w, y, margin, u, factors, normals, psi):
                w = before
                break
    return w / w.sum(), q / q.sum(), u, float(gap), iteration


@compiled
def _iterate(
    x: Array,
    eta: Array,
    y: Array,
    margin: Array,
    u: Array,
    factors: Array,
    normals: Array,
    psi: Array,
    w: Array,
    q: Array,
    z: Array,
    slack: Array,
    pay: Array,
    unit: float,
    goal: float,
    most: int,
) -> tuple[float, int]:
    gap, iteration, shrink = np.inf, 0, 0.2
    while shrink > 0.0 and iteration < most:
        iteration += 1
        gap, shrink = _step(x, eta, False, u, factors, normals, psi, w, q, z, slack, pay, unit, shrink, goal)
        if shrink > 0.0 and not respond_quadratically(x, eta, w, y, margin, u, factors, normals, psi):
            break
    return gap, iteration


@compiled
def _step(
    x: Array,
    eta: Array,
    exact: bool,
    u: Array,
    factors: Array,
    normals: Array,
    psi: Array,
    w: Array,
    q: Array,
    z: Array,
    slack: Array,
    pay: Array,
    unit: float,
    shrink: float,
    goal: float,
) -> tuple[float, float]:
    """One Newton step on ``w z = barrier, q slack = barrier, 1 = pay q + z, psi(w) = 1 + slack``, reduced to w.

    Returns the gap before it, and by how much to shrink the barrier next: zero, and nothing moves, when the goal is reached or the
    step cannot be computed.
    """
    arms, rivals = pay.shape
    least, total, most = np.inf, 0.0, 0.0
    for j in range(rivals):
        psi[j] /= unit
        least, total = min(least, psi[j]), total + q[j]
    spent = 0.0
    for k in range(arms):
        for j in range(rivals):
            pay[k, j] = payoff(eta[k], dot(x[k], u[j]), exact) / unit
        most, spent = max(most, dot(pay[k], q)), spent + w[k]
    gap = spent / least * most / total - 1.0
    if gap <= goal:
        return gap, 0.0
    barrier = shrink * (dot(w, z) + dot(q, slack)) / (arms + rivals)
    kkt = (
        _exact_curvature(x, eta, u, factors, normals, slack, q, pay, unit)
        if exact
        else _curvature(x, eta, u, factors[0], psi, slack, q, pay, unit)
    )
    for k in range(arms):
        kkt[k, k] += z[k] / w[k]
    if not cholesky(kkt):
        return gap, 0.0
    pull, dw, dslack = np.empty(rivals), np.empty(arms), np.empty(rivals)
    for j in range(rivals):
        dslack[j] = psi[j] - 1.0 - slack[j]  # by how much psi(w) = 1 + slack is missed
        pull[j] = (barrier - q[j] * dslack[j]) / slack[j]
    for k in range(arms):
        dw[k] = barrier / w[k] - 1.0 + dot(pay[k], pull)
    solve_lower(kkt, dw)
    solve_upper(kkt, dw)
    dz, dq = np.empty(arms), np.empty(rivals)
    for k in range(arms):
        dz[k] = barrier / w[k] - z[k] - z[k] / w[k] * dw[k]
        for j in range(rivals):
            dslack[j] += dw[k] * pay[k, j]
    for j in range(rivals):
        dq[j] = barrier / slack[j] - q[j] - q[j] / slack[j] * dslack[j]
    size, dual = min(_longest(w, dw), _longest(slack, dslack)), min(_longest(z, dz), _longest(q, dq))
    for k in range(arms):
        w[k] += size * dw[k]
        z[k] += dual * dz[k]
    for j in range(rivals):
        slack[j] += size * dslack[j]
        q[j] += dual * dq[j]
    return gap, 0.05 if min(size, dual) > 0.8 else 0.2 if min(size, dual) > 0.3 else 0.5
