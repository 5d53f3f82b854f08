"""How far a parameter can lie in a direction while its log-likelihood stays above a line.

The set ``L >= line`` is convex. For any ``tau > 0`` and any parameter a in it,

    z.a  <=  z.a + (L(a) - line)/tau  <=  (max over lambda of L + tau z.lambda  -  line)/tau,

and by self-concordance the maximum on the right is at most ``shortfall`` above the value at any lambda near
it. So every lambda gives a proven bound, whatever led to it; at the right lambda and tau it is the largest
``z.a`` itself. These are found by Newton's method: at each lambda the likelihood is replaced by its
quadratic, for which the best tau is known.
"""

from typing import NamedTuple

import numpy as np

from logts.logistic.kernels import damping, shortfall
from logts.logistic.newton import ROUNDING, reach
from logts.tools.algebra import (
    Array,
    add,
    assign,
    cholesky,
    dot,
    solve_lower,
    solve_upper,
    weighted_gram,
)
from logts.tools.compiling import compiled

CLOSE = 1e-6  # how much above the exact end a bound may lie, in log-likelihood
WHOLE = 3.0  # logits; a step that moves none of them by more is taken whole
NEAR = 0.2  # decrement from which on a bound is worth computing
STEPS = 200  # few but where outcomes are nearly separable and the set reaches far


class Level(NamedTuple):
    """The parameters with ``L >= line``: arms that were tried, their counts, and the line."""

    x: Array
    trials: Array
    successes: Array
    line: float


class Peak(NamedTuple):
    """Where L is largest: theta, the factor of the information there, and by how much L exceeds the line."""

    theta: Array
    factor: Array
    height: float


@compiled
def largest(level: Level, peak: Peak, directions: Array, enough: float) -> Array:
    """A proven upper bound on ``z.lambda`` over the level set for each direction.

    It is infinite where there is no proof, and where more than ``enough`` was found to be possible.
    """
    out = np.empty(directions.shape[0])
    for k in range(out.size):
        out[k] = _largest(level, peak, directions[k], enough)
    return out


@compiled
def _largest(level: Level, peak: Peak, z: Array, enough: float) -> float:
    x, trials, _, line = level
    d = z.size
    here = np.empty(d)
    move = np.empty(d)
    along = np.empty(d)
    factor = np.empty((d, d))
    assign(along, 1.0, z)
    solve_lower(peak.factor, along)
    assign(move, np.sqrt(2.0 * peak.height / dot(along, along)), along)
    solve_upper(peak.factor, move)
    assign(here, 1.0, peak.theta)
    best = np.inf
    whole = WHOLE
    _advance(x, here, move, whole)
    for _ in range(STEPS):
        value, pulls = _expand(level, here, move, factor)
        if not cholesky(factor):  # so far out that the curvature is lost: back
            whole = 0.0
            for i in range(d):
                here[i] = 0.5 * (here[i] + peak.theta[i])
            continue
        solve_lower(factor, move)
        assign(along, 1.0, z)
        solve_lower(factor, along)
        width = dot(along, along)
        top = value - line + 0.5 * dot(move, move)  # of the quadratic, over the line
        tau = np.sqrt(2.0 * max(top, 1e-3 * peak.height) / width)
        add(move, tau, along)
        decrement = np.sqrt(dot(move, move))
        if decrement < NEAR:
            farthest = reach(x, trials, factor)
            hidden = ROUNDING * (tau * np.sqrt(width) + farthest * pulls)
            over = shortfall(decrement + hidden, farthest)
            best = min(best, dot(z, here) + (value - line + over) / tau)
            if farthest * decrement**3 <= CLOSE:
                break
        if value > line and dot(z, here) > enough:
            return np.inf
        solve_upper(factor, move)
        _advance(x, here, move, whole)
    return best


@compiled
def _advance(x: Array, here: Array, move: Array, whole: float) -> None:
    """A whole step if no logit moves by more than ``whole``, otherwise one that never overshoots."""
    most = 0.0
    for k in range(x.shape[0]):
        most = max(most, abs(dot(x[k], move)))
    add(here, damping(most) if most > whole else 1.0, move)


@compiled
def _expand(level: Level, at: Array, gradient: Array, hessian: Array) -> tuple[float, float]:
    """L, its gradient and information, and the sum of what the arms pull, whatever the sign."""
    x, trials, successes, _ = level
    weights = np.empty(trials.size)
    value = 0.0
    pulls = 0.0
    gradient[:] = 0.0
    for k in range(trials.size):
        logit = dot(x[k], at)
        e = np.exp(-abs(logit))  # the one thing that costs: the link, its slope and logarithm from it
        unlikely = e / (1.0 + e)
        likely = 1.0 / (1.0 + e)
        weights[k] = trials[k] * unlikely * likely
        failures = trials[k] - successes[k]
        value -= trials[k] * np.log1p(e)
        if logit > 0.0:
            value -= failures * logit
            pull = successes[k] * unlikely - failures * likely
        else:
            value += successes[k] * logit
            pull = successes[k] * likely - failures * unlikely
        pulls += abs(pull)
        add(gradient, pull, x[k])
    weighted_gram(x, weights, hessian)
    return value, pulls
