"""Does the model fit? The residual deviance of the arms against its parametric bootstrap.

A proof within the model proves nothing when the model is wrong. When the evidence suffices, the deviance of the arms' own rates
from the fitted ones is compared with what fitted rates would give, refitted each time. A deviance is close to a gamma variable,
whose tail is long when there are few arms to spare: the misfit is its tail probability on the scale of a normal one, so that an
alarm at three standard deviations is as rare in a right model (1 in 740) whatever the number of arms.
"""

import numpy as np
from scipy.special import expit, gammaincc, ndtri

from logts._compile import compiled
from logts.algebra import Array
from logts.logistic.fit import Fit, log_likelihood, maximise

ALARM = 3.0
DRAWS = 100


def misfit(points: Array, trials: Array, successes: Array, fit: Fit, rng: np.random.Generator) -> float:
    """How unlikely the deviance is if the model holds, in normal standard deviations; minus infinity where it cannot be wrong."""
    tried = trials > 0
    x, n, r = np.ascontiguousarray(points[tried]), trials[tried], successes[tried]
    if len(x) <= points.shape[1]:
        return -np.inf
    rates = expit(x @ fit.theta)
    drawn = rng.binomial(n.astype(np.int64), rates, size=(DRAWS, len(n))).astype(float)
    draws = _refitted_deviances(x, n, drawn, fit.theta)
    mean, variance = draws.mean(), max(draws.var(ddof=1), 1e-12)
    tail = gammaincc(mean**2 / variance, _deviance(x, n, r, fit.theta) * mean / variance)
    return float(-ndtri(tail))


@compiled
def _refitted_deviances(x: Array, n: Array, drawn: Array, start: Array) -> Array:
    d = start.size
    # A trace of ridge: a draw may be separable, and the deviance then still has a limit.
    zero, ridge, out = np.zeros(d), 1e-6 * np.eye(d), np.empty(drawn.shape[0])
    for i in range(drawn.shape[0]):
        theta, _, _ = maximise(x, n, drawn[i], start, ridge, zero, zero, 0.0)
        out[i] = _deviance(x, n, drawn[i], theta)
    return out


@compiled
def _deviance(x: Array, n: Array, r: Array, theta: Array) -> float:
    total = -log_likelihood(x, n, r, theta)
    for k in range(n.size):
        if 0.0 < r[k] < n[k]:
            total += r[k] * np.log(r[k] / n[k]) + (n[k] - r[k]) * np.log1p(-r[k] / n[k])
    return 2.0 * total
