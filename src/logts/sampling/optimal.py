"""Tracking the optimal weights: the sampling of Log-TS.

The weights are kept while they are provably good enough at the current estimate, and only then computed anew;
or they are computed on a schedule, as the paper does (eq. 14, ``w(t) = argmax_w psi(theta^(1)_t, w)``).
"""

import math
from typing import Literal, get_args

import numpy as np

from logts.alternatives import HalfSpaces
from logts.arms import Arms
from logts.design import Design, Divergence, Game, solve
from logts.design.game import allocator_bound, nature_bound
from logts.design.renew import SMALL, renew
from logts.design.responses import exact_moves, quadratic_moves
from logts.design.solve import ROUNDS
from logts.problems import Answer, Posed
from logts.sampling.base import Lasting
from logts.sampling.tracking import Tracker
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status

# gaps: up to the first the weights are kept, to the second they are computed
KEPT = 0.1
SOLVED = 0.05
GROWTH = 1.1
GROWTH_IN_LARGE = 1.2  # in games of more arms or half-spaces than SMALL, from one solution to the next
WIDE = (
    64  # dimensions; in more, weights are good long before they are proven to be, and FEW rounds have to do
)
FEW = 1
FEW_IN_LARGE = 2  # rounds with more than LARGEST arms: one costs a quarter more trials, more do no better
LARGEST = 4096  # arms or half-spaces up to which weights are brought to a new parameter in one call

Schedule = Literal["certificate", "every-step", "doubling", "geometric"]


class OptimalTracking(Lasting):
    """The arms that bring the trials nearest to the optimal weights at a moving estimate.

    Parameters
    ----------
    arms
        What can be tried.
    divergence
        Whose characteristic time the weights minimise.
    schedule
        When to compute weights: when their ``"certificate"`` has lapsed (they are more than 10% from the
        optimum at the new estimate; in large games only now and then, and not to the end), at
        ``"every-step"``, by ``"doubling"`` (t = 2^k), or on a ``"geometric"`` schedule (t grows by a tenth).
    """

    _kept = ("_tracker", "weights", "characteristic_time", "_due", "_answer", "_mixture", "_design", "solved")

    def __init__(self, arms: Arms, *, divergence: Divergence, schedule: Schedule) -> None:
        if schedule not in get_args(Schedule):
            raise ValueError(f"schedule must be one of {', '.join(get_args(Schedule))}; got {schedule!r}")
        self._arms = arms
        self._divergence = divergence
        self._schedule = schedule
        self._tracker = Tracker(arms.points, arms.spanning)
        self.weights = np.zeros(len(arms))
        self.weights[arms.spanning] = 1.0 / arms.dimension
        self._tracker.aim(self.weights)
        self.characteristic_time = np.inf
        self._due = 0.0
        self._answer: Answer | None = None
        self._mixture: Array = np.empty(0)  # nature's, over the half-spaces
        self._design: Design | None = None
        self.solved = 0

    def next(self, n: int) -> Indices:
        return self._tracker.next(n)

    def correct(self, chosen: Indices, tried: Indices) -> None:
        self._tracker.correct(chosen, tried)

    def patience(self, t: int) -> float:
        return math.inf if self._schedule == "certificate" else max(1.0, self._due - t)

    def learn(self, posed: Posed, trials: Array) -> None:
        """Adapt to a new estimate; at a tie, or when the solver fails, the weights stay as they are."""
        t = float(trials.sum())
        if posed.status is not Status.CONVERGED or posed.answer is None or t < self._due:
            return
        if self._schedule == "certificate" and self._divergence == "quadratic" and self._renew(posed, t):
            return
        game = Game(self._arms.points, posed.theta, posed.alternatives, self._divergence)
        if self._schedule == "certificate" and self._answer == posed.answer and self._still_good(game):
            return
        if self._schedule == "doubling":
            self._due = 2.0 ** (math.floor(math.log2(max(t, 1.0))) + 1)
        elif self._schedule == "geometric":
            self._due = math.ceil(GROWTH * t + 1e-9)
        elif self._arms.dimension > WIDE or max(len(self.weights), len(posed.alternatives)) > LARGEST:
            self._due = math.ceil(GROWTH_IN_LARGE * t)
        design = solve(
            game,
            self._arms.spanning,
            tolerance=SOLVED,
            start=self.weights if self._design else None,
            rounds=self._rounds,
        )
        self.solved += 1
        if np.isfinite(design.characteristic_time):
            self._design = design
            self._answer = posed.answer
            self.weights = design.weights
            self._tracker.aim(self.weights)
            self.characteristic_time = design.characteristic_time
            self._mixture = np.empty(0)

    @property
    def _rounds(self) -> int:
        """How many rounds a solution may take: good weights now are worth more than proven ones later."""
        if self._arms.dimension > WIDE:
            return FEW
        return FEW_IN_LARGE if len(self.weights) > LARGEST else ROUNDS

    def _renew(self, posed: Posed, t: float) -> bool:
        """Keep the weights while they are good, and otherwise bring them to the new parameter."""
        rivals = posed.alternatives
        size = max(len(self.weights), len(rivals))
        if not isinstance(rivals, HalfSpaces) or size > LARGEST:
            return False
        if size > SMALL:
            self._due = math.ceil(GROWTH_IN_LARGE * t)
        if self._answer != posed.answer or len(self._mixture) != len(rivals):
            self._mixture = np.full(len(rivals), 1.0 / len(rivals))
        game = self._arms.points, posed.theta, rivals.normals, rivals.offsets
        evidence, new = renew(*game, self.weights, self._mixture, (KEPT, SOLVED))
        if not evidence > 0.0:
            return False
        self._answer = posed.answer
        if new:
            self.solved += 1
            self._tracker.aim(self.weights)
        self.characteristic_time = 1.0 / evidence
        return True

    def _still_good(self, game: Game) -> bool:
        """Check the certificate at the new parameter: the same weights, and nature's same mixture."""
        if self._design is None:
            return False
        support = np.flatnonzero(self.weights)
        w = self.weights[support]
        lower, _ = allocator_bound(game, support, w, 1)
        rivals = self._design.rivals
        moves = self._design.moves.copy()
        margins = rivals.margins(game.theta)
        if not lower > 0.0 or not (margins > 0.0).all():
            return False
        x = np.ascontiguousarray(game.points[support])
        respond = exact_moves if game.exact else quadratic_moves
        if not respond(x, game.eta[support], rivals.normals, margins, w, moves):
            return False
        upper = float(nature_bound(game.points, game.eta, moves, self._design.mixture, game.exact).max())
        if upper > (1.0 + KEPT) * lower:
            return False
        self.characteristic_time = 1.0 / lower
        return True
