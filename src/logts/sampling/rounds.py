"""What rules share that decide anew in every round: the last estimate, ready for compiled code.

Between two looks at the evidence the estimate stays. The rounds between them are played one by one in
compiled code. Half-spaces are written out for that, all of them unless they are many; then those nearest
under the weights of the moment, chosen again every sixteen rounds.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from logts.alternatives import HalfSpaces
from logts.arms import Arms
from logts.design.game import information_factor
from logts.problems import Posed
from logts.sampling.base import characteristic_time_of
from logts.tools.algebra import (
    Array,
    Indices,
    cholesky,
    dot,
    solve_lower,
    solve_upper,
    squared_norms,
    weighted_gram,
)
from logts.tools.compiling import compiled
from logts.tools.status import Status

WRITTEN = 1000  # up to so many half-spaces, all are written out
NEAR = 256  # of more, so many of the nearest,
BATCH = 16  # for so many rounds


# Points, slopes, normals, margins, covariance, widths: what the three below name. Compiled code takes a plain
# tuple from Python several times as fast as a named one.
Parts = tuple[Array, Array, Array, Array, Array, Array]


class Field(NamedTuple):
    """Arms at the last estimate: their points, and ``mu'`` of each."""

    points: Array
    slopes: Array


class Rivals(NamedTuple):
    """The half-spaces against the last estimate."""

    normals: Array
    margins: Array


class Known(NamedTuple):
    """How well the estimate is known, with all trials so far: ``H^-1``, and ``|x|^2`` in it."""

    covariance: Array
    widths: Array


@compiled
def named(parts: Parts) -> tuple[Field, Rivals, Known]:
    """Give the parts their names."""
    points, slopes, normals, margins, covariance, widths = parts
    return Field(points, slopes), Rivals(normals, margins), Known(covariance, widths)


class RoundByRound(ABC):
    """The part of such a rule that does not depend on the rule; a subclass says how rounds are played."""

    def __init__(self, arms: Arms) -> None:
        self._points = arms.points
        self._spanning = arms.spanning
        self._posed: Posed | None = None
        self._rivals = HalfSpaces(np.empty((0, arms.dimension)), np.empty(0), [])
        self._root = np.eye(arms.dimension)
        self._field = Field(arms.points, np.full(len(arms), 0.25))
        self._known = Known(self._root, np.zeros(len(arms)))
        self._written_out = True
        self._put_together(np.zeros(arms.dimension))
        self._trials = np.zeros(len(arms))
        self._made = np.zeros(len(arms))
        self._clock = np.zeros(1)
        self.characteristic_time = np.inf

    def patience(self, t: int) -> float:
        return np.inf

    def learn(self, posed: Posed, trials: Array) -> None:
        """Take in a new estimate.

        At a tie, or while the trials do not determine the parameter, the last one stays.
        """
        if posed.status is not Status.CONVERGED or posed.answer is None:
            return
        eta = self._points @ posed.theta
        factor, regular = information_factor(self._points, eta, trials)
        if not regular:
            return
        known = self._posed is not None and self._posed.alternatives is posed.alternatives
        self._posed = posed
        self._trials = trials.copy()
        self._written_out = len(posed.alternatives) <= WRITTEN
        self._root = inverse_root(factor)
        self._field = Field(self._points, expit(eta) * expit(-eta))
        self._known = Known(self._root @ self._root.T, squared_norms(self._points, factor))
        self._clock[0] = trials.sum()
        if self._written_out and not known:
            self._write_out(trials)
        else:
            self._put_together(posed.theta)
        self.characteristic_time = characteristic_time_of(self._points, posed, trials / trials.sum())

    def next(self, n: int) -> Indices:
        if self._written_out:
            return self._rounds(n)
        parts = []
        for first in range(0, n, BATCH):
            self._write_out(self._weights)
            parts.append(self._rounds(min(BATCH, n - first)))
        return np.concatenate(parts)

    @property
    def _weights(self) -> Array:
        """The allocation in whose metric half-spaces are near."""
        return self._trials

    @abstractmethod
    def _rounds(self, n: int) -> Indices:
        """Play ``n`` rounds against the half-spaces at hand; without any there is no estimate yet."""

    def _write_out(self, weights: Array) -> None:
        if self._posed is None:
            return
        theta = self._posed.theta
        everything = self._posed.alternatives
        chosen = np.arange(len(everything))
        if not self._written_out:
            factor, regular = information_factor(self._points, self._points @ theta, weights)
            chosen = everything.nearest(theta, factor if regular else np.eye(len(theta)), NEAR)[0]
        rivals = everything.take(chosen)
        # items with equal features are no rivals
        self._rivals = rivals.take(np.flatnonzero(rivals.normals.any(axis=1)))
        self._put_together(theta)

    def _put_together(self, theta: Array) -> None:
        """What a round looks at, for compiled code."""
        self._parts = (*self._field, self._rivals.normals, self._rivals.margins(theta), *self._known)


@compiled
def inverse_root(factor: Array) -> Array:
    """``R = L^-T``, so that ``R R' = H^-1`` where ``H = L L'``."""
    columns = np.eye(factor.shape[0])
    for i in range(factor.shape[0]):
        solve_upper(factor, columns[i])
    return np.ascontiguousarray(columns.T)


@compiled
def absorb(known: Known, field: Field, arm: int) -> None:
    """Count one more trial of an arm: ``H^-1`` and the ``|x|^2`` in it, after adding ``mu' x x'`` to H."""
    covariance, widths = known
    points, slopes = field
    pull = np.dot(covariance, points[arm])
    scale = slopes[arm] / (1.0 + slopes[arm] * dot(points[arm], pull))
    for i in range(pull.size):
        for j in range(pull.size):
            covariance[i, j] -= scale * pull[i] * pull[j]
    for k in range(widths.size):
        widths[k] = max(widths[k] - scale * dot(points[k], pull) ** 2, 0.0)


@compiled
def costs(points: Array, information: Array, rivals: Rivals, factor: Array) -> Array:
    """``psi_j``, what each half-space costs nature, quadratic, for arms with this much information.

    Zeros if the arms say nothing in some direction; ``factor`` receives the Cholesky factor of H.
    """
    normals, margins = rivals
    weighted_gram(points, information, factor)
    if not cholesky(factor):
        return np.zeros(margins.size)
    out = squared_norms(normals, factor)
    for j in range(out.size):
        out[j] = 0.5 * margins[j] * margins[j] / out[j]
    return out


@compiled
def payoffs(field: Field, rivals: Rivals, j: int, cost: float, factor: Array, out: Array) -> None:
    """``mu'_x (x.u)^2 / 2`` for every arm, u nature's best step: the gradient of ``psi_j``."""
    points, slopes = field
    u = rivals.normals[j].copy()
    solve_lower(factor, u)
    solve_upper(factor, u)
    u *= 2.0 * cost / rivals.margins[j]
    for k in range(out.size):
        out[k] = 0.5 * slopes[k] * dot(points[k], u) ** 2
