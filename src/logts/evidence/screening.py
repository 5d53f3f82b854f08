"""Half-spaces that the forecast alone refutes, found at the price of one gradient each.

A rival needs a minimum of its own (:mod:`logts.evidence.least`) unless its half-space is seen to have more
evidence than a goal. The distance to the fit says so of most, by self-concordance alone, which supposes the
worst of every direction. Of the others it is seen at one point, p, where the boundary is nearest to the fit.

Let f be ``Q - L`` with the capital of the forecast, g its gradient at p, norms those of the information H at
the fit, m the reach. Where f stays below the goal, lambda is within some radius of the fit, so that along the
way from p no logit is further than ``b = m max(radius, |p - fit|)`` from that of the fit, and the curvature
is at least ``e^-b H``. If g does not point into the half-space, then with g' the part of g along the boundary

    f(lambda) >= f(p) - |g'| |lambda - p| + e^-b |lambda - p|^2 / 2 >= f(p) - e^b |g'|^2 / 2.
"""

import numpy as np

from logts.evidence.least import Centre, Seen, projection
from logts.evidence.shift import FARTHEST
from logts.logistic.newton import screening_distance
from logts.tools.algebra import Array, add, assign, dot, solve_lower
from logts.tools.compiling import compiled


@compiled
def bend(centre: Centre, y: Array, offset: float, goal: float) -> float:
    """How far the logit of an arm may be from that of the fit where the forecast has not reached the goal.

    Infinite where the half-space is so far from the fit that the forecast has reached it there.
    """
    theta, factor, reach, alone = centre
    radius = np.sqrt(2.0 * screening_distance(max(goal - alone, 0.0), reach))
    normal = y.copy()
    solve_lower(factor, normal)
    away = (dot(y, theta) - offset) / np.sqrt(dot(normal, normal))
    return np.inf if away > radius else reach * radius


@compiled
def surely_more(seen: Seen, y: Array, offset: float, centre: Centre, goal: float) -> bool:
    """Whether it is proven that the forecast alone has more than the goal on ``y.lambda <= offset``.

    The half-space does not hold the fit. False says nothing.
    """
    theta, factor, _, _ = centre
    bound = bend(centre, y, offset, goal)
    if not bound < np.inf:
        return True
    at = projection(theta, factor, y, offset)
    gradient = np.zeros(y.size)
    value = seen.forecast
    for k in range(seen.trials.size):
        if seen.trials[k] == 0.0:
            continue
        z = dot(seen.points[k], at)
        if not abs(z) < FARTHEST:
            return False
        e = np.exp(z)
        value += seen.trials[k] * np.log1p(e) - seen.successes[k] * z
        add(gradient, seen.trials[k] * e / (1.0 + e) - seen.successes[k], seen.points[k])
    normal = y.copy()
    solve_lower(factor, normal)
    assign(normal, 1.0 / np.sqrt(dot(normal, normal)), normal)
    solve_lower(factor, gradient)
    outward = dot(gradient, normal)
    add(gradient, -outward, normal)
    return outward <= 0.0 and value - 0.5 * np.exp(bound) * dot(gradient, gradient) > goal
