"""The largest likelihood over the alternatives, exactly: what the rules on the exact likelihood share."""

import math
from typing import Any

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.logistic.fit import Fit, gradient, information, maximum_likelihood
from logts.logistic.newton import reach, screening_distance
from logts.stopping.base import State
from logts.tools.algebra import Array, cholesky


def largest_alternative(
    points: Array, trials: Array, successes: Array, fit: Fit, alternatives: Alternatives
) -> tuple[float, HalfSpaces] | None:
    """``sup over Alt L`` and the half-space where it lies, for the answer at a maximum-likelihood fit; None without proof.

    The nearest half-space is maximised over first; self-concordance then proves most others to lie lower, and the rest are
    maximised over one by one.
    """
    factor = information(points, trials, fit.theta)
    if not fit.proven or not cholesky(factor):
        return None
    nearest, _ = alternatives.nearest(fit.theta, factor, 1)
    rival = alternatives.take(nearest)
    supremum = _supremum(points, trials, successes, fit, rival)
    lead = fit.log_likelihood + fit.shortfall - supremum
    if not math.isfinite(lead):
        return None
    limit = screening_distance(max(lead, 0.0), reach(points, trials, factor))
    for index in alternatives.within(fit.theta, factor, limit):
        if index != nearest[0]:
            other = alternatives.take(np.array([index]))
            value = _supremum(points, trials, successes, fit, other)
            if value > supremum:
                supremum, rival = value, other
    return (supremum, rival) if math.isfinite(supremum) else None


def weigh(state: State) -> tuple[Any, float, tuple[int, ...]] | None:
    """The answer at the fit, the largest log-likelihood over its alternatives, and the rival; None while nothing is proven."""
    posed = state.pose(state.fit.theta) if state.fit.proven else None
    found = largest_alternative(state.points, state.trials, state.successes, state.fit, posed[1]) if posed else None
    return (posed[0], found[0], tuple(found[1].about[0])) if posed and found else None


def each_alternative(points: Array, trials: Array, successes: Array, fit: Fit, half_spaces: HalfSpaces) -> Array:
    """For every half-space by itself a proven upper bound on the log-likelihood there; infinite when there is no proof."""
    found = np.full(len(half_spaces), math.inf)
    if fit.proven:
        for j in np.flatnonzero(half_spaces.margins(fit.theta) > 0.0):  # the others hold the overall maximum
            found[j] = _supremum(points, trials, successes, fit, half_spaces.take([j]))
    return found


def _supremum(points: Array, trials: Array, successes: Array, fit: Fit, half_space: HalfSpaces) -> float:
    """Proven upper bound on the log-likelihood over one half-space; infinite when there is no proof."""
    y, c = half_space.normals[0], float(half_space.offsets[0])
    found = maximum_likelihood(points, trials, successes, start=fit.theta, normal=y, offset=c)
    if not found.proven or y @ gradient(points, trials, successes, found.theta) < 0.0:
        return math.inf  # no maximum on the hyperplane, or the half-space holds the overall maximum
    return found.log_likelihood + found.shortfall
