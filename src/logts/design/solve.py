"""Solve a design game by generating arms and half-spaces: few of either matter at the optimum.

The interior-point method runs on a working set. Then every arm and half-space of a pool is looked at, which
proves how far the weights are from optimal within the pool and names what the working set lacks. The pool is
everything when that is little; otherwise it is a sample, extended in the same way by looking at all arms and
half-spaces, a few times in all.
"""

from dataclasses import dataclass, replace

import numpy as np

from logts.design.game import Design, Game, allocator_bound, information_factor, nature_bound
from logts.design.interior import solve_game
from logts.design.responses import Board
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status

POOL = 1000
ROUNDS = 60
ITERATIONS = 100
COSTLY = 1e9  # products for the information of all arms; where it takes more, that of some has to do
CARRIED = 1e-4  # weights of an earlier design that are worth a place in the working set


@dataclass
class _Play:
    """Both strategies: weights ``w`` on ``arms``, mixture ``q`` over ``rivals`` with ``moves``."""

    arms: Indices
    w: Array
    rivals: Indices
    q: Array
    moves: Array
    lower: float = 0.0
    upper: float = np.inf
    looked_at: int = 0
    stalled: bool = False

    @property
    def gap(self) -> float:
        return self.upper / self.lower - 1.0 if self.lower > 0.0 else np.inf

    def among(self, arms: Indices, rivals: Indices) -> "_Play":
        """The same strategies, in the numbering of a larger game of which this one was made by picking."""
        return _Play(arms[self.arms], self.w, rivals[self.rivals], self.q, self.moves, stalled=self.stalled)


def solve(
    game: Game,
    spanning: Indices,
    *,
    tolerance: float = 1e-6,
    start: Array | None = None,
    rounds: int = ROUNDS,
) -> Design:
    """The optimal design, certified.

    Parameters
    ----------
    game
        What is played.
    spanning
        Arms that span the space; they keep the information matrix invertible.
    tolerance
        Relative gap to reach.
    start
        Weights of a design that was optimal for a parameter nearby.
    rounds
        How often the working set may grow. With few rounds the weights of a large game are good long before
        they are proven to be.
    """
    count = len(game.eta)
    softened = game.softened()
    if rounds < ROUNDS and start is not None:
        start = np.where(start > CARRIED, start, 0.0)
    play = _opening(softened if game.exact else game, spanning, start)
    if play is None:
        none = game.alternatives.take([])
        return Design(
            np.full(count, 1 / count), np.inf, 0.0, none, np.empty(0), np.empty((0, 0)), 1, Status.SATURATED
        )
    if game.exact:  # the quadratic game is cheaper, and its optimum is near
        play = _play(softened, spanning, play, max(tolerance, 1e-2), rounds)
    play = _play(game, spanning, play, tolerance, rounds)
    met = play.gap <= tolerance
    if met:
        _tidy(game, play, tolerance)
    weights = np.zeros(count)
    weights[play.arms] = play.w
    return Design(
        weights=weights,
        characteristic_time=1.0 / play.lower if play.lower > 0.0 else np.inf,
        at_least=1.0 / play.upper if play.upper > 0.0 else 0.0,
        rivals=game.alternatives.take(play.rivals),
        mixture=play.q,
        moves=play.moves,
        scans=-(-play.looked_at // count),
        status=Status.CONVERGED if met else Status.STALLED if play.stalled else Status.ITERATION_LIMIT,
    )


def _play(game: Game, spanning: Indices, play: _Play, tolerance: float, rounds: int) -> _Play:
    """Refine on a pool, look at everything, extend the pool, until the gap is proven for all."""
    batch = _batch(game)
    count = len(game.eta)
    looked_at = play.looked_at
    if rounds < ROUNDS or (count <= 2 * POOL and len(game.alternatives) <= 2 * POOL):
        return _refine(game, spanning, play, tolerance, looked_at, rounds)
    arms = np.unique(np.concatenate([np.arange(0, count, max(1, count // POOL)), spanning, play.arms]))
    rivals = np.unique(play.rivals)
    best = replace(play, lower=0.0, upper=np.inf)
    goal = max(0.3 * tolerance, 0.02)
    for _ in range(ROUNDS):
        pool = game.restricted(arms, rivals)
        inner = _Play(_within(arms, play.arms), play.w, _within(rivals, play.rivals), play.q, play.moves)
        inner = _refine(pool, _within(arms, spanning), inner, goal, 0, rounds)
        play = inner.among(arms, rivals)
        pay, missing = _look(game, play, best, 4 * batch)
        looked_at += inner.looked_at + count
        best.looked_at = looked_at
        if best.gap <= tolerance or (play.stalled and goal <= 0.3 * tolerance):
            break
        goal = max(0.3 * tolerance, min(goal, 0.1 * best.gap))
        arms = np.union1d(arms, _violators(game.points, pay, arms, 8 * batch, alike=0.9999))
        rivals = np.union1d(rivals, missing)
    return best


def _refine(
    game: Game, spanning: Indices, play: _Play, tolerance: float, looked_at: int, rounds: int
) -> _Play:
    """Alternate the interior-point method on the working set with a look at everything."""
    batch = _batch(game)
    needed = np.zeros(len(game.eta), dtype=bool)
    needed[spanning] = True
    goal = max(0.3 * tolerance, 1e-3)
    best = replace(play, lower=0.0, upper=np.inf)
    for _ in range(rounds):
        board = _board(game, play)
        w, q, moves, gap = solve_game(board, play.w, game.exact, goal, ITERATIONS)
        play = _Play(play.arms, w, play.rivals, q, moves, stalled=not gap <= goal)
        pay, missing = _look(game, play, best, batch)
        looked_at += len(game.eta)
        best.looked_at = looked_at
        best.stalled = play.stalled
        if best.gap <= tolerance or (play.stalled and goal <= 0.3 * tolerance):
            break
        goal = max(0.3 * tolerance, min(goal, 0.1 * best.gap))
        # Arms that earn far less than the best carry no weight at the optimum; while the game is still
        # unknown, keep all.
        share = 0.0 if best.gap > 0.5 else 0.6 if best.gap > 0.05 else 0.8
        earned = pay[play.arms]
        keep = (earned > share * earned.max()) | needed[play.arms]
        added = _violators(game.points, pay, play.arms, batch, alike=0.98)
        w = np.concatenate([w[keep], np.full(len(added), 0.1 / batch)])
        likely = play.rivals[q > 1e-6]
        missing = missing[~(missing[:, None] == likely).any(axis=1)]
        play = _Play(
            np.concatenate([play.arms[keep], added]),
            0.9 * w / w.sum() + 0.1 / len(w),
            np.concatenate([likely, missing]),
            q,
            moves,
        )
    return best


def _look(game: Game, play: _Play, best: _Play, count: int) -> tuple[Array, Indices]:
    """Bound the game by both strategies of ``play``, keep the better ones in ``best``.

    Return payoffs and rivals missed.
    """
    pay = nature_bound(game.points, game.eta, play.moves, play.q, game.exact)
    upper = float(pay.max())
    if upper < best.upper:
        best.upper = upper
        best.rivals = play.rivals
        best.q = play.q
        best.moves = play.moves
    lower, missing = allocator_bound(game, play.arms, play.w, count)
    if lower > best.lower:
        best.lower = lower
        best.arms = play.arms
        best.w = play.w
    return pay, missing


def _tidy(game: Game, play: _Play, tolerance: float) -> None:
    """Take the last traces of weight off arms that do not need it, if the proof still stands without them."""
    keep = play.w > max(0.1 * tolerance, 1e-9)
    arms = play.arms[keep]
    w = play.w[keep] / play.w[keep].sum()
    lower, _ = allocator_bound(game, arms, w, 1)
    if play.upper <= lower * (1.0 + tolerance):
        play.arms = arms
        play.w = w
        play.lower = lower


def _opening(game: Game, spanning: Indices, start: Array | None) -> _Play | None:
    """The spanning arms, the nearest half-spaces under even weights, and the arms that measure those best.

    None when even weights on all arms carry no information in some direction.
    """
    from scipy.linalg import cho_solve

    even = np.full(len(game.eta), 1.0 / len(game.eta))
    if len(game.eta) * len(spanning) ** 2 > COSTLY:  # an arm of weight zero costs nothing
        even = np.zeros(len(game.eta))
        even[:: 1 + len(even) // (8 * len(spanning))] = 1.0
        even[spanning] = 1.0
        even /= even.sum()
    if start is not None:
        even = 0.1 * even + 0.9 * start / start.sum()
    factor, regular = information_factor(game.points, game.eta, even)
    if not regular:
        return None
    count = _batch(game)
    rivals, distances = game.alternatives.nearest(game.theta, factor, count)
    half_spaces = game.alternatives.take(rivals)
    # Nature's quadratic responses to even weights: -2 psi/margin H^-1 y.
    moves = cho_solve((factor, True), half_spaces.normals.T).T
    moves *= (-2.0 * distances / half_spaces.margins(game.theta))[:, None]
    mixture = np.full(len(rivals), 1.0 / len(rivals))
    pay = nature_bound(game.points, game.eta, moves, mixture, game.exact)
    chosen = [spanning, np.argsort(-pay)[: 2 * count]]
    if start is not None:
        chosen.append(np.flatnonzero(start))
    arms = np.unique(np.concatenate(chosen))
    w = even[arms] / even[arms].sum()
    if not w.all():
        w = 0.9 * w + 0.1 / len(w)
    return _Play(arms, w, rivals, mixture, moves, looked_at=2 * len(game.eta))


def _violators(points: Array, pay: Array, working: Indices, most: int, *, alike: float) -> Indices:
    """Arms outside the working set that would earn more than any inside it, no two of them alike."""
    candidates = np.flatnonzero(pay > pay[working].max() * (1.0 + 1e-12))
    if len(candidates) > 20 * most:
        candidates = candidates[np.argpartition(-pay[candidates], 20 * most)[: 20 * most]]
    candidates = candidates[np.argsort(-pay[candidates])]
    if len(candidates) <= most:
        return candidates
    unit = points[candidates]
    unit /= np.sqrt((unit * unit).sum(axis=1, keepdims=True))
    chosen: list[int] = []
    covered = np.zeros(len(candidates), dtype=bool)
    while len(chosen) < most and not covered.all():
        chosen.append(int(np.argmin(covered)))
        covered |= np.abs(unit @ unit[chosen[-1]]) > alike
        covered[chosen[-1]] = True
    return candidates[chosen]


def _board(game: Game, play: _Play) -> Board:
    """The arms and half-spaces in play."""
    x = np.ascontiguousarray(game.points[play.arms])
    taken = game.alternatives.take(play.rivals)
    return Board(x, game.eta[play.arms], taken.normals, taken.margins(game.theta))


def _batch(game: Game) -> int:
    return max(6, game.points.shape[1])


def _within(pool: Indices, chosen: Indices) -> Indices:
    """Where each of ``chosen`` stands in the sorted ``pool``."""
    return np.searchsorted(pool, chosen)
