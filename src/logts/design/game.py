"""The game behind a design: bounds on its value from either side, over all arms and half-spaces.

For weights ``w`` on the simplex and a mixture ``q`` over points ``theta + u_i`` of the alternative,

    min_j psi_j(w)   <=   1 / T*   <=   max_x sum_i q_i D_x(u_i),

the left side because ``w`` is one strategy of the allocator, the right because ``q`` is one of nature. Both
are computed from scratch, whatever produced ``w`` and ``q``; their ratio is the certificate that every design
carries. (With the quadratic divergence and ``q_j`` proportional to ``p_j phi_j^2`` the right side is at least
as tight as the usual ``max_x g_x / (2 f^2)``, by Jensen's inequality.)
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.design.responses import (
    SOFT,
    Board,
    exact_moves,
    payoff,
    quadratic_moves,
    respond,
    respond_quadratically,
    room_for,
)
from logts.logistic.kernels import slope
from logts.logistic.newton import Minimum, reach, screening_distance
from logts.tools.algebra import Array, Indices, cholesky, weighted_gram
from logts.tools.compiling import compiled
from logts.tools.state import record
from logts.tools.status import Status

Divergence = Literal["kl", "quadratic"]  # the Kullback-Leibler divergence, or the paper's approximation


@record
@dataclass(frozen=True)
class Design:
    """An allocation of trials to arms, with proof of how good it is.

    Attributes
    ----------
    weights
        Proportion of trials for each arm.
    characteristic_time
        Trials per unit of evidence under these weights; at most ``1 + gap`` times the least possible.
    at_least
        Proven lower bound on the least possible characteristic time.
    gap
        ``characteristic_time / at_least - 1``.
    rivals, mixture, moves
        Nature's side of the proof: half-spaces, the probability of each, and the step ``lambda - theta`` into
        each.
    scans
        How often all arms were looked at.
    status
        Whether the tolerance was met.
    """

    weights: Array
    characteristic_time: float
    at_least: float
    rivals: HalfSpaces
    mixture: Array
    moves: Array
    scans: int
    status: Status

    @property
    def gap(self) -> float:
        return self.characteristic_time / self.at_least - 1.0 if self.at_least > 0.0 else np.inf


@dataclass(frozen=True)
class Game:
    """Arms (rows of ``points``), a parameter, the alternatives to its answer, and the divergence."""

    points: Array
    theta: Array
    alternatives: Alternatives
    divergence: Divergence
    eta: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", self.points @ self.theta)

    @property
    def exact(self) -> bool:
        """Whether the divergence is the exact one."""
        return self.divergence == "kl"

    def softened(self) -> "Game":
        """The quadratic game with logits so near to zero that every arm tells something: where to start."""
        soft = Game(self.points, self.theta, self.alternatives, "quadratic")
        object.__setattr__(soft, "eta", np.clip(self.eta, -SOFT, SOFT))
        return soft

    def restricted(self, arms: Indices, rivals: Indices) -> "Game":
        """The game on some of the arms and half-spaces."""
        part = Game(
            np.ascontiguousarray(self.points[arms]),
            self.theta,
            self.alternatives.take(rivals),
            self.divergence,
        )
        object.__setattr__(part, "eta", self.eta[arms])
        return part


@compiled
def nature_bound(points: Array, eta: Array, moves: Array, mixture: Array, exact: bool) -> Array:
    """``sum_i q_i D_x(u_i)`` for every arm; the largest of them bounds ``1 / T*`` from above."""
    out = np.empty(eta.size)
    columns = np.ascontiguousarray(moves.T)
    for first in range(0, eta.size, 512):  # blocks that stay in the cache
        steps = np.dot(points[first : first + 512], columns)
        for i in range(steps.shape[0]):
            total = 0.0
            for j in range(mixture.size):
                total += mixture[j] * payoff(eta[first + i], steps[i, j], exact)
            out[first + i] = total
    return out


@compiled
def information_factor(points: Array, eta: Array, weights: Array) -> tuple[Array, bool]:
    """Cholesky factor of ``H_w(theta)``, and whether there is one."""
    out = np.empty((points.shape[1], points.shape[1]))
    scaled = np.empty(eta.size)
    for k in range(eta.size):
        scaled[k] = weights[k] * slope(eta[k])
    weighted_gram(points, scaled, out)
    return out, cholesky(out)


@compiled
def _exact_values(points: Array, eta: Array, soft: Array, w: Array, y: Array, margins: Array) -> Array:
    """A proven lower bound on the exact ``psi_j(w)`` of each half-space."""
    d = points.shape[1]
    out = np.empty(margins.size)
    found = room_for(np.zeros((1, d)))
    first = Minimum(found.u[0], found.factors[0], found.normals[0])
    for j in range(margins.size):
        respond_quadratically(Board(points, soft, y[j : j + 1], margins[j : j + 1]), w, found)
        value, error = respond(Board(points, eta, y, margins), w, j, first)
        out[j] = max(value - error, 0.0)
    return out


def response(game: Game, w: Array, rival: int) -> Array:
    """Nature's best step into one half-space against weights ``w`` on all arms."""
    half_space = game.alternatives.take([rival])
    board = Board(game.points, game.eta, half_space.normals, half_space.margins(game.theta))
    moves = np.zeros((1, len(game.theta)))
    quadratic_moves(*board, w, moves)
    if game.exact:
        exact_moves(*board, w, moves)
    return moves[0]


def allocator_bound(game: Game, arms: Indices, w: Array, count: int) -> tuple[float, Indices]:
    """``min_j psi_j(w)`` over all half-spaces for weights on a few arms, and ``count`` near it."""
    x = np.ascontiguousarray(game.points[arms])
    eta = game.eta[arms]
    factor, regular = information_factor(x, eta, w)
    if not game.exact:
        nearest, distances = (
            game.alternatives.nearest(game.theta, factor, count) if regular else (_NOBODY, np.zeros(1))
        )
        return float(distances[0]), nearest

    def values(indices: Indices) -> Array:
        taken = game.alternatives.take(indices)
        return _exact_values(x, eta, np.clip(eta, -SOFT, SOFT), w, taken.normals, taken.margins(game.theta))

    if regular:
        nearest, _ = game.alternatives.nearest(game.theta, factor, count)
        found = values(nearest)
        limit = screening_distance(float(found.min()), reach(x, w, factor))
        more = np.setdiff1d(game.alternatives.within(game.theta, factor, limit), nearest)
    else:  # rates too close to 0 or 1 for the quadratic to say anything: look at every half-space
        nearest = _NOBODY
        found = np.empty(0)
        more = np.arange(len(game.alternatives))
    everything = np.concatenate([nearest, more])
    found = np.concatenate([found, values(more)])
    order = np.argsort(found, kind="stable")
    return float(found[order[0]]), everything[order[:count]]


_NOBODY = np.empty(0, dtype=np.intp)
