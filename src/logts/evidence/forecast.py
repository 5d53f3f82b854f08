"""Forecasts of the next outcome, and the score that they earn: one side of the evidence.

Before each outcome a forecast ``q`` of success is fixed from the outcomes of earlier asks. With ``Q = sum log
q(r)``, for the true theta ``exp(Q - L(theta))`` is a martingale that starts at 1, whatever the forecasts.
Good ones stay within about ``(d/2) log t`` of the best fit. Here: Gaussian posteriors under several prior
scales, each moved by one Newton step for each outcome, mixed with Bayes weights, so that nobody has to choose
the scale.

Outcomes are scored in the order of the asks, each with what is known of all earlier asks, even if it came
back before them: the arm was fixed when it was asked for, so its outcome is still a coin toss given those.
"""

import numpy as np

from logts.evidence.tally import Tally, count, where_tried
from logts.logistic.fit import information, maximise
from logts.logistic.kernels import mean
from logts.tools.algebra import Array, Indices, add, cholesky, dot, solve_lower
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

SCALES = (0.5, 1.5, 5.0)  # prior standard deviations of the logit of a typical arm
FIRST_REFIT = 16  # outcomes before the first exact fit, at the least
GROWTH = 1.2  # what is known grows by so much from one exact fit to the next


class Forecaster(Stateful):
    """A mixture of Gaussian posteriors, in the coordinates of :class:`logts.Arms`."""

    _kept = ("_means", "_covariances", "_weights", "due")

    def __init__(self, points: Array) -> None:
        d = points.shape[1]
        self._points = points
        # In these coordinates mean(x x') = I: N(0, s^2/d I) gives a typical logit the standard deviation s.
        self._precisions = np.array([d / scale**2 * np.eye(d) for scale in SCALES])
        self._means = np.zeros((len(SCALES), d))
        self._covariances = np.array([scale**2 / d * np.eye(d) for scale in SCALES])
        self._weights = np.full(len(SCALES), 1.0 / len(SCALES))
        self.due = max(2 * d, FIRST_REFIT)  # outcomes still to come before the next refit

    @property
    def best(self) -> Array:
        """The posterior mode under the scale that has forecast best."""
        return self._means[self._weights.argmax()]

    def absorb(self, arms: Indices, outcomes: Array, tally: Tally, past: Tally) -> None:
        """Count these outcomes into a tally, and score the forecasts of them one after the other.

        Each is learned from. Now and then, at places that the order of the asks alone decides, the posteriors
        are fitted exactly to all that is known there: the tally up to there, and the ``past`` from before the
        study. Were it done when outcomes arrive, a forecast could depend on whether its own outcome came back
        early.
        """
        seen = tally.trials, tally.successes, tally.scores
        posterior = self._means, self._covariances, self._weights
        done = 0
        while done < len(arms):
            end = min(done + self.due, len(arms))
            _absorb(self._points, arms[done:end], outcomes[done:end], posterior, seen)
            self.due -= end - done
            done = end
            if self.due == 0:
                self.fit(tally.plus(past.trials, past.successes))

    def fit(self, known: Tally) -> None:
        """Replace the one-step posteriors by exact modes and curvatures from all that is known."""
        zero = np.zeros(self._points.shape[1])
        points, trials, successes = where_tried(self._points, known.trials, known.successes)
        self._means[:], _, _ = maximise(
            points, trials, successes[None], self._means, self._precisions, zero, zero, 0.0
        )
        _invert(points, trials, self._means, self._precisions, self._covariances)
        self.due = max(1, int((GROWTH - 1.0) * known.total))


@compiled
def _absorb(
    points: Array,
    arms: Indices,
    outcomes: Array,
    posterior: tuple[Array, Array, Array],
    seen: tuple[Array, Array, Array],
) -> None:
    """Add the logarithm of what the mixture forecast for each outcome to the score of its arm.

    Every part of the mixture moves with each outcome.
    """
    means, covariances, weights = posterior
    trials, successes, scores = seen
    count(trials, successes, arms, outcomes)
    scales, d = means.shape
    joint = np.empty(d)  # covariance of the parameter with the logit of the arm at hand
    for s in range(arms.size):
        x = points[arms[s]]
        yes = outcomes[s] != 0
        forecast = 0.0
        for c in range(scales):
            for i in range(d):
                joint[i] = dot(covariances[c, i], x)
            variance = max(dot(x, joint), 0.0)  # rounding may put it below where an arm lies far out
            logit = dot(x, means[c])
            # The mean of the link under a normal logit, to two digits; any forecast is valid.
            flat = logit / np.sqrt(1.0 + 0.125 * np.pi * variance)
            weights[c] *= mean(flat if yes else -flat)
            forecast += weights[c]
            e = np.exp(-abs(logit))
            curvature = e / ((1.0 + e) * (1.0 + e))
            pull = (1.0 if (logit > 0.0) != yes else e) / (1.0 + e)  # |r - mu|
            shrink = 1.0 / (1.0 + curvature * variance)
            gain = (pull if yes else -pull) * shrink
            curvature *= shrink
            for i in range(d):
                means[c, i] += gain * joint[i]
                for j in range(d):
                    covariances[c, i, j] -= curvature * joint[i] * joint[j]
        scores[arms[s]] += np.log(forecast)
        # A scale that forecasts badly keeps a trace of weight, so that it may come back.
        for c in range(scales):
            weights[c] = max(weights[c] / forecast, 1e-100)


@compiled
def _invert(points: Array, trials: Array, means: Array, precisions: Array, covariances: Array) -> None:
    """Covariances ``L^-T L^-1`` at the modes, needed as matrices because rank-one updates act on them."""
    d = points.shape[1]
    for c in range(means.shape[0]):
        factor = information(points, trials, means[c])
        for i in range(d):
            add(factor[i], 1.0, precisions[c, i])
        if not cholesky(factor):  # lost to rounding: what is there serves as well, for any forecast is valid
            continue
        rows = np.zeros((d, d))
        for i in range(d):
            rows[i, i] = 1.0
            solve_lower(factor, rows[i])  # row i is L^-1 e_i
        for i in range(d):
            for j in range(d):
                covariances[c, i, j] = dot(rows[i], rows[j])
