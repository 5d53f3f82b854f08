"""Independent ways to the same numbers: a conic solver, a nonlinear program, plain NumPy."""

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, rel_entr

from logts.tools.algebra import Array
from tests.instances import Instance


def kl(a: Array, b: Array) -> Array:
    """Bernoulli divergence of logits ``b`` from logits ``a``, from the definition."""
    p = expit(a)
    q = expit(b)
    return np.asarray(rel_entr(p, q) + rel_entr(expit(-a), expit(-b)))


def quadratic_values(instance: Instance, w: Array) -> Array:
    x = instance.x
    eta = instance.x @ instance.theta
    h = (x * (w * expit(eta) * expit(-eta))[:, None]).T @ x
    widths = np.einsum("jd,jd->j", instance.normals, np.linalg.solve(h, instance.normals.T).T)
    return np.asarray(instance.margins**2 / (2 * widths))


def exact_values(instance: Instance, w: Array) -> tuple[Array, Array]:
    """``psi_j(w)`` and gradients ``KL_x(theta, lambda_j)``, by Newton's method on all hyperplanes."""
    x = instance.x
    eta = instance.x @ instance.theta
    y = instance.normals
    u = -y * (instance.margins / (y * y).sum(axis=1))[:, None]
    for _ in range(500):
        steps = u @ x.T
        mean = expit(eta + steps)
        gradient = (w * (mean - expit(eta))) @ x
        h_all = np.einsum("jk,ki,kl->jil", w * mean * (1 - mean), x, x)
        h_all += 1e-13 * np.trace(h_all, axis1=1, axis2=2)[:, None, None] * np.eye(len(instance.theta))
        both = np.linalg.solve(h_all, np.stack([gradient, y], axis=2))
        move = (
            -both[:, :, 0]
            + both[:, :, 1] * ((both[:, :, 0] * y).sum(axis=1) / (both[:, :, 1] * y).sum(axis=1))[:, None]
        )
        size = np.abs(move @ x.T).max(axis=1)
        u += move * (np.log1p(size) / np.maximum(size, 1e-300))[:, None]
        if size.max() < 1e-11:
            break
    divergences = kl(np.broadcast_to(eta, steps.shape), eta + u @ x.T)
    return divergences @ w, divergences


def conic_time(instance: Instance) -> float:
    """``T*`` of the quadratic game as a semidefinite program, half-spaces added until none is violated."""
    x = instance.x
    eta = instance.x @ instance.theta
    a = x * np.sqrt(expit(eta) * expit(-eta))[:, None]
    k, d = x.shape
    scale = 1.0 / quadratic_values(instance, np.full(k, 1.0 / k)).min()
    u = instance.normals / instance.margins[:, None] * np.sqrt(2.0 / scale)
    balance = np.linalg.cholesky(a.T @ a / k)  # a change of basis that leaves the program well scaled
    a = np.linalg.solve(balance, a.T).T
    u = np.linalg.solve(balance, u.T).T
    active = set(np.argsort(quadratic_values(instance, np.full(k, 1.0 / k)))[:10].tolist())
    while True:
        w = cp.Variable(k, nonneg=True)
        h = cp.Variable((d, d), symmetric=True)
        blocks = [cp.bmat([[h, u[j][:, None]], [u[j][None, :], np.ones((1, 1))]]) >> 0 for j in active]
        program = cp.Problem(cp.Minimize(cp.sum(w)), [h == a.T @ cp.diag(w) @ a, *blocks])
        program.solve(solver=cp.CLARABEL)
        weights = np.maximum(np.asarray(w.value), 0.0) + 1e-12
        values = quadratic_values(instance, weights) * scale
        missing = [int(j) for j in np.argsort(values)[:10] if values[j] < 1 - 1e-7 and j not in active]
        if not missing:
            return float(program.value * scale)
        active.update(missing)


def nonlinear_time(instance: Instance) -> float:
    """``T*`` of the exact game: maximise t with psi_j(w) >= t over the simplex, by SLSQP."""
    k = len(instance.x)
    w = np.full(k, 1.0 / k)
    scale = exact_values(instance, w)[0].min()
    active = np.argsort(exact_values(instance, w)[0])[:12]
    reached = 0.0

    def restricted(chosen: NDArray[np.intp]) -> Instance:
        return Instance(
            instance.arms,
            instance.x,
            instance.theta,
            instance.problem,
            instance.normals[chosen],
            instance.offsets[chosen],
        )

    while True:
        part = restricted(active)

        found = minimize(
            lambda v: -v[-1],
            np.append(w, exact_values(part, w)[0].min() / scale),
            jac=lambda v: np.append(np.zeros(k), -1.0),
            bounds=[(2e-5 / k, 1.0)] * k + [(0.0, None)],
            constraints=[
                {
                    "type": "ineq",
                    "fun": lambda v, part=part: exact_values(part, v[:-1])[0] / scale - v[-1],
                    "jac": lambda v, part=part: np.hstack(
                        [exact_values(part, v[:-1])[1] / scale, -np.ones((len(part.normals), 1))]
                    ),
                },
                {
                    "type": "eq",
                    "fun": lambda v: v[:-1].sum() - 1.0,
                    "jac": lambda v: np.append(np.ones(k), 0.0),
                },
            ],
            method="SLSQP",
            options={"maxiter": 400, "ftol": 1e-10},
        )
        w = found.x[:-1]
        w /= w.sum()
        values = exact_values(instance, w)[0]
        missing = [
            j
            for j in np.argsort(values)[:12]
            if values[j] < values[active].min() * (1 - 1e-7) and j not in active
        ]
        settled = values.min() <= reached * (1 + 1e-6)  # SLSQP may stop early: it starts again where it ended
        reached = max(reached, values.min())
        if not missing and settled:
            return float(1.0 / reached)
        active = np.concatenate([active, np.array(missing, dtype=np.intp)])


def log_likelihood(x: Array, trials: Array, successes: Array, theta: Array) -> float:
    return float(successes @ log_expit(x @ theta) + (trials - successes) @ log_expit(-(x @ theta)))
