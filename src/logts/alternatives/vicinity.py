"""The half-spaces near a parameter, and how far away all others stay while parameter and metric move.

Let ``s_j = margin_j / |y_j|``, norms those of ``H^-1``, be known for all j at a parameter theta and an
information matrix H: the distance is ``Z_j = s_j^2 / 2``. At theta' and ``H' >= c H``

    s'_j >= sqrt(c) (s_j - |theta' - theta|_H),

since ``|y.(theta' - theta)| <= |y| |theta' - theta|_H``, and ``|y|^2`` in the new metric is at most ``|y|^2 /
c``. So whoever kept those that were near, and how near the nearest of all others was, knows for some time
without a pass over all that nothing else has come as near: until that bound has lapsed.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from logts.tools.algebra import Array, Indices

SAFE = 1.0 - 1e-9  # for rounding


@dataclass(frozen=True)
class Vicinity:
    """What was near a parameter once.

    Attributes
    ----------
    theta, factor
        The parameter, and the Cholesky factor of H, zero above the diagonal.
    near
        Numbers of the half-spaces that were near, in rising order.
    beyond
        ``s`` of all others was as much at the least.
    """

    theta: Array
    factor: Array
    near: Indices
    beyond: float

    @classmethod
    def of(cls, distances: Array, theta: Array, factor: Array, count: int) -> "Vicinity":
        """The nearest ``count``, by the distances of all."""
        order = np.argpartition(distances, count)
        beyond = float(np.sqrt(2.0 * distances[order[count]]))
        return cls(theta.copy(), np.tril(factor), np.sort(order[:count]), beyond)

    def reach(self, theta: Array, factor: Array) -> float:
        """A distance at another parameter, in another metric, that all others still exceed."""
        moved = self.factor.T @ (theta - self.theta)
        left = self.beyond * SAFE - float(np.sqrt(moved @ moved))
        if left <= 0.0:
            return 0.0
        shrunk = np.linalg.svd(solve_triangular(self.factor, np.tril(factor), lower=True), compute_uv=False)[
            -1
        ]
        return 0.5 * (SAFE * float(shrunk) * left) ** 2
