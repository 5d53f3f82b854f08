"""Logistic fits from counts: maximum likelihood, ridge or Gaussian prior, and the maximum on a hyperplane.

The data are the number of trials and of successes of each arm. Cost does not depend on how many trials they
add up to.
"""

from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from logts.logistic.kernels import log1pexp, mean, slope
from logts.logistic.newton import Minimum, Objective, Plane, minimise
from logts.logistic.separation import separating_direction
from logts.tools.algebra import Array, add, assign, cholesky, dot, weighted_gram
from logts.tools.compiling import compiled
from logts.tools.status import Status

PROOF = 1e-9
_FREE = np.empty((0, 0))


@dataclass(frozen=True)
class Fit:
    """A maximiser of the (penalised) log-likelihood.

    Attributes
    ----------
    theta
        Where it was found.
    log_likelihood
        The log-likelihood there, without the penalty.
    shortfall
        Proven bound on how far the objective at ``theta`` is below its maximum; infinite when there is no
        proof.
    proven
        Whether ``shortfall`` is below 1e-9.
    status
        ``CONVERGED`` if proven; otherwise the reason, found by a linear program when first asked for.
    direction
        For separable data a direction along which the likelihood never stops growing.
    """

    theta: Array
    log_likelihood: float
    shortfall: float
    _reason: Callable[[], tuple[Status, Array | None]] = field(repr=False)

    @property
    def proven(self) -> bool:
        return self.shortfall <= PROOF

    @cached_property
    def _explained(self) -> tuple[Status, Array | None]:
        return (Status.CONVERGED, None) if self.proven else self._reason()

    @property
    def status(self) -> Status:
        return self._explained[0]

    @property
    def direction(self) -> Array | None:
        return self._explained[1]


@compiled
def log_likelihood(points: Array, trials: Array, successes: Array, theta: Array) -> float:
    """``sum_x R_x x.theta - N_x log(1 + exp(x.theta))``, without overflow."""
    total = 0.0
    for k in range(trials.size):
        if trials[k] > 0.0:
            logit = dot(points[k], theta)
            total -= successes[k] * log1pexp(-logit) + (trials[k] - successes[k]) * log1pexp(logit)
    return total


@compiled
def gradient(points: Array, trials: Array, successes: Array, theta: Array) -> Array:
    """Gradient of the log-likelihood, ``sum_x (R_x - N_x mu(x.theta)) x``."""
    out = np.zeros(theta.size)
    for k in range(trials.size):
        if trials[k] > 0.0:
            logit = dot(points[k], theta)
            # R(1 - mu) - (N - R) mu: both parts accurate in either tail
            pull = successes[k] * mean(-logit) - (trials[k] - successes[k]) * mean(logit)
            for i in range(theta.size):
                out[i] += pull * points[k, i]
    return out


@compiled
def information(points: Array, trials: Array, theta: Array) -> Array:
    """Fisher information ``H(theta) = sum_x N_x mu'(x.theta) x x'``."""
    weights = np.zeros(trials.size)
    for k in range(trials.size):
        if trials[k] > 0.0:
            logit = dot(points[k], theta)
            weights[k] = trials[k] * slope(logit)
    out = np.empty((theta.size, theta.size))
    weighted_gram(points, weights, out)
    return out


@compiled
def information_factor(points: Array, trials: Array, theta: Array) -> tuple[Array, bool]:
    """Cholesky factor of ``H_t(theta)``, and whether there is one."""
    factor = information(points, trials, theta)
    return factor, cholesky(factor)


def maximum_likelihood(
    points: Array,
    trials: Array,
    successes: Array,
    *,
    start: Array | None = None,
    precision: Array | None = None,
    center: Array | None = None,
    normal: Array | None = None,
    offset: float = 0.0,
) -> Fit:
    """Maximise the log-likelihood, and prove it.

    By self-concordance a Newton decrement ``n`` with ``n max|x|_{H^-1} < 1`` implies that a maximiser exists
    and bounds the distance to it (:func:`logts.logistic.kernels.shortfall`). When no maximiser exists the
    status says why.

    Parameters
    ----------
    points, trials, successes
        Arms as rows, and the counts of each.
    start
        Where to begin; by default zero.
    precision, center
        With these the log-posterior ``L - (theta - m)'P(theta - m)/2`` is maximised instead.
    normal, offset
        With these the maximum is on the hyperplane ``normal.theta = offset``; ``log_likelihood + shortfall``
        is then a proven bound on the supremum there.
    """
    d = points.shape[1]
    trials, successes = checked_counts(points, trials, successes)
    base = np.zeros(d) if start is None else np.ascontiguousarray(start, dtype=float)
    penalty = _FREE if precision is None else np.ascontiguousarray(precision, dtype=float)
    middle = np.zeros(d) if center is None else np.ascontiguousarray(center, dtype=float)
    y = np.zeros(d) if normal is None else np.ascontiguousarray(normal, dtype=float)
    thetas, heights, shortfalls = maximise(
        points, trials, successes[None], base[None], penalty[None], middle, y, float(offset)
    )
    shortfall = float(shortfalls[0])
    reason = partial(_why, points, trials, successes, precision, normal, shortfall)
    return Fit(thetas[0], float(heights[0]), shortfall, reason)


def fit_again(points: Array, trials: Array, successes: Array, start: Array) -> Fit:
    """The maximum of the likelihood once more, from one nearby, for counts that were checked before."""
    zero = np.zeros(len(start))
    told = successes.reshape(1, -1)
    found = maximise(points, trials, told, start.reshape(1, -1), _FREE[None], zero, zero, 0.0)
    shortfall = float(found[2][0])
    reason = partial(_why, points, trials, successes, None, None, shortfall)
    return Fit(found[0][0], float(found[1][0]), shortfall, reason)


@compiled
def maximise(
    points: Array,
    trials: Array,
    successes: Array,
    starts: Array,
    penalties: Array,
    center: Array,
    y: Array,
    offset: float,
) -> tuple[Array, Array, Array]:
    """Several fits at once: the maximisers, the log-likelihoods there and the proven shortfalls.

    There are as many as rows in ``successes``, ``starts`` or ``penalties``, whichever has most; one row
    serves all. An empty penalty is none, a zero ``y`` is no hyperplane.
    """
    arms, d = points.shape
    count = max(len(successes), len(starts), len(penalties))
    thetas = np.empty((count, d))
    heights = np.empty(count)
    shortfalls = np.empty(count)
    eta = np.empty(arms)
    factor = np.empty((d, d))
    along = np.empty(d)
    for i in range(count):
        told = successes[i % len(successes)]
        base = starts[i % len(starts)]
        penalty = penalties[i % len(penalties)]
        tilt = gradient(points, trials, told, base)
        assign(tilt, -1.0, tilt)
        if penalty.size > 0:
            for j in range(d):
                tilt[j] += dot(penalty[j], base) - dot(penalty[j], center)
        for k in range(arms):
            eta[k] = dot(points[k], base)
        step = np.zeros(d)
        objective = Objective(points, eta, trials, tilt, penalty)
        plane = Plane(y, dot(y, base) - offset)
        _, shortfalls[i] = minimise(objective, plane, 1.0, Minimum(step, factor, along))
        assign(thetas[i], 1.0, base)
        add(thetas[i], 1.0, step)
        heights[i] = log_likelihood(points, trials, told, thetas[i])
    return thetas, heights, shortfalls


def _why(
    points: Array,
    trials: Array,
    successes: Array,
    precision: Array | None,
    normal: Array | None,
    shortfall: float,
) -> tuple[Status, Array | None]:
    """Name the reason why a fit has no proof."""
    if precision is None:
        direction = separating_direction(points, trials, successes, normal)
        if direction is not None:
            return Status.SEPARABLE, direction
        held = points[trials > 0] if normal is None else np.vstack([points[trials > 0], normal])
        if np.linalg.matrix_rank(held) < points.shape[1]:
            return Status.NOT_SPANNED, None
    return Status.STALLED if np.isfinite(shortfall) else Status.ITERATION_LIMIT, None


def checked_counts(arms: Sized, trials: Array, successes: Array) -> tuple[Array, Array]:
    """Counts for each arm as arrays of floats, or a sentence that says what is wrong with them."""
    n = np.ascontiguousarray(trials, dtype=float)
    r = np.ascontiguousarray(successes, dtype=float)
    if n.shape != (len(arms),) or r.shape != n.shape:
        raise ValueError(
            f"trials and successes must hold one count for each of {len(arms)} arms; "
            f"got shapes {n.shape} and {r.shape}"
        )
    if not _possible(n, r):
        raise ValueError("counts must be finite, with 0 <= successes <= trials for every arm")
    return n, r


@compiled
def _possible(trials: Array, successes: Array) -> bool:
    possible = True
    for k in range(trials.size):
        possible &= 0.0 <= successes[k] <= trials[k] < np.inf
    return possible
