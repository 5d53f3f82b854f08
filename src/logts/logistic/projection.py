"""The paper's estimate theta^(1): the point of a ball that best explains the successes (section 3.3).

    theta^(1) = argmin over |theta| <= S of  |g(theta) - sum r x|  in the norm of  H(theta)^-1,     g(theta) =
    sum N mu(x.theta) x.

It needs no maximum-likelihood estimate, so it exists for separable data too. Half the square of the norm,
with ``s = g - sum r x``, ``q = H^-1 s``, ``C = sum N mu'' (x.q) x x'`` and ``D = sum N mu''' (x.q)^2 x x'``,
has the gradient ``s - sum N mu'' (x.q)^2 x / 2`` and the Hessian ``H - C + C H^-1 C - D/2``. It is not
convex: Newton steps that respect the ball, from many starts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from logts.logistic.fit import gradient, maximum_likelihood
from logts.logistic.kernels import bend, slope, twist
from logts.tools.algebra import Array, cholesky, dot, solve_lower, solve_upper, weighted_gram
from logts.tools.compiling import compiled
from logts.tools.status import Status


@dataclass(frozen=True)
class Projection:
    """The point found, the norm that it minimises, and whether the minimum is proven to be global."""

    theta: Array
    distance: float
    status: Status


def project(points: Array, trials: Array, successes: Array, radius: float) -> Projection:
    """Project the estimate onto the ball of the given radius (in the coordinates of ``points``)."""
    if not radius > 0.0:
        raise ValueError(f"radius bounds |theta| and must be positive; got {radius!r}")
    fit = maximum_likelihood(points, trials, successes)
    trials = np.asarray(trials, dtype=float)
    successes = np.asarray(successes, dtype=float)
    if fit.proven and np.linalg.norm(fit.theta) <= radius:
        return Projection(fit.theta, 0.0, Status.CONVERGED)
    tried = trials > 0
    if not tried.any():
        return Projection(np.zeros(points.shape[1]), 0.0, Status.CONVERGED)
    # Outside the span of the arms tried nothing depends on theta: work inside, in an orthonormal basis that
    # keeps norms.
    _, singular, right = np.linalg.svd(points[tried], full_matrices=False)
    basis = right[singular > 1e-10 * singular[0]]
    x = np.ascontiguousarray(points[tried] @ basis.T)
    n = trials[tried]
    r = successes[tried]
    best = np.zeros(x.shape[1])
    value = np.inf
    for start in _starts(x, n, r, radius):
        found, reached = _descend(x, n, r, radius, start)
        if reached < value:
            best = found
            value = reached
    return Projection(best @ basis, float(np.sqrt(2.0 * value)), Status.NOT_PROVEN_GLOBAL)


def _starts(x: Array, n: Array, r: Array, radius: float) -> list[Array]:
    """Penalised fits brought to the sphere, the axes of the data, and points spread over the ball."""
    d = x.shape[1]
    gram = (n[:, None] * x).T @ x
    starts = [np.zeros(d)]
    for strength in (1e-4, 1e-2, 1.0, 10.0):
        theta = maximum_likelihood(x, n, r, precision=strength * np.eye(d)).theta
        size = float(np.linalg.norm(theta))
        if size > 0.0:
            starts += [theta * min(1.0, radius / size), theta * radius / size]
    axes = np.linalg.eigh(gram)[1].T
    random = np.random.default_rng(0).normal(size=(6 * d, d))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    starts += [radius * v for v in (*axes, *-axes, *random)]
    return starts + [0.5 * radius * v for v in random[: 2 * d]]


class Derivatives(NamedTuple):
    """At one parameter: H, and the gradient and the Hessian of half the squared norm."""

    h: Array
    first: Array
    second: Array


@compiled
def _differentiate(x: Array, n: Array, r: Array, theta: Array, into: Derivatives) -> float:
    """Half the squared norm at theta, and its derivatives; infinite when H is singular."""
    h, first, second = into
    arms, d = x.shape
    weights = np.empty(arms)
    along = np.empty(arms)
    logits = np.empty(arms)
    for k in range(arms):
        logits[k] = dot(x[k], theta)
        weights[k] = n[k] * slope(logits[k])
    weighted_gram(x, weights, h)
    factor = h.copy()
    if not cholesky(factor):
        return np.inf
    residual = -gradient(x, n, r, theta)
    q = residual.copy()
    solve_lower(factor, q)
    value = 0.5 * dot(q, q)
    solve_upper(factor, q)
    first[:] = residual
    for k in range(arms):
        along[k] = dot(x[k], q)
        weights[k] = n[k] * bend(logits[k]) * along[k]
        for i in range(d):
            first[i] -= 0.5 * weights[k] * along[k] * x[k, i]
    weighted_gram(x, weights, second)  # C
    half = second.copy()
    for i in range(d):
        solve_lower(factor, half[i])  # rows of C L^-T
    for k in range(arms):
        weights[k] = -weights[k] - 0.5 * n[k] * twist(logits[k]) * along[k] ** 2
    weighted_gram(x, weights, second)
    second += h + np.dot(half, half.T)
    return value


@compiled
def _step(curvature: Array, uphill: Array, theta: Array, radius: float, target: Array) -> bool:
    """Minimise the quadratic model over the ball into ``target``.

    False when ``curvature`` is not positive definite.

    ``(M + v I) target = M theta - uphill`` with the least ``v >= 0`` that ends inside, found by Newton's
    method on ``1/radius - 1/|target|``.
    """
    d = theta.size
    shift = 0.0
    right = np.dot(curvature, theta) - uphill
    for _ in range(50):
        factor = curvature.copy()
        for i in range(d):
            factor[i, i] += shift
        if not cholesky(factor):
            return False
        target[:] = right
        solve_lower(factor, target)
        solve_upper(factor, target)
        norm = np.sqrt(dot(target, target))
        if norm <= radius * (1.0 + 1e-14):
            break
        inner = target.copy()
        solve_lower(factor, inner)
        shift += norm * norm / dot(inner, inner) * (norm - radius) / radius
    norm = np.sqrt(dot(target, target))
    if norm > radius:
        target *= radius / norm
    return True


@compiled
def _descend(x: Array, n: Array, r: Array, radius: float, start: Array) -> tuple[Array, float]:
    """The minimum found from one start, and half the squared norm there."""
    d = start.size
    theta = start.copy()
    target = np.empty(d)
    here = Derivatives(np.empty((d, d)), np.empty(d), np.empty((d, d)))
    there = Derivatives(np.empty((d, d)), np.empty(d), np.empty((d, d)))
    value = _differentiate(x, n, r, theta, here)
    damp = 0.0
    for _ in range(300):
        if not np.isfinite(value):
            break
        model = here.second + damp * here.h
        if not _step(model, here.first, theta, radius, target):
            damp = max(4.0 * damp, 1e-3)
            continue
        move = target - theta
        promised = -dot(here.first, move) - 0.5 * dot(move, np.dot(model, move))
        if promised <= 1e-15 * value:
            break
        trial = _differentiate(x, n, r, target, there)
        if trial <= value - 0.1 * promised:
            theta[:] = target
            value = trial
            here.h[:] = there.h
            here.first[:] = there.first
            here.second[:] = there.second
            damp = 0.25 * damp if damp > 1e-3 else 0.0
        else:
            damp = max(4.0 * damp, 1e-3)
            if damp > 1e12:
                break
    return theta, value
