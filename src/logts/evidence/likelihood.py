"""The largest likelihood over the alternatives, exactly: what the rules on the exact likelihood share."""

import math

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.evidence.tally import Tally
from logts.logistic.fit import Fit, gradient, information_factor, maximum_likelihood
from logts.logistic.newton import reach, screening_distance
from logts.tools.algebra import Array
from logts.tools.compiling import compiled


def largest_alternative(
    points: Array, tally: Tally, fit: Fit, alternatives: Alternatives
) -> tuple[float, tuple[int, ...]] | None:
    """``sup over Alt L``, and the items that the half-space compares where it lies; None without proof.

    The alternatives are those to the answer at a maximum-likelihood fit. The nearest half-space is maximised
    over first; self-concordance then proves most others to lie lower, and the rest are maximised over one by
    one.
    """
    factor, regular = information_factor(points, tally.trials, fit.theta)
    if not fit.proven or not regular:
        return None
    nearest, _ = alternatives.nearest(fit.theta, factor, 1)
    rival = alternatives.take(nearest)
    supremum = _supremum(points, tally, fit, rival)
    lead = fit.log_likelihood + fit.shortfall - supremum
    if not math.isfinite(lead):
        return None
    limit = _screening_limit(points, tally.trials, factor, max(lead, 0.0))
    for index in alternatives.within(fit.theta, factor, limit):
        if index != nearest[0]:
            other = alternatives.take(np.array([index]))
            value = _supremum(points, tally, fit, other)
            if value > supremum:
                supremum = value
                rival = other
    return (supremum, tuple(rival.about[0])) if math.isfinite(supremum) else None


def _supremum(points: Array, tally: Tally, fit: Fit, half_space: HalfSpaces) -> float:
    """Proven upper bound on the log-likelihood over one half-space; infinite when there is no proof."""
    y = half_space.normals[0]
    c = float(half_space.offsets[0])
    found = maximum_likelihood(points, tally.trials, tally.successes, start=fit.theta, normal=y, offset=c)
    if not found.proven or y @ gradient(points, tally.trials, tally.successes, found.theta) < 0.0:
        return math.inf  # no maximum on the hyperplane, or the half-space holds the overall maximum
    return found.log_likelihood + found.shortfall


@compiled
def _screening_limit(points: Array, trials: Array, factor: Array, lead: float) -> float:
    """The distance from which on a half-space is proven to lie lower by at least ``lead``."""
    return screening_distance(lead, reach(points, trials, factor))
