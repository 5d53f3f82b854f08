"""The Frank-Wolfe method, the solver of the paper's experiments (section 5.2), kept for comparison.

    Ochoa Rivera and Tewari, "Near Optimal Pure Exploration in Logistic Bandits".

``min_j psi_j`` has kinks where half-spaces bind together, so convergence is not guaranteed and is slow where
it happens. The certificate comes for free: the steps that put weight on arms put the same weight on nature's
responses.
"""

import numpy as np

from logts.design.game import Design, Game, allocator_bound, nature_bound, response
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status


def frank_wolfe(
    game: Game,
    spanning: Indices,
    *,
    tolerance: float = 1e-2,
    start: Array | None = None,
    iterations: int = 10_000,
) -> Design:
    """Move a shrinking share of the weight to the arm that gains most against the nearest alternative."""
    everything = np.arange(len(game.eta))
    count = len(spanning)
    w = np.zeros(len(game.eta))
    w[spanning] = 1.0 / count
    if start is not None:
        w = 0.99 * start + 0.01 * w
    pay = np.zeros(len(game.eta))
    rivals: list[int] = []
    moves: list[Array] = []
    steps: list[float] = []
    lower = 0.0
    upper = np.inf
    proof = 0
    weights = w
    for k in range(iterations):
        value, nearest = allocator_bound(game, everything, w, 1)
        if value > lower:
            lower = value
            weights = w
        if upper <= lower * (1.0 + tolerance) or len(nearest) == 0:
            break
        rivals.append(int(nearest[0]))
        moves.append(response(game, w, rivals[-1]))
        steps.append(2.0 / (k + 2.0))
        gain = nature_bound(game.points, game.eta, moves[-1][None, :], np.ones(1), game.exact)
        pay += steps[-1] * (gain - pay)
        if pay.max() < upper:
            upper = float(pay.max())
            proof = k + 1
        w = w.copy()
        # The spanning arms count as the first steps: weights never vanish at once.
        w *= 1.0 - 2.0 / (k + 2.0 + count)
        w[int(np.argmax(gain))] += 2.0 / (k + 2.0 + count)
    # What later steps left of each.
    left = np.append(np.cumprod(1.0 - np.array(steps[1:proof])[::-1])[::-1], 1.0)
    return Design(
        weights=weights,
        characteristic_time=1.0 / lower if lower > 0.0 else np.inf,
        at_least=1.0 / upper,
        rivals=game.alternatives.take(rivals[:proof]),
        mixture=np.array(steps[:proof]) * left,
        moves=np.array(moves[:proof]),
        scans=len(moves),
        status=Status.CONVERGED if upper <= lower * (1.0 + tolerance) else Status.ITERATION_LIMIT,
    )
