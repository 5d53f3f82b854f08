"""RAGE-GLM of Jun, Jain, Mason and Nassif, "Improved confidence bounds for the linear logistic model" (2021).

After a burn-in, round k = 1, 2, ... halves the gap up to which items can be told apart, and drops those that
are further behind. With d dimensions, arms X, items Z, those left Z_k, eps = 0.1, and H(w, theta) the
information of one trial split by w:

    gamma = d + log(6 (2 + |X|) / delta),     delta_k = delta / (2 k^2 max(|X|, |Z|) (2 + |X|)), n_0 = 3 (1 +
    eps) d gamma log(2 |X| (2 + |X|) / delta) / slope,   split by the G-optimal design, n_k = max{3 (1 + eps)
    min_w f(w) log(1 / delta_k), (d (d + 1) + 2) / eps},   split by the w that attains the minimum, f(w) =
    max{gamma max_x |x|^2, 4^k 3.5^2 max_{z, z' in Z_k} |z - z'|^2}   in the norm of H(w, theta_{k-1})^-1,

and z is dropped when ``(z_best - z).theta_k >= 2^-k``, theta_k the maximum-likelihood estimate from the
samples of round k alone.

All of this is as in a public implementation; the paper's text was not at hand. Choices of this package:
designs within a thousandth of the optimum, with n_k from the value attained; Pukelsheim's efficient rounding;
a weak prior in a round whose outcomes are separable, which a correct slope makes next to impossible, so that
the verdict is then not called proven.
"""

import math

import numpy as np

from logts.arms import Arms
from logts.judge import Verdict
from logts.policies.base import POLICIES
from logts.policies.staged import Staged, checked_slope, estimate, narrowest, rounded
from logts.problems import BestArm, Problem
from logts.tools.algebra import Array
from logts.tools.status import Status

EPS = 0.1


@POLICIES.enter("rage-glm")
class RageGLM(Staged):
    """RAGE-GLM: the best item, by rounds that drop those too far behind; its confidence is then 1 - delta.

    Parameters
    ----------
    arms, problem
        What can be tried, and ``BestArm()``; items may differ from arms, within their span.
    delta
        Permitted probability of a wrong answer.
    slope
        The smallest ``mu'(x.theta)`` over the arms, or a lower bound on it; the source calls it kappa_0.
        Nobody knows it; simulations take it from the truth.
    reuse
        A guess at "RAGE-GLM-R", the practical variant of the paper's experiments: estimates use all samples
        so far, and a round makes only what its arms lack of their shares of n_k. It has no proof.
    max_trials
        Stop there at the latest, with a guess.

    Examples
    --------
    >>> import functools, logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> policy = functools.partial(logts.policies.RageGLM, slope=0.14)
    >>> run = logts.simulate(policy, arms, [1.0, 0.5], logts.BestArm(), runs=1, rng=0)[0]
    >>> run.answer, run.rule
    ('best: both', 'rage-glm')
    """

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
        reuse: bool = False,
        max_trials: int | None = None,
    ) -> None:
        if not (isinstance(problem, BestArm) and problem.epsilon == 0.0):
            raise ValueError(f"RAGE-GLM answers BestArm() with epsilon = 0; got {problem!r}")
        if arms.items.points.shape[1] > arms.dimension:
            raise ValueError(
                "RAGE-GLM answers BestArm() about items in the span of the arms; got items that reach beyond "
                "it"
            )
        self.reuse = reuse
        self.rule = "rage-glm-r" if reuse else "rage-glm"
        self._round = 0
        self._separable = False
        self.slope = checked_slope(slope)
        super().__init__(arms, problem, delta=delta, max_trials=max_trials)

    @property
    def gamma(self) -> float:
        """``d + log(6 (2 + |X|) / delta)``."""
        return self.arms.dimension + math.log(6.0 * (2.0 + len(self.arms)) / self.delta)

    def first_plan(self) -> Array:
        """The burn-in. All slopes are 1/4 at theta = 0: the weights are those of any other slope.

        Returns
        -------
        Array
            A number for each arm.
        """
        arms = len(self.arms)
        weights, width = narrowest(self.arms, np.zeros(self.arms.dimension), self.arms.points)
        log = math.log(2.0 * arms * (2.0 + arms) / self.delta)
        # Width / 4 is d.
        return rounded(weights, math.ceil(3.0 * (1.0 + EPS) * 0.25 * width * self.gamma * log / self.slope))

    def conclude(self) -> Verdict | None:
        theta, exists = estimate(self.arms.points, self._tally if self.reuse else self._of_this_stage)
        self._separable |= not exists
        if self._round > 0:
            scores = self.arms.items.points[self._left] @ theta
            self._left = self._left[scores.max() - scores < 2.0**-self._round]
        if len(self._left) == 1:
            doubt = (
                ", but outcomes of some round were separable: the slope is in doubt"
                if self._separable
                else ""
            )
            reason = f"round {self._round} left one item{doubt}"
            proven = not (self.reuse or self._separable)
            return self._decide(self._best(theta), 1.0 - self.delta, reason, proven=proven)
        self._round += 1
        return self._next_round(theta)

    def _next_round(self, theta: Array) -> Verdict | None:
        """Begin the round; a guess where rates are so near to 0 or 1 that no design measures anything."""
        d = self.arms.dimension
        arms = len(self.arms)
        items = len(self.arms.items)
        scale = 4.0**self._round * 3.5**2
        z = self.arms.items.points[self._left]
        first, second = np.triu_indices(len(z), 1)
        vectors = np.vstack([math.sqrt(self.gamma / scale) * self.arms.points, z[first] - z[second]])
        weights, width = narrowest(self.arms, theta, vectors)
        if not math.isfinite(width):
            return self._decide(self._best(theta), 0.0, str(Status.SATURATED), proven=False)
        log = math.log(2.0 * self._round**2 * max(items, arms) * (2.0 + arms) / self.delta)
        n = math.ceil(max(3.0 * (1.0 + EPS) * scale * width * log, (d * (d + 1) + 2) / EPS))
        plan = rounded(weights, n)
        self._begin(np.maximum(plan - self._tally.trials, 0.0) if self.reuse else plan)
        return None


@POLICIES.enter("rage-glm-r")
def RageGLMR(
    arms: Arms, problem: Problem, *, delta: float = 0.05, slope: float, max_trials: int | None = None
) -> RageGLM:
    """:class:`RageGLM` with ``reuse=True``. That this is the paper's RAGE-GLM-R is a guess.

    Parameters
    ----------
    arms, problem, delta, slope, max_trials
        Those of :class:`RageGLM`.

    Returns
    -------
    RageGLM
        The policy.

    Examples
    --------
    >>> import functools, logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> policy = functools.partial(logts.policies.RageGLMR, slope=0.14)
    >>> run = logts.simulate(policy, arms, [1.0, 0.5], logts.BestArm(), runs=1, rng=0)[0]
    >>> run.answer, run.rule
    ('best: both', 'rage-glm-r')
    """
    return RageGLM(arms, problem, delta=delta, slope=slope, reuse=True, max_trials=max_trials)
