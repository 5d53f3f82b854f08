"""How large the likelihood can be on a half-space, proven without a maximum.

Where outcomes separate the arms the likelihood has no maximum: it grows for ever along some direction. On a
half-space that contradicts them it stays bounded all the same. By convexity ``A(z) >= p z - A*(p)`` for every
p in [0, 1], with ``A(z) = log(1 + e^z)`` and ``A*(p) = p log p + (1 - p) log(1 - p)``, so for any ``p_x``

    L(lambda) <= sum_x (R_x - N_x p_x) x.lambda + sum_x N_x A*(p_x),

and if the first sum is ``nu y.lambda`` with ``nu >= 0``, then ``L <= nu c + sum_x N_x A*(p_x)`` on all of
``y.lambda <= c``. Such p are found at a maximum under a weak prior: there the first sum is ``nu y`` and a
small rest, which ``p + p (1 - p) x.H^-1 rest``, kept within [0, 1], takes away in a few rounds.
"""

import math

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from logts.logistic.fit import maximum_likelihood
from logts.tools.algebra import Array

WEAK = 1e-3  # precision of the prior in every direction, in coordinates in which mean(x x') = I
ROUNDS = 12
TINY = 1e-14  # of the information is added in directions that have none
EXACT = 1e-12  # of what the arms pull may be left: rounding


def ceiling(
    points: Array, trials: Array, successes: Array, normal: Array, offset: float, limit: float
) -> float:
    """What the log-likelihood exceeds nowhere on ``y.lambda <= c``, up to rounding.

    Infinite without proof, or when it is seen to exceed the limit somewhere there.
    """
    tried = trials > 0.0
    x, n, r = points[tried], trials[tried], successes[tried]
    prior = WEAK * np.eye(points.shape[1])
    found = maximum_likelihood(x, n, r, precision=prior, normal=normal, offset=offset)
    if found.log_likelihood > limit:
        return math.inf
    p = expit(x @ found.theta)
    push = 0.0  # nu
    for _ in range(ROUNDS):
        information = (x.T * (n * p * (1.0 - p))) @ x
        if not information.any():
            break
        information += TINY * np.trace(information) * np.eye(len(information))
        rest, along = np.linalg.solve(information, np.column_stack([x.T @ (r - n * p), normal])).T
        push = max(float(normal @ rest) / float(normal @ along), 0.0)
        p = np.clip(p + p * (1.0 - p) * (x @ (rest - push * along)), 0.0, 1.0)
    left = np.abs(x.T @ (r - n * p) - push * normal).max()
    if not left <= EXACT * np.abs(x.T * n).sum(axis=1).max():
        return math.inf
    return push * offset + float(n @ (xlogy(p, p) + xlog1py(1.0 - p, -p)))
