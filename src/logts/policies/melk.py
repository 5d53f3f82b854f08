"""MELK of Mason, Camilleri, Mukherjee, Jamieson, Nowak and Jain, for level sets.

"Nearly Optimal Algorithms for Level Set Estimation" (AISTATS 2022). A linear rule: see
:mod:`logts.policies.linear_rounds` for the model, the size of a round and the proof.

Neither the paper's text nor a program of it was at hand. Known, from its abstract and from quotations: it
settles each of a finite number of points as above or below a level given beforehand; it goes in rounds, with
designs ``min_w max |x|^2`` over the points not yet settled; and its trials are bounded by
``min_w max_x |x|^2 / (x.theta - level)^2`` times logarithms. It estimates by robust inverse-propensity
scores, so that the function need not be linear.

Guesses, all else: the rounds and constants are those of RAGE, whose authors' program is public; least squares
on rounded designs stand for the robust estimate, so nothing is left for a function that is not linear. In
round k, with Z the items and Z_k those not settled, every z in Z_k is known to within its reach but for an
event of probability ``delta_k / |Z|``, ``delta_k = delta / (2 k^2)``, which sums to ``0.83 delta``; z is
settled when ``z.theta_k`` is at least that far from the level. Outcomes count as +1 and -1: the level is ``2
rate - 1``.
"""

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.linear_rounds import LinearRounds, least_squares
from logts.policies.staged import Found
from logts.problems import Problem, Threshold
from logts.tools.algebra import Array


@POLICIES.enter("melk")
class Melk(LinearRounds):
    """MELK: the items above a rate, by rounds that settle those far from it in a linear model of the rate.

    Its guarantee is for that model. Where the logit is linear it has none, except for arms with a rate each;
    the verdict's ``proven`` and ``assumes`` say so. Its constants are guesses, as the module says.

    Parameters
    ----------
    arms, problem
        What can be tried, and ``Threshold(rate)``; items may differ from arms, within their span.
    delta
        Permitted probability of a wrong answer.
    max_trials
        Stop there at the latest, with a guess.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> rates = logts.Rates([0.2, 0.3, 0.8])
    >>> run = logts.simulate("melk", arms, rates, logts.Threshold(0.5), runs=1, rng=0)[0]
    >>> run.answer, run.proven
    ('above 0.5: blue', True)
    """

    rule = "melk"

    def __init__(
        self, arms: Arms, problem: Problem, *, delta: float = 0.05, max_trials: int | None = None
    ) -> None:
        if not isinstance(problem, Threshold):
            raise ValueError(f"MELK answers Threshold(rate); got {problem!r}")
        self._level = 2.0 * problem.rate - 1.0
        self._above = np.zeros(len(arms.items), dtype=bool)  # of items that are settled
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)

    def rows(self) -> Array:
        return np.asarray(self.arms.items.points[self._left])

    def failure(self) -> float:
        return self.delta / (2.0 * self._round**2) / len(self.arms.items)

    def settle(self, theta: Array, reach: Array) -> Found | None:
        beyond = self.arms.items.points[self._left] @ theta - self._level
        self._above[self._left] = beyond > 0.0
        self._left = self._left[np.abs(beyond) < reach]
        return self._found(theta) if len(self._left) == 0 else None

    def guess(self) -> Found:
        theta = least_squares(self.arms.points, self._tally)
        self._above[self._left] = self.arms.items.points[self._left] @ theta > self._level
        return self._found(theta)

    def _found(self, theta: Array) -> Found:
        """All that are above; an item with the features of another one shares its side."""
        points = self.arms.items.points
        _, kind = np.unique(points, axis=0, return_inverse=True)
        sides = np.bincount(kind, weights=self._above) > 0.0
        return tuple(np.flatnonzero(sides[kind]).tolist()), self._rates(theta)
