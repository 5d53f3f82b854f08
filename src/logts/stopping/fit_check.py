"""Does the model fit? The residual deviance of the arms against its parametric bootstrap.

A proof within the model proves nothing when the model is wrong. When the evidence suffices, the deviance of the arms' own rates
from the fitted ones is compared with what fitted rates would give, refitted each time; four standard deviations above that, the
model is in doubt.
"""

import numpy as np
from scipy.special import expit, xlogy

from logts.algebra import Array
from logts.logistic.fit import Fit, log_likelihood, maximum_likelihood

ALARM = 4.0
DRAWS = 60


def misfit(points: Array, trials: Array, successes: Array, fit: Fit, rng: np.random.Generator) -> float:
    """Standard deviations by which the deviance exceeds its bootstrap mean; minus infinity where the model cannot be wrong."""
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
    return float((seen - draws.mean()) / max(draws.std(ddof=1), 1e-12))


def _deviance(x: Array, n: Array, r: Array, theta: Array) -> float:
    saturated = xlogy(r, r / n) + xlogy(n - r, 1.0 - r / n)
    return 2.0 * float(saturated.sum() - log_likelihood(x, n, r, theta))
