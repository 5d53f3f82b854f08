"""The design game on a few arms and a few half-spaces, solved by a primal-dual interior-point method.

The allocator spreads trials ``w`` over arms, nature answers with a parameter in the alternative:

    psi_j(w) = min over u of sum_x w_x D_x(u)   subject to   y_j.u = -margin_j,     u = lambda - theta,

where ``D_x(u)`` is the exact divergence of arm x, or its quadratic ``mu'_x (x.u)^2 / 2``. Each ``psi_j`` is concave and
``psi_j(c w) = c psi_j(w)``, so  ``T* = min sum(w)  subject to  psi_j(w) >= 1, w >= 0``. The derivatives come from the
minimiser ``u_j`` (envelope theorem): gradient ``D_x(u_j)``, Hessian ``-E (H^-1 - H^-1 y y' H^-1 / y'H^-1 y) E'`` with
``H = sum_x w_x D_x''`` at ``u_j`` and the gradients of ``D_x`` as the rows of ``E``.
"""

import numpy as np

from logts._compile import compiled
from logts.algebra import Array, cholesky, dot, solve_lower, solve_upper, weighted_gram
from logts.logistic.kernels import damping, divergence, mean, shortfall, slope

NEWTON_STEPS = 60


@compiled
def payoff(eta: float, step: float, exact: bool) -> float:
    """Divergence ``D`` of an arm with logit ``eta`` when the alternative moves its logit by ``step``."""
    return divergence(eta, eta + step) if exact else 0.5 * slope(eta) * step * step


@compiled
def payoff_slope(eta: float, step: float, exact: bool) -> float:
    """Derivative of :func:`payoff` in ``step``."""
    return mean(eta + step) - mean(eta) if exact else slope(eta) * step


@compiled
def respond(
    x: Array, eta: Array, w: Array, y: Array, margin: float, exact: bool, u: Array, factor: Array, normal: Array
) -> tuple[float, float]:
    """Nature's best response to ``w`` in one half-space.

    ``u`` holds a first guess and receives the minimiser, ``factor`` the Cholesky factor of H there, ``normal`` the
    unit vector along ``L^-1 y``. Returns the value reached and a proven bound on how far it lies above the minimum.
    """
    arms, d = x.shape
    weights = np.empty(arms)
    gradient = np.empty(d)
    value = 0.0
    for _ in range(NEWTON_STEPS if exact else 1):
        value = 0.0
        gradient[:] = 0.0
        for k in range(arms):
            step = dot(x[k], u)
            weights[k] = w[k] * slope(eta[k] + step if exact else eta[k])
            if exact and w[k] > 0.0:
                value += w[k] * divergence(eta[k], eta[k] + step)
                pull = w[k] * payoff_slope(eta[k], step, True)
                for i in range(d):
                    gradient[i] += pull * x[k, i]
        weighted_gram(x, weights, factor)
        if not cholesky(factor):
            return value, np.inf
        normal[:] = y
        solve_lower(factor, normal)
        norm = np.sqrt(dot(normal, normal))
        normal /= norm
        if not exact:
            u[:] = -margin / norm * normal
            solve_upper(factor, u)
            return 0.5 * (margin / norm) ** 2, 0.0
        # Newton step within the hyperplane, in the coordinates L'u; what rounding took off the plane is put back.
        solve_lower(factor, gradient)
        gradient -= dot(gradient, normal) * normal
        decrement = np.sqrt(dot(gradient, gradient))
        off = (margin + dot(y, u)) / norm
        reach = 0.0
        move = -gradient - off * normal
        solve_upper(factor, move)
        largest = 0.0
        for k in range(arms):
            if w[k] > 0.0:
                largest = max(largest, abs(dot(x[k], move)))
        u += damping(largest) * move
        if decrement * decrement <= 1e-20 * value and abs(off) <= 1e-12 * margin / norm:
            column = np.empty(d)
            for k in range(arms):
                if w[k] > 0.0:
                    column[:] = x[k]
                    solve_lower(factor, column)
                    reach = max(reach, dot(column, column))
            return value, shortfall(decrement, np.sqrt(reach))
    return value, np.inf


@compiled
def respond_all(
    x: Array, eta: Array, w: Array, y: Array, margin: Array, exact: bool, u: Array, factors: Array, normals: Array, psi: Array
) -> bool:
    """:func:`respond` in every half-space; False when some response failed."""
    for j in range(margin.size):
        psi[j], error = respond(x, eta, w, y[j], margin[j], exact, u[j], factors[j], normals[j])
        if not error < 1e-9 * psi[j]:
            return False
    return True


@compiled
def solve_game(
    x: Array, eta: Array, y: Array, margin: Array, start: Array, exact: bool, goal: float, most: int
) -> tuple[Array, Array, Array, float, int]:
    """Weights, nature's mixture over the half-spaces, its responses, the relative gap on these arms, and iterations."""
    arms, d = x.shape
    rivals = margin.size
    u = np.zeros((rivals, d))
    factors = np.empty((rivals, d, d))
    normals = np.empty((rivals, d))
    psi = np.empty(rivals)
    trial = np.empty(rivals)
    pay = np.empty((arms, rivals))
    stack = np.empty((arms, rivals * (d + 1)))
    column = np.empty(d)
    w = start.copy()
    if exact:  # the quadratic responses are the first guess
        respond_all(x, eta, w, y, margin, False, u, factors, normals, psi)
    if not respond_all(x, eta, w, y, margin, exact, u, factors, normals, psi):
        return w / w.sum(), np.full(rivals, 1.0 / rivals), u, np.inf, 0
    unit = psi.min() / w.sum() / 1.1
    w /= w.sum()
    psi /= unit * start.sum()
    barrier = 1.0 / (arms + rivals)
    q = barrier / (psi - 1.0)
    z = barrier / w
    gap = np.inf
    shrink = 0.2
    iteration = 0
    while iteration < most:
        iteration += 1
        for k in range(arms):
            for j in range(rivals):
                pay[k, j] = payoff(eta[k], dot(x[k], u[j]), exact) / unit
        worst = 0.0
        for k in range(arms):
            worst = max(worst, dot(pay[k], q))
        gap = w.sum() / psi.min() * worst / q.sum() - 1.0
        if gap <= goal:
            break
        slack = psi - 1.0
        for j in range(rivals):
            scale = np.sqrt(q[j] / unit)
            for k in range(arms):
                column[:] = x[k]
                solve_lower(factors[j], column)
                column *= scale * payoff_slope(eta[k], dot(x[k], u[j]), exact)
                column -= dot(column, normals[j]) * normals[j]
                stack[k, j * d : (j + 1) * d] = column
                stack[k, rivals * d + j] = pay[k, j] * np.sqrt(q[j] / slack[j])
        kkt = np.dot(stack, stack.T)
        barrier = shrink * (dot(w, z) + dot(q, slack)) / (arms + rivals)
        dw = np.dot(pay, barrier / slack) + barrier / w - 1.0
        for k in range(arms):
            kkt[k, k] += z[k] / w[k]
        if not cholesky(kkt):
            break
        solve_lower(kkt, dw)
        solve_upper(kkt, dw)
        dz = barrier / w - z - z / w * dw
        dq = barrier / slack - q - q / slack * np.dot(pay.T, dw)
        size, dual = 1.0, 1.0
        for k in range(arms):
            if dw[k] < 0.0:
                size = min(size, -0.99 * w[k] / dw[k])
            if dz[k] < 0.0:
                dual = min(dual, -0.99 * z[k] / dz[k])
        for j in range(rivals):
            if dq[j] < 0.0:
                dual = min(dual, -0.99 * q[j] / dq[j])
        guess = u.copy()
        inside = False
        for _ in range(30):
            inside = respond_all(x, eta, w + size * dw, y, margin, exact, guess, factors, normals, trial)
            if inside:
                for j in range(rivals):
                    inside = inside and trial[j] / unit - 1.0 > 0.01 * slack[j]
            if inside:
                break
            size *= 0.5
        if not inside:
            break
        w += size * dw
        z += dual * dz
        q += dual * dq
        u[:] = guess
        psi[:] = trial / unit
        shrink = 0.05 if min(size, dual) > 0.8 else 0.2 if min(size, dual) > 0.3 else 0.5
    return w / w.sum(), q / q.sum(), u, gap, iteration
