"""Stop when every alternative is refuted: the default rule, proven without any bound on theta.

With the forecaster's score ``Q`` and the log-likelihood ``L`` over the same outcomes, Ville's inequality gives
``P(some t: Q - L(theta) >= log 1/delta) <= delta`` for the true theta. So stop when ``sup over Alt L < Q - log(1/delta)``: if the
answer were wrong, theta would lie in Alt and that event would have happened. Valid at any time, for any way of choosing arms.
"""

import math
from dataclasses import dataclass

import numpy as np

from logts.algebra import Array, cholesky
from logts.half_spaces import Alternatives, HalfSpaces
from logts.logistic.fit import Fit, information, maximum_likelihood, score
from logts.logistic.newton import reach, screening_distance


@dataclass(frozen=True)
class Reading:
    """What the data say against the alternatives to one answer.

    Attributes
    ----------
    evidence
        ``Q - sup over Alt L``, proven; minus infinity when it could not be proven.
    rival
        The half-space that is hardest to rule out, or None.
    """

    evidence: float
    rival: HalfSpaces | None

    @property
    def p_value(self) -> float:
        """Always-valid p-value of the alternatives, now."""
        return math.exp(min(0.0, -self.evidence))


NOTHING = Reading(-math.inf, None)


def read(points: Array, trials: Array, successes: Array, fit: Fit, alternatives: Alternatives, forecast_score: float) -> Reading:
    """Evidence against the alternatives to the answer at the maximum-likelihood fit, exactly.

    The nearest half-space is maximised over first; self-concordance then proves most others to lie lower, and the rest are
    maximised over one by one.
    """
    if not fit.proven:
        return NOTHING
    factor = information(points, trials, fit.theta)
    if not cholesky(factor):
        return NOTHING
    nearest, _ = alternatives.nearest(fit.theta, factor, 1)
    rival = alternatives.take(nearest)
    supremum = _supremum(points, trials, successes, fit, rival)
    if not math.isfinite(supremum):
        return NOTHING
    lead = fit.log_likelihood + fit.shortfall - supremum
    limit = screening_distance(max(lead, 0.0), reach(points, trials, factor))
    for index in np.setdiff1d(alternatives.within(fit.theta, factor, limit), nearest):
        other = alternatives.take([index])
        value = _supremum(points, trials, successes, fit, other)
        if not math.isfinite(value):
            return NOTHING
        if value > supremum:
            supremum, rival = value, other
    return Reading(forecast_score - supremum, rival)


def _supremum(points: Array, trials: Array, successes: Array, fit: Fit, half_space: HalfSpaces) -> float:
    """Proven upper bound on the log-likelihood over one half-space; infinite when there is no proof."""
    y, c = half_space.normals[0], float(half_space.offsets[0])
    found = maximum_likelihood(points, trials, successes, start=fit.theta, normal=y, offset=c)
    if not found.proven or y @ score(points, trials, successes, found.theta) < 0.0:
        return math.inf  # no maximum on the hyperplane, or the half-space holds the overall maximum
    return found.log_likelihood + found.shortfall
