"""Does the model fit? The residual deviance of the arms against its parametric bootstrap.

A proof within the model proves nothing when the model is wrong. When the evidence suffices, the deviance of
the arms' own rates from the fitted ones is compared with what fitted rates would give, refitted each time. A
deviance is close to a gamma variable, whose tail is long when there are few arms to spare: the misfit is its
tail probability on the scale of a normal one, so that an alarm at three standard deviations is as rare in a
right model (1 in 740) whatever the number of arms.
"""

import numpy as np
from scipy.special import expit, gammaincc, ndtri, xlogy

from logts.evidence.tally import Tally
from logts.logistic.fit import Fit, maximise
from logts.tools.algebra import Array

ALARM = 3.0  # above so many standard deviations the alarm is raised
CALM = 2.0  # and withdrawn below so many, with more data
DRAWS = 100


def misfit(points: Array, tally: Tally, fit: Fit, rng: np.random.Generator) -> float:
    """How unlikely the deviance is if the model holds, in normal standard deviations.

    -inf where it cannot be wrong.
    """
    tried = tally.trials > 0
    x = np.ascontiguousarray(points[tried])
    n = tally.trials[tried]
    r = tally.successes[tried]
    if len(x) <= points.shape[1]:
        return -np.inf
    rates = expit(x @ fit.theta)
    drawn = rng.binomial(n.astype(np.int64), rates, size=(DRAWS, len(n))).astype(float)
    # A trace of ridge: a draw may be separable, and the deviance then still has a limit.
    zero = np.zeros(x.shape[1])
    ridge = 1e-6 * np.eye(x.shape[1])
    _, heights, _ = maximise(x, n, drawn, fit.theta[None], ridge[None], zero, zero, 0.0)
    draws = 2.0 * (_saturated(n, drawn) - heights)
    mean = draws.mean()
    variance = max(draws.var(ddof=1), 1e-12)
    seen = 2.0 * (_saturated(n, r) - fit.log_likelihood)
    tail = gammaincc(mean**2 / variance, seen * mean / variance)
    return float(-ndtri(tail))


def _saturated(n: Array, r: Array) -> Array:
    """The largest log-likelihood of any model, one rate for each arm."""
    return (xlogy(r, r / n) + xlogy(n - r, 1.0 - r / n)).sum(axis=-1)
