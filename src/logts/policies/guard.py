"""The guard against a wrong model: evidence without it from the start, and an alarm when the fit is bad.

Both kinds of evidence run side by side, and delta is split between them. An alarm holds the model's verdict back: the study then
goes on with the arms compared by themselves. If the model is wrong and the check does not see it, nothing is guaranteed.
"""

import math
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, logit, xlog1py, xlogy

from logts.alternatives import Comparisons
from logts.arms import Arms, Items
from logts.problems import Answer, Comparable, Posed, Problem, Question
from logts.stopping import Rate, Reading, model_free_evidence, nothing
from logts.tools.algebra import Array

MODEL_SHARE = 0.9
PATROL = 20  # every so many trials one goes to all arms in turn: the fit check sees only arms that are tried
# Where arms share nothing, the best of them may look bad after bad luck, and only trials of its own can tell.
FREE_PATROL = 10


class Guard:
    """Model-free evidence for a problem about arms."""

    def __init__(self, arms: Arms, problem: Problem) -> None:
        self._problem, self._names = problem, arms.names
        self._compared: Answer | None = None
        self.possible = isinstance(problem, Comparable) and arms.items.points is arms.points and len(arms) > 1
        saturated = arms.dimension == len(arms)
        self.model_share = 0.0 if self.possible and saturated else MODEL_SHARE if self.possible else 1.0

    @cached_property
    def arms(self) -> Arms:
        """The arms, sharing nothing."""
        return Arms(names=self._names)

    def read(self, trials: Array, successes: Array, delta: float) -> Reading:
        """Weigh the arms' own outcomes against the alternatives."""
        if not self.possible:
            return nothing(math.inf)
        answer = self.guess(trials, successes)
        if answer != self._compared:
            self._compared, self._comparisons = answer, self._compare(answer)
        evidence, hardest = model_free_evidence(self._comparisons, trials, successes)
        pair = self._comparisons.high[hardest], self._comparisons.low[hardest]
        threshold = -math.log(delta * (1.0 - self.model_share))
        return Reading(answer, evidence, threshold, math.exp(min(0.0, -evidence)), tuple(int(i) for i in pair if i >= 0))

    def _compare(self, answer: Answer) -> Comparisons:
        problem = self._problem
        if not isinstance(problem, Comparable):
            raise TypeError(f"{problem!r} does not compare arms by themselves")
        return problem.comparisons(Items(np.empty((len(self._names), 0)), self._names), answer.items)

    def guess(self, trials: Array, successes: Array) -> Answer:
        """The answer at the arms' own rates. For arms that share nothing one coordinate, the logit, says all."""
        items = Items(_logits(trials, successes)[:, None], self._names)
        found = self._problem.answer(items, np.ones(1))
        if self._compared is not None and found == self._compared.items:
            return self._compared
        return Answer(found, self._problem.describe(items, found))

    @cached_property
    def _question(self) -> Question:
        return Question(self._problem, self.arms)

    def posed(self, trials: Array, successes: Array) -> Posed:
        """The question at the arms' own rates, for weights."""
        logits = _logits(trials, successes)
        return self._question.pose(logits / math.sqrt(len(logits)))  # for arms that share nothing points are sqrt(K) I

    def rates(self, trials: Array, successes: Array, delta: float) -> list[Rate]:
        """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
        lines = betaln(successes + 0.5, trials - successes + 0.5) - math.log(math.pi) - math.log(len(trials) / delta)
        return [_rate(name, n, r, line) for name, n, r, line in zip(self._names, trials, successes, lines, strict=True)]


def _logits(trials: Array, successes: Array) -> Array:
    """Logits of the arms' own rates, pulled a little towards one half."""
    return np.asarray(logit((successes + 0.5) / (trials + 1.0)))


def _rate(name: str, n: float, r: float, line: float) -> Rate:
    """The rates of one arm at which its log-likelihood is still above the line."""
    if n == 0.0:
        return Rate(name, 0.0, 0.5, 1.0)

    def height(p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p) - line)

    low = brentq(height, 1e-300, r / n) if r > 0.0 else 0.0
    high = brentq(height, r / n, 1.0 - 1e-16) if r < n else 1.0
    return Rate(name, low, r / n, high)
