"""Forecasts of the next outcome, and the score that they earn: one side of the evidence.

Before each outcome a forecast ``q`` of success is fixed from the outcomes of earlier asks. With ``Q = sum log q(r)``, for the true
theta ``exp(Q - L(theta))`` is a martingale that starts at 1, whatever the forecasts. Good ones stay within about ``(d/2) log t`` of
the best fit. Here: Gaussian posteriors under several prior scales, each moved by one Newton step for each outcome, mixed with
Bayes weights, so that nobody has to choose the scale.

Outcomes are scored in the order of the asks, each with what is known of all earlier asks, even if it came back before them: the
arm was fixed when it was asked for, so its outcome is still a coin toss given those.
"""

import numpy as np

from logts._compile import compiled
from logts.algebra import Array, cholesky, dot, solve_lower
from logts.logistic.fit import information, maximum_likelihood
from logts.logistic.kernels import log1pexp, mean, slope

SCALES = (0.5, 1.5, 5.0)  # prior standard deviations of the logit of a typical arm


class Forecaster:
    """A mixture of Gaussian posteriors, in the coordinates of :class:`logts.Arms`."""

    def __init__(self, points: Array) -> None:
        d = points.shape[1]
        self._points = points
        # In these coordinates mean(x x') = I, so N(0, s^2/d I) gives a typical logit the standard deviation s.
        self._precisions = [d / scale**2 * np.eye(d) for scale in SCALES]
        self._means = np.zeros((len(SCALES), d))
        self._covariances = np.array([scale**2 / d * np.eye(d) for scale in SCALES])
        self._log_weights = np.full(len(SCALES), -np.log(len(SCALES)))
        self.score = 0.0

    @property
    def best(self) -> Array:
        """The posterior mode under the scale that has forecast best."""
        return self._means[int(np.argmax(self._log_weights))]

    def absorb(self, arms: Array, outcomes: Array) -> None:
        """Score the forecasts of these outcomes one after the other, learning from each."""
        self.score += _absorb(self._points, arms, outcomes, self._means, self._covariances, self._log_weights)

    def refit(self, trials: Array, successes: Array) -> None:
        """Replace the one-step posteriors by exact modes and curvatures from all counts."""
        for i, precision in enumerate(self._precisions):
            fit = maximum_likelihood(self._points, trials, successes, start=self._means[i], precision=precision)
            self._means[i] = fit.theta
            self._covariances[i] = _inverse(information(self._points, trials, fit.theta) + precision)


@compiled
def _absorb(points: Array, arms: Array, outcomes: Array, means: Array, covariances: Array, log_weights: Array) -> float:
    scales, d = means.shape
    total = 0.0
    spread = np.empty(d)
    logs = np.empty(scales)
    for s in range(arms.size):
        x = points[arms[s]]
        yes = outcomes[s] != 0
        for c in range(scales):
            for i in range(d):
                spread[i] = dot(covariances[c, i], x)
            variance = dot(x, spread)
            logit = dot(x, means[c])
            # The mean of the link under a normal logit, to two digits; any forecast is valid.
            flat = logit / np.sqrt(1.0 + 0.125 * np.pi * variance)
            logs[c] = log_weights[c] - log1pexp(-flat if yes else flat)
            curvature = slope(logit)
            gain = (mean(-logit) if yes else -mean(logit)) / (1.0 + curvature * variance)
            shrink = curvature / (1.0 + curvature * variance)
            for i in range(d):
                means[c, i] += gain * spread[i]
                for j in range(d):
                    covariances[c, i, j] -= shrink * spread[i] * spread[j]
        top = logs.max()
        sum_ = 0.0
        for c in range(scales):
            sum_ += np.exp(logs[c] - top)
        earned = top + np.log(sum_)
        total += earned
        for c in range(scales):
            log_weights[c] = logs[c] - earned
    return total


@compiled
def _inverse(matrix: Array) -> Array:
    """Covariance from precision: ``L^-T L^-1``, needed as a matrix because rank-one updates act on it."""
    d = matrix.shape[0]
    factor = matrix.copy()
    cholesky(factor)
    rows = np.eye(d)
    for i in range(d):
        solve_lower(factor, rows[i])  # row i is L^-1 e_i
    return np.dot(rows, rows.T)
