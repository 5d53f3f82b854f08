"""The paper's ``C(theta) = inf over Alt(theta) of max_x |R_x(lambda)|`` (Theorem 1), numerically.

``R_x`` is what the quadratic misses of the divergence of arm x. The problem is not convex: a sequence of
linear programs, each trusted only nearby, descends from a start where ``R_x`` is replaced by its leading term
``mu''_x (x.u)^3 / 6``. The result is an upper estimate of the infimum. Theorem 1 itself is not proven (its
last step bounds an infimum of a sum by the sum of infima, which is smaller), so no bound is claimed from it.
"""

import numpy as np

from logts.design.game import Game, information_factor
from logts.design.responses import payoff, payoff_slope
from logts.logistic.kernels import bend
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

CANDIDATES = 12
BINDING = 400


def paper_constant(game: Game) -> float:
    """``C(theta)``, searched in the half-spaces nearest to theta under even weights."""
    eta = game.eta
    factor, regular = information_factor(game.points, eta, np.full(len(eta), 1.0 / len(eta)))
    if not regular:
        return np.inf
    rivals, _ = game.alternatives.nearest(game.theta, factor, CANDIDATES)
    half_spaces = game.alternatives.take(rivals)
    margins = half_spaces.margins(game.theta)
    return min(
        _descend(game.points, eta, y, margin) for y, margin in zip(half_spaces.normals, margins, strict=True)
    )


@compiled
def _remainders(eta: Array, steps: Array) -> tuple[Array, Array]:
    """``R_x`` and its derivative for steps ``x.u`` of each logit."""
    values = np.empty(eta.size)
    slopes = np.empty(eta.size)
    for k in range(eta.size):
        values[k] = payoff(eta[k], steps[k], True) - payoff(eta[k], steps[k], False)
        slopes[k] = payoff_slope(eta[k], steps[k], True) - payoff_slope(eta[k], steps[k], False)
    return values, slopes


@compiled
def _bends(eta: Array) -> Array:
    out = np.empty(eta.size)
    for k in range(eta.size):
        out[k] = bend(eta[k])
    return out


def _descend(points: Array, eta: Array, y: Array, margin: float) -> float:
    leading = np.cbrt(np.abs(_bends(eta)))[:, None] * points
    heavy = _largest(np.linalg.norm(leading, axis=1))
    u = _minimax(leading[heavy], np.zeros(len(heavy)), y, -margin, None)
    if u is None:
        u = -margin * y / (y @ y)
    best = np.inf
    trust = 0.5 * float(np.abs(u).max())
    values, slopes = _remainders(eta, points @ u)
    best = float(np.abs(values).max())
    for _ in range(40):
        heavy = _largest(np.abs(values))
        move = _minimax((slopes[:, None] * points)[heavy], values[heavy], y, -margin - float(y @ u), trust)
        if move is None:
            break
        trial, trial_slopes = _remainders(eta, points @ (u + move))
        if np.abs(trial).max() < best:
            improvement = best - float(np.abs(trial).max())
            u = u + move
            values = trial
            slopes = trial_slopes
            best = float(np.abs(trial).max())
            trust *= 2.0
            if improvement < 1e-7 * best:
                break
        else:
            trust *= 0.25
    return best


def _largest(values: Array) -> Indices:
    return np.argpartition(-values, BINDING)[:BINDING] if len(values) > BINDING else np.arange(len(values))


def _minimax(rows: Array, shift: Array, y: Array, limit: float, trust: float | None) -> Array | None:
    """The ``v`` with the least ``max |shift + rows v|``, ``y.v <= limit`` and ``|v_i| <= trust``."""
    from scipy.optimize import linprog

    scale = max(
        float(np.abs(shift).max(initial=0.0)),
        float(np.abs(rows).max()) * (trust or abs(limit) / np.linalg.norm(y)),
        1e-300,
    )
    rows = rows / scale
    shift = shift / scale
    d = rows.shape[1]
    ones = np.ones((len(rows), 1))
    above = np.vstack([np.hstack([rows, -ones]), np.hstack([-rows, -ones]), np.append(y, 0.0)[None, :]])
    right = np.concatenate([-shift, shift, [limit]])
    bounds = [(None, None) if trust is None else (-trust, trust)] * d + [(0, None)]
    found = linprog(np.append(np.zeros(d), 1.0), A_ub=above, b_ub=right, bounds=bounds, method="highs")
    return np.asarray(found.x[:d]) if found.status == 0 else None
