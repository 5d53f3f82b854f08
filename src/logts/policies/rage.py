"""RAGE of Fiez, Jain, Jamieson and Ratliff, "Sequential Experimental Design for Transductive Linear Bandits".

NeurIPS 2019. A linear rule: see :mod:`logts.policies.linear_rounds` for the model, the size of a round and
the proof. With Z the items and Z_k those left, round k knows every difference z' - z within Z_k to within its
reach but for an event of probability ``delta_k / |Z|^2`` each, ``delta_k = delta / k^2``, and drops z when
some z' in Z_k has ``(z' - z).theta_k`` at or beyond it. It stops at one item. There are fewer than ``|Z|^2 /
2`` differences, so that all rounds together fail with probability ``0.83 delta`` at most.

Rounds, constants and the rule are those of the authors' program, by its default (where that has the number
of arms in the reach and of items in n_k, here it is items in both); its other rule, which waits for ``2^-k``,
drops no sooner. The paper's text was not at hand.

Choices of this package: outcomes as +1 and -1, so that the noise of the source, 1-sub-Gaussian, is a bound
that holds for yes and no; designs within a thousandth of the optimum, with n_k from the value attained.
"""

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.linear_rounds import LinearRounds, least_squares
from logts.policies.staged import Found
from logts.problems import BestArm, Problem
from logts.tools.algebra import Array, Indices


@POLICIES.enter("rage")
class Rage(LinearRounds):
    """RAGE: the best item, by rounds that drop those too far behind in a linear model of the rate.

    Its guarantee is for that model. Where the logit is linear it has none, except for arms with a rate each;
    the verdict's ``proven`` and ``assumes`` say so.

    Parameters
    ----------
    arms, problem
        What can be tried, and ``BestArm()``; items may differ from arms, within their span.
    delta
        Permitted probability of a wrong answer.
    max_trials
        Stop there at the latest, with a guess.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> run = logts.simulate("rage", arms, logts.Rates([0.2, 0.3, 0.8]), logts.BestArm(), runs=1, rng=0)[0]
    >>> run.answer, run.proven
    ('best: blue', True)
    """

    rule = "rage"

    def __init__(
        self, arms: Arms, problem: Problem, *, delta: float = 0.05, max_trials: int | None = None
    ) -> None:
        if not (isinstance(problem, BestArm) and problem.epsilon == 0.0):
            raise ValueError(f"RAGE answers BestArm() with epsilon = 0; got {problem!r}")
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)

    def rows(self) -> Array:
        z = self.arms.items.points[self._left]
        if len(z) == 1:  # already known: nothing will be tried
            return z
        first, second = self._pairs
        return z[first] - z[second]

    @property
    def _pairs(self) -> tuple[Indices, Indices]:
        return np.triu_indices(len(self._left), 1)

    def failure(self) -> float:
        return self.delta / self._round**2 / len(self.arms.items) ** 2

    def settle(self, theta: Array, reach: Array) -> Found | None:
        first, second = self._pairs
        gaps = self.rows() @ theta
        dropped = [*second[gaps >= reach], *first[gaps <= -reach]]
        self._left = np.delete(self._left, dropped)
        return ((int(self._left[0]),), self._rates(theta)) if len(self._left) == 1 else None

    def guess(self) -> Found:
        theta = least_squares(self.arms.points, self._tally)
        scores = self.arms.items.points[self._left] @ theta
        return (int(self._left[np.argmax(scores)]),), self._rates(theta)
