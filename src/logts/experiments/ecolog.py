"""The online estimate of ECOLog: Faury, Abeille, Jun and Calauzenes.

"Jointly Efficient and Optimal Algorithms for Logistic Bandits" (AISTATS 2022). A rival of the recursive
posterior of :mod:`logts.evidence.forecast`, with which ``benchmarks/online_estimates.py`` compares it;
nothing else uses it. From theta_0 = 0 and W_0 = I, after the outcome r of an arm x,

    theta' = argmin over |theta| <= S of weight |theta - theta_t|^2_{W_t} + loss(r, x.theta),   W' = W_t +
    mu'(x.theta') x x'.

With ``weight = 1/2`` this is the step of the authors' program, whose text was at hand; the paper's was not.
From the step sizes in that program it follows that the paper has ``1 / (2 + 2S)`` there, the number for which
W_t bounds the losses so far from below: a guess. The program makes a number of projected gradient steps that
grows with log t; here the problem is solved, as far as doubles go.

Without the ball ``theta' = theta_t + g (r - mu(u)) W_t^-1 x`` with ``g = 1 / (2 weight)``, and ``u =
x.theta'`` is the only solution of ``u = x.theta_t + g |x|^2_{W_t^-1} (r - mu(u))``. If that theta' lies
outside of the ball, it is the same with ``W_t + g v I`` for W_t where that is inverted, and with the
multiplier v at which theta' has norm S.
"""

import numpy as np

from logts.logistic.kernels import mean, slope
from logts.tools.algebra import Array, Indices, cholesky, dot, solve_lower, solve_upper
from logts.tools.compiling import compiled


class OnlineEstimate:
    """The estimate, outcome by outcome.

    Parameters
    ----------
    points
        The arms, a row each.
    radius
        S, a bound on the norm of the parameter.
    weight
        What the distance from the estimate before counts; by default that of the authors' program.
    """

    def __init__(self, points: Array, radius: float, weight: float = 0.5) -> None:
        d = points.shape[1]
        self.theta = np.zeros(d)
        self.information = np.eye(d)
        self._points = points
        self._inverse = np.eye(d)
        self._radius = radius
        self._gain = 0.5 / weight

    def absorb(self, arms: Indices, outcomes: Array) -> float:
        """Learn from outcomes one after the other; the log-likelihood of all, each forecast before it."""
        return _absorb(
            self._points,
            arms,
            outcomes,
            self.theta,
            self.information,
            self._inverse,
            self._radius,
            self._gain,
        )


@compiled
def _absorb(
    points: Array,
    arms: Indices,
    outcomes: Array,
    theta: Array,
    information: Array,
    inverse: Array,
    radius: float,
    gain: float,
) -> float:
    d = theta.size
    joint = np.empty(d)
    score = 0.0
    for s in range(arms.size):
        x = points[arms[s]]
        yes = 1.0 if outcomes[s] != 0 else 0.0
        for i in range(d):
            joint[i] = dot(inverse[i], x)
        variance = dot(x, joint)
        before = dot(x, theta)
        score += np.log(mean(before if yes else -before))
        after = level(before, gain * variance, yes)
        residual = gain * (yes - mean(after))
        length = 0.0
        for i in range(d):
            length += (theta[i] + residual * joint[i]) ** 2
        if length <= radius * radius:
            for i in range(d):
                theta[i] += residual * joint[i]
        else:
            after = _within(x, yes, theta, information, radius, gain)
        curvature = slope(after)
        shrunk = curvature / (1.0 + curvature * variance)
        for i in range(d):
            for j in range(d):
                information[i, j] += curvature * x[i] * x[j]
                inverse[i, j] -= shrunk * joint[i] * joint[j]
    return score


@compiled
def level(before: float, reach: float, yes: float) -> float:
    """The solution of ``u = before + reach (yes - mu(u))``: Newton's method between bounds."""
    low = before + reach * (yes - 1.0)
    high = before + reach * yes
    u = before
    for _ in range(100):
        excess = u - before - reach * (yes - mean(u))
        if excess > 0.0:
            high = u
        else:
            low = u
        step = excess / (1.0 + reach * slope(u))
        u -= step
        if not low <= u <= high:
            u = 0.5 * (low + high)
        if abs(step) <= 1e-15 * (1.0 + abs(u)):
            break
    return u


@compiled
def _within(x: Array, yes: float, theta: Array, information: Array, radius: float, gain: float) -> float:
    """The step that ends on the sphere; theta takes it, and ``x.theta`` is returned.

    The larger the multiplier, the shorter the solution: it is found by halving an interval.
    """
    d = theta.size
    pulled = np.empty(d)
    for i in range(d):
        pulled[i] = dot(information[i], theta)
    low = 0.0
    high = 1.0
    found = np.empty(d)
    while _ridge(x, yes, pulled, information, gain, high, found) > radius:
        low = high
        high *= 4.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        if _ridge(x, yes, pulled, information, gain, middle, found) > radius:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    _ridge(x, yes, pulled, information, gain, high, found)
    theta[:] = found
    return dot(x, theta)


@compiled
def _ridge(
    x: Array, yes: float, pulled: Array, information: Array, gain: float, strength: float, found: Array
) -> float:
    """The step with this multiplier, and its norm."""
    d = x.size
    factor = information.copy()
    for i in range(d):
        factor[i, i] += gain * strength
    cholesky(factor)
    joint = x.copy()
    solve_lower(factor, joint)
    solve_upper(factor, joint)
    found[:] = pulled
    solve_lower(factor, found)
    solve_upper(factor, found)
    after = level(dot(x, found), gain * dot(x, joint), yes)
    for i in range(d):
        found[i] += gain * (yes - mean(after)) * joint[i]
    return float(np.sqrt(dot(found, found)))
