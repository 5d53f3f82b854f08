"""The least wealth on a half-space, with proof.

    M(lambda) = cash + cap_0 exp(Q - L(lambda)) + sum_c exp(a_c + g_c.lambda + F_c(lambda))

is a sum of exponentials of convex functions, so log M is convex. It is minimised on the boundary ``y.lambda =
c`` by Newton's method from the maximiser ``m`` of L there.

*Certificate.* At any point p of the boundary with gradient g of log M: where g points out of the half-space,
convexity gives ``log M(lambda) >= log M(p) - |g'| |lambda - p|`` for all of the half-space, g' the part of g
along the boundary, norms those of ``H = -L''(m)`` and its inverse. And beyond some radius around m the
forecast alone has more than ``log M(p)``, because L is self-concordant (:func:`screening_distance`). So the
minimum is at least ``log M(p) - |g'| (radius + |p - m|)``, whether or not the iteration had converged.
"""

from typing import NamedTuple

import numpy as np

from logts.evidence.shift import Stakes
from logts.logistic.newton import screening_distance
from logts.tools.algebra import Array, add, assign, cholesky, dot, solve_lower, solve_upper, weighted_gram
from logts.tools.compiling import compiled

STEPS = 40
CLOSE = 1e-9  # how far the bound may stay below the wealth that was found
FARTHEST = 600.0  # logits beyond which nothing is claimed


class Seen(NamedTuple):
    """The arms, all that was seen of them, and the logarithms of what cash and forecast start from.

    ``cash`` is the logarithm of the cash, ``forecast`` that of ``cap_0 exp Q``.
    """

    points: Array
    trials: Array
    successes: Array
    recent: Array
    cash: float
    forecast: float


@compiled
def log_wealth(seen: Seen, stakes: Stakes, at: Array, gradient: Array, hessian: Array) -> float:
    """Log M at a point; its gradient and Hessian are written into the arrays given, unless these are empty."""
    points, trials, successes, recent, cash, forecast = seen
    constants, slopes, shares, lifts, limits, floors, upward = stakes
    count = constants.size
    arms, d = points.shape
    derived = gradient.size > 0
    values = np.empty(count + 1)  # of the bets, and of the forecast
    pulls = np.empty((count + 1, arms))
    bends = np.empty((count + 1, arms))
    values[count] = forecast
    for c in range(count):
        values[c] = constants[c] + dot(slopes[c], at)
    for k in range(arms):
        if trials[k] == 0.0:
            continue
        z = dot(points[k], at)
        if not abs(z) < FARTHEST:
            return -np.inf
        e = np.exp(z)
        mu = e / (1.0 + e)
        top = np.log1p(e)
        values[count] -= successes[k] * z - trials[k] * top
        pulls[count, k] = trials[k] * mu - successes[k]
        bends[count, k] = trials[k] * mu / (1.0 + e)
        n = recent[k]
        if n == 0.0:
            continue
        for c in range(count):
            up = upward[c, k]
            odds = e if up else 1.0 / e
            if odds <= limits[c, k]:  # below b the minorant is constant
                values[c] -= n * floors[c, k]
                pulls[c, k] = 0.0
                bends[c, k] = 0.0
                continue
            lifted = odds * lifts[c, k]
            w = shares[c, k]
            moved = w * lifted / (1.0 + lifted)
            values[c] -= n * (w * np.log1p(lifted) - (top if up else top - z))
            pulls[c, k] = n * (mu - moved if up else moved - (1.0 - mu))
            bends[c, k] = n * (mu / (1.0 + e) - moved / (1.0 + lifted))
    highest = max(cash, values.max())
    total = np.exp(cash - highest)
    for c in range(count + 1):
        total += np.exp(values[c] - highest)
    if derived:
        weights = np.zeros(arms)
        gradient[:] = 0.0
        each = np.zeros((count + 1, d))
        for c in range(count + 1):
            share = np.exp(values[c] - highest) / total
            values[c] = share
            if c < count:
                assign(each[c], 1.0, slopes[c])
            for k in range(arms):
                if trials[k] > 0.0 and (c == count or recent[k] > 0.0):
                    add(each[c], pulls[c, k], points[k])
                    weights[k] += share * bends[c, k]
            add(gradient, share, each[c])
        weighted_gram(points, weights, hessian)
        for i in range(d):
            for j in range(d):
                hessian[i, j] -= gradient[i] * gradient[j]
                for c in range(count + 1):
                    hessian[i, j] += values[c] * each[c, i] * each[c, j]
    return highest + np.log(total)


@compiled
def least_wealth(
    seen: Seen, stakes: Stakes, y: Array, start: Array, factor: Array, reach: float, alone: float
) -> tuple[float, float]:
    """A proven lower bound on log M over the half-space ``y.lambda <= y.start``, and the least value found.

    ``start`` is the maximiser of L on the boundary, ``factor`` that of H there, ``reach`` the largest norm of
    an arm in it, and ``alone`` what the forecast alone is proven to have in the half-space.
    """
    d = y.size
    nothing = max(seen.cash, alone)
    normal = y.copy()
    solve_lower(factor, normal)
    width = np.sqrt(dot(normal, normal))
    assign(normal, 1.0 / width, normal)
    at = start.copy()
    gradient = np.empty(d)
    hessian = np.empty((d, d))
    rest = np.empty(d)
    step = np.empty(d)
    across = np.empty(d)
    empty = np.empty(0)
    damped = np.empty((d, d))
    value = log_wealth(seen, stakes, at, gradient, hessian)
    best = nothing
    damping = 1e-3
    for _ in range(STEPS):
        if not np.isfinite(value):
            break
        assign(rest, 1.0, gradient)
        solve_lower(factor, rest)
        outward = dot(rest, normal)
        add(rest, -outward, normal)
        assign(step, 1.0, at)
        add(step, -1.0, start)
        far = 0.0  # |at - start| in the norm of H = L L'
        for i in range(d):
            part = 0.0
            for j in range(i, d):
                part += factor[j, i] * step[j]
            far += part * part
        radius = np.sqrt(2.0 * screening_distance(max(value - alone, 0.0), reach))
        doubt = np.sqrt(dot(rest, rest)) * (radius + np.sqrt(far))
        if outward <= 0.0:
            best = max(best, value - doubt)
        if doubt <= CLOSE:
            break
        moved = False
        for _ in range(12):
            for i in range(d):
                for j in range(d):
                    damped[i, j] = hessian[i, j]
                    for m in range(min(i, j) + 1):
                        damped[i, j] += damping * factor[i, m] * factor[j, m]
            if not cholesky(damped):
                damping = 10.0 * damping + 1e-12
                continue
            assign(step, -1.0, gradient)
            assign(across, 1.0, y)
            solve_lower(damped, step)
            solve_lower(damped, across)
            add(step, -dot(step, across) / dot(across, across), across)
            gain = dot(step, step)
            solve_upper(damped, step)
            add(step, 1.0, at)
            there = log_wealth(seen, stakes, step, empty, damped)
            if there <= value - 0.1 * gain + 1e-13 * abs(value):
                moved = True
                damping *= 0.1
                break
            damping = 10.0 * damping + 1e-12
        if not moved:
            break
        assign(at, 1.0, step)
        value = log_wealth(seen, stakes, at, gradient, hessian)
    return best, value
