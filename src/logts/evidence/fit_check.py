"""Does the model fit? The residual deviance of the arms against its parametric bootstrap.

A proof within the model proves nothing when the model is wrong. When the evidence suffices, the deviance of the arms' own rates
from the fitted ones is compared with what fitted rates would give, refitted each time. A deviance is close to a gamma variable,
whose tail is long when there are few arms to spare: the misfit is its tail probability on the scale of a normal one, so that an
alarm at three standard deviations is as rare in a right model (1 in 740) whatever the number of arms.
"""

import numpy as np
from scipy.special import expit, gammaincc, ndtri, xlogy

from logts.logistic.fit import Fit, maximise
from logts.tools.algebra import Array

ALARM, CALM = 3.0, 2.0  # an alarm is raised above the first; later, with more data, it is withdrawn below the second
DRAWS = 100


def misfit(points: Array, trials: Array, successes: Array, fit: Fit, rng: np.random.Generator) -> float:
    """How unlikely the deviance is if the model holds, in normal standard deviations; minus infinity where it cannot be wrong."""
    tried = trials > 0
    x, n, r = np.ascontiguousarray(points[tried]), trials[tried], successes[tried]
    if len(x) <= points.shape[1]:
        return -np.inf
    rates = expit(x @ fit.theta)
    drawn = rng.binomial(n.astype(np.int64), rates, size=(DRAWS, len(n))).astype(float)
    # A trace of ridge: a draw may be separable, and the deviance then still has a limit.
    zero, ridge = np.zeros(x.shape[1]), 1e-6 * np.eye(x.shape[1])
    _, heights, _ = maximise(x, n, drawn, fit.theta[None], ridge[None], zero, zero, 0.0)
    draws = 2.0 * (_saturated(n, drawn) - heights)
    mean, variance = draws.mean(), max(draws.var(ddof=1), 1e-12)
    seen = 2.0 * (_saturated(n, r) - fit.log_likelihood)
    tail = gammaincc(mean**2 / variance, seen * mean / variance)
    return float(-ndtri(tail))


def _saturated(n: Array, r: Array) -> Array:
    """The largest log-likelihood of any model, one rate for each arm."""
    return (xlogy(r, r / n) + xlogy(n - r, 1.0 - r / n)).sum(axis=-1)
