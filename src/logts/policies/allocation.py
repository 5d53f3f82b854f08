"""Weights that are kept while they are provably good enough at the current estimate, and only then computed anew."""

import numpy as np

from logts.arms import Arms
from logts.design import Design, Game, solve
from logts.design.game import allocator_bound, nature_bound
from logts.design.interior import respond_all
from logts.problems import Answer, Posed
from logts.status import Status

KEPT, SOLVED = 0.1, 0.02  # gaps: up to the first the weights are kept, to the second they are computed


class LazyDesign:
    """The optimal weights at a moving estimate, re-solved when their certificate lapses."""

    def __init__(self, arms: Arms, *, exact: bool) -> None:
        self._arms, self._exact = arms, exact
        self.weights = np.zeros(len(arms))
        self.weights[arms.spanning] = 1.0 / arms.dimension
        self.characteristic_time = np.inf
        self._answer: Answer | None = None
        self._design: Design | None = None
        self.solved = 0

    def move(self, posed: Posed) -> None:
        """Adapt to a new estimate; at a tie, or when the solver fails, the weights stay as they are."""
        if posed.status is not Status.CONVERGED or posed.answer is None:
            return
        game = Game(self._arms.points, posed.theta, posed.alternatives, self._exact)
        if self._answer == posed.answer and self._still_good(game):
            return
        design = solve(game, self._arms.spanning, tolerance=SOLVED, start=self.weights if self._design else None)
        self.solved += 1
        if np.isfinite(design.characteristic_time):
            self._design, self._answer = design, posed.answer
            self.weights, self.characteristic_time = design.weights, design.characteristic_time

    def _still_good(self, game: Game) -> bool:
        """Check the certificate at the new parameter: the same weights, and the same mixture of nature over its new responses."""
        if self._design is None:
            return False
        support = np.flatnonzero(self.weights)
        w = self.weights[support]
        lower, _ = allocator_bound(game, support, w, 1)
        rivals, d = self._design.rivals, len(game.theta)
        moves, count = self._design.moves.copy(), len(self._design.mixture)
        margins = rivals.margins(game.theta)
        if not lower > 0.0 or not (margins > 0.0).all():
            return False
        x, eta = np.ascontiguousarray(game.points[support]), game.eta[support]
        scratch = np.empty((count, d, d)), np.empty((count, d)), np.empty(count)
        if not respond_all(x, eta, w, rivals.normals, margins, game.exact, moves, *scratch):
            return False
        upper = float(nature_bound(game.points, game.eta, moves, self._design.mixture, game.exact).max())
        if upper > (1.0 + KEPT) * lower:
            return False
        self.characteristic_time = 1.0 / lower
        return True
