"""Does the model fit? The residual deviance of the arms against its parametric bootstrap.

A proof within the model proves nothing when the model is wrong. When the evidence suffices, the deviance of the arms' own rates
from the fitted ones is compared with what fitted rates would give, refitted each time. A deviance is close to a gamma variable,
whose tail is long when there are few arms to spare: the misfit is its tail probability on the scale of a normal one, so that an
alarm at three standard deviations is as rare in a right model (1 in 740) whatever the number of arms.
"""

import numpy as np
from scipy.special import expit, xlogy
from scipy.stats import gamma, norm

from logts.algebra import Array
from logts.logistic.fit import Fit, log_likelihood, maximum_likelihood

ALARM = 3.0
DRAWS = 100


def misfit(points: Array, trials: Array, successes: Array, fit: Fit, rng: np.random.Generator) -> float:
    """How unlikely the deviance is if the model holds, in normal standard deviations; minus infinity where it cannot be wrong."""
    tried = trials > 0
    x, n, r = np.ascontiguousarray(points[tried]), trials[tried], successes[tried]
    if len(x) <= points.shape[1]:
        return -np.inf
    seen = _deviance(x, n, r, fit.theta)
    rates = expit(x @ fit.theta)
    draws = np.empty(DRAWS)
    for i in range(DRAWS):
        drawn = rng.binomial(n.astype(np.int64), rates).astype(float)
        # A trace of ridge: a draw may be separable, and the deviance then still has a limit.
        again = maximum_likelihood(x, n, drawn, start=fit.theta, precision=1e-6 * np.eye(x.shape[1]))
        draws[i] = _deviance(x, n, drawn, again.theta)
    mean, variance = draws.mean(), max(draws.var(ddof=1), 1e-12)
    return float(norm.isf(gamma.sf(seen, mean**2 / variance, scale=variance / mean)))


def _deviance(x: Array, n: Array, r: Array, theta: Array) -> float:
    saturated = xlogy(r, r / n) + xlogy(n - r, 1.0 - r / n)
    return 2.0 * float(saturated.sum() - log_likelihood(x, n, r, theta))
