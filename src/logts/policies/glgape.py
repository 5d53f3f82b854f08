"""GLGapE of Kazerouni and Wein, "Best arm identification in generalized linear bandits" (2021).

The rates of the leader i and its likeliest rival j are compared at the estimate. For slopes ``c, c'`` in
``[c_mu, 1/4]`` the error of that gap is ``(c x_i - c' x_j).(estimate - theta)``, hence at most

    beta(i,j) = C_t max |c x_i - c' x_j|   in the norm of A_t^-1, over the corners c, c' in {c_mu, 1/4},   A_t
    = sum of x x', C_t = (2 kappa / c_mu) sqrt(2 d log t log(pi^2 d t^2 / (6 delta))),   kappa^2 = 3 + 2 log(1
    + 2 max|x|^2 / lambda_min).

The next arm follows the shares ``|w| / |w|_1`` of the smallest ``|w|_1`` with ``X'w = y``, y the largest
corner.

All of this, and the warm-up of min(K, 3d) trials, is as in a public implementation; the paper's text was not
at hand. Guesses: estimate and pair are renewed when t has grown by a hundredth, not at every step (the bound
holds at all times: to look less often costs trials, not the proof); with more than 3d arms the warm-up goes
thrice to d arms that span; ``lambda_min`` and ``max|x|`` are those of the package's coordinates, so that
units do not matter (the bound holds in any); nothing is decided while outcomes are separable.
"""

import math

import numpy as np
from scipy.special import expit

from logts.arms import Arms
from logts.judge import Verdict
from logts.policies.base import POLICIES
from logts.policies.staged import STEEPEST, Staged, checked_slope, estimate, follow
from logts.problems import BestArm, Problem
from logts.tools.algebra import Array, squared_norms

GROWTH = 0.01


@POLICIES.enter("glgape")
class GLGapE(Staged):
    """GLGapE: the best arm, or one within epsilon of it, by the gap that is hardest to settle.

    Its confidence is then 1 - delta.

    The algorithm's epsilon is on the scale of rates, that of :class:`logts.BestArm` on the logit scale: the
    latter is met when the gap of the rates is at most ``slope`` times it.

    Parameters
    ----------
    arms, problem
        What can be tried, and ``BestArm(epsilon)``; the items must be the arms.
    delta
        Permitted probability of a wrong answer.
    slope
        ``c_mu``: the smallest ``mu'(x.theta)`` over the arms and all parameters held possible. Nobody knows
        it; simulations take it from the truth.
    max_trials
        Stop there at the latest, with a guess.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> policy = logts.policies.GLGapE(arms, logts.BestArm(), slope=0.14)
    >>> len(policy.ask(9).arms), policy.verdict
    (9, None)
    """

    rule = "glgape"
    assumes = (
        "independent outcomes with a logit linear in the features, and no mu' of an arm below the slope given"
    )

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        *,
        delta: float = 0.05,
        slope: float,
        max_trials: int | None = None,
    ) -> None:
        if not isinstance(problem, BestArm):
            raise ValueError(f"GLGapE answers BestArm(epsilon); got {problem!r}")
        if not arms.own_items:
            raise ValueError(
                "GLGapE answers BestArm(epsilon) about the arms themselves; got items that are not the arms"
            )
        self.slope = checked_slope(slope)
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)
        self._tolerance = slope * problem.epsilon
        x = arms.points
        ratio = (x * x).sum(axis=1).max() / np.linalg.eigvalsh(x.T @ (self._plan[:, None] * x))[0]
        self._kappa = math.sqrt(3.0 + 2.0 * math.log(1.0 + 2.0 * ratio))
        self._shares: dict[tuple[int, int, int], Array] = {}

    def first_plan(self) -> Array:
        if len(self.arms) <= 3 * self.arms.dimension:
            return np.ones(len(self.arms))
        plan = np.zeros(len(self.arms))
        plan[self.arms.spanning] = 3.0
        return plan

    def conclude(self) -> Verdict | None:
        theta, exists = estimate(self.arms.points, self._tally)
        gap, pair, y = self._hardest(theta)
        if exists and gap <= self._tolerance:
            reason = f"no rival's rate can be higher by more than {self._tolerance:g}"
            return self._decide(self._best(theta), 1.0 - self.delta, reason, proven=True)
        if pair not in self._shares:
            self._shares[pair] = least_absolute(self.arms.points, y)
        n = max(1, int(GROWTH * self._tally.total))
        arms = follow(n, self._tally.trials.copy(), self._shares[pair])
        self._begin(np.bincount(arms, minlength=len(self.arms)).astype(float))
        return None

    def radius(self) -> float:
        """``C_t``.

        Returns
        -------
        float
            The factor of the widths.
        """
        d = self.arms.dimension
        t = self._tally.total
        spread = 2.0 * d * math.log(t) * math.log(math.pi**2 * d * t * t / (6.0 * self.delta))
        return 2.0 * self._kappa / self.slope * math.sqrt(spread)

    def _hardest(self, theta: Array) -> tuple[float, tuple[int, int, int], Array]:
        """The largest optimistic gap of a rival over the leader, who and which corner, and y there."""
        x = self.arms.points
        rates = expit(x @ theta)
        i = int(np.argmax(rates))
        factor = np.linalg.cholesky(x.T @ (self._tally.trials[:, None] * x))
        corners = [(a, b) for a in (self.slope, STEEPEST) for b in (self.slope, STEEPEST)]
        widths = np.sqrt([squared_norms(a * x[i] - b * x, factor) for a, b in corners])
        gaps = rates - rates[i] + self.radius() * widths.max(axis=0)
        gaps[(x == x[i]).all(axis=1)] = -np.inf  # the leader, and whoever shares its features
        j = int(np.argmax(gaps))
        corner = int(np.argmax(widths[:, j]))
        a, b = corners[corner]
        return float(gaps[j]), (i, j, corner), a * x[i] - b * x[j]


def least_absolute(points: Array, y: Array) -> Array:
    """Shares of the arms in the combination ``y = sum_x w_x x`` with the smallest ``sum |w_x|``."""
    from scipy.optimize import linprog

    both = np.hstack([points.T, -points.T])  # w is the difference of two vectors >= 0
    # Scale changes no share.
    found = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=y / np.abs(y).max(), method="highs").x
    size = np.abs(found[: len(points)] - found[len(points) :])
    size[size < 1e-9 * size.max()] = 0.0
    return np.asarray(size / size.sum())
