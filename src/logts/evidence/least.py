"""The least wealth on a half-space, with proof.

    M(lambda) = cash + cap_0 exp(Q - L(lambda)) + sum_c exp(a_c + g_c.lambda + F_c(lambda))

is a sum of exponentials of convex functions, so log M is convex. It is minimised on the boundary ``y.lambda =
c`` by Newton's method, from the point that is nearest to the fit.

*Certificate.* At any point p of the boundary with gradient g of log M: where g points out of the half-space,
convexity gives ``log M(lambda) >= log M(p) - |g'| |lambda - p|`` for all of the half-space, g' the part of g
along the boundary, norms those of the information H at the fit and of its inverse. And beyond some radius
around the fit the forecast alone has more than ``log M(p)``, because L is self-concordant
(:func:`screening_distance`). So the minimum is at least ``log M(p) - |g'| (radius + |p - fit|)``, whether or
not the iteration had converged. Where the least on the boundary is found and g points inward, all that is
lower lies within (of two lower points on either side, the line between would cross the boundary at a lower
one), so the iteration goes on freely, with g instead of g'.
"""

from typing import NamedTuple

import numpy as np

from logts.evidence.shift import FARTHEST, Stakes, bent
from logts.logistic.newton import screening_distance
from logts.tools.algebra import Array, add, assign, cholesky, dot, solve_lower, solve_upper, weighted_gram
from logts.tools.compiling import compiled

STEPS = 40
HALVINGS = 12
ROUNDING = 1e-12  # of log M, which is a small difference of large numbers
CLOSE = 1e-8  # how far the bound may stay below the wealth that was found


class Seen(NamedTuple):
    """The arms, what was seen of them, and how often they were tried since the bets were opened.

    ``forecast`` is the logarithm of ``cap_0 exp Q``.
    """

    points: Array
    trials: Array
    successes: Array
    recent: Array
    forecast: float


class Centre(NamedTuple):
    """The fit: the parameter, and the factor of the information there.

    ``reach`` is the largest norm of an arm in its inverse, ``alone`` the logarithm of the least that the
    forecast has anywhere.
    """

    theta: Array
    factor: Array
    reach: float
    alone: float


@compiled
def log_wealth(seen: Seen, stakes: Stakes, cash: float, at: Array, gradient: Array, hessian: Array) -> float:
    """Log M at a point; its gradient and Hessian are written into those of the arrays that are not empty.

    ``cash`` is a logarithm.
    """
    points, trials, successes, recent, forecast = seen
    constants, slopes, shares, lifts, limits, floors, upward = stakes
    count = constants.size
    arms = trials.size
    values = np.empty(count + 1)  # of the bets, and of the forecast
    pulls = np.zeros((count + 1, arms))
    bends = np.zeros((count + 1, arms))
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
            if (e if up else 1.0 / e) <= limits[c, k]:  # below b the minorant is constant
                values[c] -= n * floors[c, k]
                continue
            gain, pull, bend = bent(up, z, e, top, shares[c, k], lifts[c, k])
            values[c] += n * gain
            pulls[c, k] = n * pull
            bends[c, k] = n * bend
    highest = max(cash, values.max())
    total = np.exp(cash - highest)
    for c in range(count + 1):
        total += np.exp(values[c] - highest)
    if gradient.size > 0:
        for c in range(count + 1):
            values[c] = np.exp(values[c] - highest) / total
        _derive(points, slopes, values, pulls, bends, gradient, hessian)
    return highest + np.log(total)


@compiled
def _derive(
    points: Array, slopes: Array, parts: Array, pulls: Array, bends: Array, gradient: Array, hessian: Array
) -> None:
    """Derivatives of a log-sum-exp: the mean of those of its terms, and the scatter of their gradients."""
    count = slopes.shape[0]
    arms, d = points.shape
    weights = np.zeros(arms)
    each = np.zeros((count + 1, d))
    gradient[:] = 0.0
    for c in range(count + 1):
        if c < count:
            assign(each[c], 1.0, slopes[c])
        for k in range(arms):
            if pulls[c, k] != 0.0 or bends[c, k] != 0.0:
                add(each[c], pulls[c, k], points[k])
                weights[k] += parts[c] * bends[c, k]
        add(gradient, parts[c], each[c])
    if hessian.size == 0:
        return
    weighted_gram(points, weights, hessian)
    for i in range(d):
        for j in range(d):
            hessian[i, j] -= gradient[i] * gradient[j]
            for c in range(count + 1):
                hessian[i, j] += parts[c] * each[c, i] * each[c, j]


@compiled
def least_wealth(
    seen: Seen, stakes: Stakes, cash: float, y: Array, offset: float, centre: Centre, goal: float
) -> float:
    """A proven lower bound on log M over the half-space ``y.lambda <= offset``, which does not hold the fit.

    Good to 1e-8, unless it exceeds the goal before, or no proof is found.
    """
    theta, factor, reach, alone = centre
    d = y.size
    best = max(cash, alone)
    normal = y.copy()
    solve_lower(factor, normal)
    width = np.sqrt(dot(normal, normal))
    if not width > 0.0:
        return best
    at = projection(theta, factor, y, offset)
    assign(normal, 1.0 / width, normal)
    gradient = np.empty(d)
    hessian = np.empty((d, d))
    rest = np.empty(d)
    value = log_wealth(seen, stakes, cash, at, gradient, hessian)
    damping = 1e-3
    stuck = False
    inside = False  # whether the minimum lies off the boundary
    for _ in range(STEPS):
        if not np.isfinite(value):
            break
        assign(rest, 1.0, gradient)
        solve_lower(factor, rest)
        outward = dot(rest, normal)
        if not inside:
            add(rest, -outward, normal)
        radius = np.sqrt(2.0 * screening_distance(max(value - alone, 0.0), reach))
        doubt = np.sqrt(dot(rest, rest)) * (radius + _distance(factor, at, theta))
        if outward <= 0.0 or inside:
            best = max(best, value - doubt)
        if best >= goal:
            break
        if doubt <= CLOSE or stuck:
            if outward <= 0.0 or inside:
                break
            inside = True  # least on the boundary, and lower within: all that is lower lies within
            damping = 1e-3
        along = y[:0] if inside else y
        there, damping = _step(seen, stakes, cash, along, factor, at, value, gradient, hessian, damping)
        stuck = not there < value
        value = log_wealth(seen, stakes, cash, at, gradient, hessian)
    return best


@compiled
def projection(theta: Array, factor: Array, y: Array, offset: float) -> Array:
    """The point of the boundary ``y.lambda = offset`` that is nearest to theta."""
    at = y.copy()
    solve_lower(factor, at)
    width = dot(at, at)
    solve_upper(factor, at)
    assign(at, -(dot(y, theta) - offset) / width, at)
    add(at, 1.0, theta)
    return at


@compiled
def _distance(factor: Array, a: Array, b: Array) -> float:
    """``|a - b|`` in the norm of ``H = L L'``."""
    total = 0.0
    for i in range(a.size):
        part = 0.0
        for j in range(i, a.size):
            part += factor[j, i] * (a[j] - b[j])
        total += part * part
    return np.sqrt(total)


@compiled
def _step(
    seen: Seen,
    stakes: Stakes,
    cash: float,
    y: Array,
    factor: Array,
    at: Array,
    value: float,
    gradient: Array,
    hessian: Array,
    damping: float,
) -> tuple[float, float]:
    """Move ``at`` along the boundary by a damped step of Newton's method that lowers log M.

    With an empty ``y`` it may leave the boundary.

    Returns log M there and the damping that it took; log M as it was if no step lowers it.
    """
    d = at.size
    step = np.empty(d)
    across = np.empty(d)
    damped = np.empty((d, d))
    for _ in range(HALVINGS):
        for i in range(d):
            for j in range(i + 1):
                damped[i, j] = hessian[i, j] + damping * dot(factor[i, : j + 1], factor[j, : j + 1])
        if cholesky(damped):
            assign(step, -1.0, gradient)
            solve_lower(damped, step)
            if y.size > 0:
                assign(across, 1.0, y)
                solve_lower(damped, across)
                add(step, -dot(step, across) / dot(across, across), across)
            gain = dot(step, step)
            solve_upper(damped, step)
            add(step, 1.0, at)
            there = log_wealth(seen, stakes, cash, step, step[:0], damped)
            if there <= value - 0.1 * gain + ROUNDING * (1.0 + abs(value)):
                assign(at, 1.0, step)
                return there, 0.1 * damping
        damping = 10.0 * damping + 1e-12
    return value, damping
