"""The guard against a wrong model: evidence without it from the start, and an alarm when the fit is bad.

Both kinds of evidence run side by side, and delta is split between them. An alarm holds the model's verdict back: the study then
goes on with the arms compared by themselves. If the model is wrong and the check does not see it, nothing is guaranteed.
"""

import math

from scipy.optimize import brentq
from scipy.special import betaln, logit, xlog1py, xlogy

from logts.algebra import Array
from logts.arms import Arms
from logts.problems import Answer, Comparable, Posed, Problem, Question
from logts.stopping import Rate, Reading, model_free_evidence, nothing

MODEL_SHARE = 0.9
PATROL = 20  # every so many trials one goes to all arms in turn: the fit check sees only arms that are tried


class Guard:
    """Model-free evidence for a problem about arms."""

    def __init__(self, arms: Arms, problem: Problem) -> None:
        self._problem = problem if isinstance(problem, Comparable) else None
        self.arms = Arms(names=arms.names)
        self._question = Question(problem, self.arms)
        self._compared: Answer | None = None
        self.possible = self._problem is not None and arms.items.points is arms.points
        saturated = arms.dimension == len(arms)
        self.model_share = 0.0 if self.possible and saturated else MODEL_SHARE if self.possible else 1.0

    def read(self, trials: Array, successes: Array, delta: float) -> Reading:
        """Weigh the arms' own outcomes against the alternatives."""
        share = 1.0 - self.model_share
        if not self.possible or self._problem is None:
            return nothing(math.inf)
        threshold = -math.log(delta * share)
        posed = self.posed(trials, successes)
        if posed.answer is None:
            return nothing(threshold)
        if posed.answer != self._compared:
            self._compared, self._comparisons = posed.answer, self._problem.comparisons(self.arms.items, posed.answer.items)
        evidence, hardest = model_free_evidence(self._comparisons, trials, successes)
        rival = posed.alternatives.take([hardest]) if len(posed.alternatives) == len(self._comparisons.high) else None
        return Reading(posed.answer, evidence, threshold, math.exp(min(0.0, -evidence)), rival)

    def posed(self, trials: Array, successes: Array) -> Posed:
        """The question at the arms' own rates, pulled a little towards one half."""
        logits = logit((successes + 0.5) / (trials + 1.0))
        return self._question.pose(logits / math.sqrt(len(logits)))  # for arms that share nothing points are sqrt(K) I

    def guess(self, trials: Array, successes: Array) -> Answer | None:
        """The answer at the arms' own rates."""
        return self.posed(trials, successes).answer

    def rates(self, trials: Array, successes: Array, delta: float) -> list[Rate]:
        """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
        lines = betaln(successes + 0.5, trials - successes + 0.5) - math.log(math.pi) - math.log(len(trials) / delta)
        return [_rate(name, n, r, line) for name, n, r, line in zip(self.arms.names, trials, successes, lines, strict=True)]


def _rate(name: str, n: float, r: float, line: float) -> Rate:
    """The rates of one arm at which its log-likelihood is still above the line."""
    if n == 0.0:
        return Rate(name, 0.0, 0.5, 1.0)

    def height(p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p) - line)

    low = brentq(height, 1e-300, r / n) if r > 0.0 else 0.0
    high = brentq(height, r / n, 1.0 - 1e-16) if r < n else 1.0
    return Rate(name, low, r / n, high)
