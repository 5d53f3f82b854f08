"""The guard against a wrong model: evidence without it from the start, and an alarm when the fit is bad.

Both kinds of evidence run side by side, and delta is split between them. An alarm holds the model's verdict back: the study then
goes on with the arms compared by themselves. If the model is wrong and the check does not see it, nothing is guaranteed.
"""

import math

import numpy as np
from scipy.special import betaln, logit

from logts.algebra import Array
from logts.arms import Arms
from logts.logistic import maximum_likelihood
from logts.policies.allocation import LazyDesign
from logts.problems import Answer, Comparable, Posed, Problem, pose
from logts.stopping import Rate, Reading, model_free_evidence, nothing, rate

MODEL_SHARE = 0.9


class Guard:
    """Model-free evidence for a problem about arms."""

    def __init__(self, arms: Arms, problem: Problem, *, exact: bool) -> None:
        self._problem = problem
        self._arms = Arms(names=arms.names)
        self._exact = exact
        self.possible = isinstance(problem, Comparable) and arms.items.points is arms.points
        saturated = arms.dimension == len(arms)
        self.model_share = 0.0 if self.possible and saturated else MODEL_SHARE if self.possible else 1.0

    def read(self, trials: Array, successes: Array, delta: float) -> Reading:
        """Weigh the arms' own outcomes against the alternatives."""
        share = 1.0 - self.model_share
        if not self.possible or not isinstance(self._problem, Comparable):
            return nothing(math.inf)
        threshold = -math.log(delta * share)
        posed = self.posed(trials, successes)
        if posed.answer is None:
            return nothing(threshold)
        comparisons = self._problem.comparisons(self._arms.items, posed.answer.items)
        evidence, hardest = model_free_evidence(comparisons, trials, successes)
        rival = posed.alternatives.take([hardest]) if len(posed.alternatives) == len(comparisons.high) else None
        return Reading(posed.answer, evidence, threshold, math.exp(min(0.0, -evidence)), rival)

    def posed(self, trials: Array, successes: Array) -> Posed:
        """The question at the arms' own rates, pulled a little towards one half."""
        logits = logit((successes + 0.5) / (trials + 1.0))
        return pose(self._problem, self._arms, self._arms.coordinates(logits))

    def guess(self, trials: Array, successes: Array) -> Answer | None:
        """The answer at the arms' own rates."""
        return self.posed(trials, successes).answer

    def design(self) -> LazyDesign:
        """Weights for arms that share nothing."""
        return LazyDesign(self._arms, exact=self._exact)

    def rates(self, trials: Array, successes: Array, delta: float) -> list[Rate]:
        """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
        scores = betaln(successes + 0.5, trials - successes + 0.5) - math.log(math.pi) - math.log(len(trials) / delta)
        one = np.ones((1, 1))
        return [
            rate(one, n, r, maximum_likelihood(one, n, r), float(line), one[0], name)
            for n, r, line, name in zip(trials[:, None], successes[:, None], scores, self._arms.names, strict=True)
        ]
