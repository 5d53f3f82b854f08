"""What the outcomes say within the model: one of the two witnesses of the judge.

Both answer the same questions about a tally: how strong the evidence is (``read``), at which parameter
weights should be optimal (``pose``), what the answer would be (``guess``), what rates are possible
(``rates``), and how sure the place of each item is (``settled``).
"""

import math

import numpy as np
from scipy.special import expit

from logts.alternatives import Answer, Posed
from logts.arms import Arms
from logts.evidence import per_item
from logts.evidence.forecast import Forecaster
from logts.evidence.intervals import NotRefuted, RateTable
from logts.evidence.placing import Placing
from logts.evidence.tally import Tally, where_tried
from logts.logistic.fit import Fit, fit_again
from logts.problems import Problem, Question
from logts.stopping import Case, Reading, StoppingRule
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status


class WithModel(Stateful):
    """Evidence that trusts the model: forecasts, a fit, and a stopping rule that weighs them."""

    _kept = ("_forecaster", "_placing", "_estimate")

    def __init__(self, arms: Arms, problem: Problem, rule: StoppingRule) -> None:
        self.arms = arms
        self.rule = rule
        self.assumes = rule.assumes
        self._metric = arms.metric
        self._question = Question(problem, arms)
        self._forecaster = Forecaster(arms.points)
        self._placing = Placing(arms.points, bets=rule.bets)
        self._estimate = np.zeros(arms.dimension)  # where the next fit begins

    @property
    def saturated(self) -> bool:
        """Whether every arm has a rate of its own."""
        return self.arms.dimension == len(self.arms)

    def hear(self, arms: Indices, outcomes: Array, tally: Tally, past: Tally) -> None:
        """Count these outcomes, score the forecasts of them, and place bets where it is time."""
        if not self.rule.forecasts:
            tally.add(arms, outcomes)
            return
        done = 0
        heard = tally.total
        while heard + len(arms) - done >= self._placing.due:
            some = slice(done, done + int(self._placing.due - heard))
            self._forecaster.absorb(arms[some], outcomes[some], tally, past)
            done, heard = some.stop, self._placing.due
            known = tally.plus(past.trials, past.successes)
            posed = self._question.still_at(self._placing.estimate(known, self._forecaster.best))
            answered = posed.status is Status.CONVERGED
            self._placing.place(tally, posed.theta, posed.alternatives if answered else None)
        self._forecaster.absorb(arms[done:], outcomes[done:], tally, past)

    def refit(self, tally: Tally, known: Tally) -> Fit:
        """Fit the outcomes anew."""
        fit = self.fit(tally)
        self._estimate = fit.theta if fit.proven else np.zeros(self.arms.dimension)
        if not self.rule.forecasts:  # nothing is scored: what is to be guessed may rest on all that is known
            self._forecaster.fit(known)
        return fit

    def rates_of_arms(self) -> Array:
        """The rates of the arms at the latest fit."""
        return np.asarray(expit(self.arms.points @ self._estimate))

    def learn(self, known: Tally) -> None:
        """Let the forecasts to come start from the exact fit to all that is known."""
        self._forecaster.fit(known)

    def fit(self, tally: Tally) -> Fit:
        """The maximum-likelihood fit; to ask for it changes nothing."""
        points, trials, successes = where_tried(self.arms.points, tally.trials, tally.successes)
        return fit_again(points, trials, successes, self._estimate)

    def read(
        self, tally: Tally, fit: Fit, delta: float, *, whole: bool = False
    ) -> tuple[Reading, Array | None]:
        """What the rule says against the alternatives to the answer at its estimate, and that estimate."""
        mode, wealth = self._forecaster.best, self._placing.wealth
        case = Case(self.arms.points, self._metric, tally, fit, mode, delta, wealth, whole)
        theta = self.rule.estimate(case)
        posed = None if theta is None else self._question.still_at(theta)
        answered = posed is not None and posed.status is Status.CONVERGED
        return self.rule.read(case, posed if answered else None), theta

    def pose(self, theta: Array | None = None) -> Posed:
        """The question at the mode of the forecasts; for a rule without any, at its own estimate."""
        if theta is None or self.rule.forecasts:
            theta = self._forecaster.best
        return self._question.still_at(theta)

    def pose_anywhere(self) -> Posed:
        """The question at some parameter, in all coordinates of the items: can it be settled at all?"""
        width = self.arms.items.points.shape[1:]
        return self._question.pose(np.random.default_rng(0).normal(size=width))

    def answer_at(self, fit: Fit) -> Answer:
        """The answer at a fit."""
        return self._question.answer_at(fit.theta)

    def guess(self) -> Answer:
        """The answer that the forecasts point to."""
        return self._question.answer_at(self._forecaster.best)

    def rates(self, tally: Tally, delta: float) -> RateTable:
        """Rates of the items with intervals that hold if the model does.

        Where no arm measures, anything is possible.
        """
        return self.not_refuted(tally, delta).rates_of(self.arms.items)

    def not_refuted(self, tally: Tally, delta: float) -> NotRefuted:
        """The parameters that are still possible: all of them where the rule makes no forecasts."""
        line = self._placing.wealth.line(tally, delta) if self.rule.forecasts else -math.inf
        return NotRefuted.of(self.arms.points, tally, line)

    def settled(self, tally: Tally, answer: Answer) -> dict[int, float]:
        """Log evidence that the answer has the place of each item right; empty where the rule gives none."""
        if not self.rule.forecasts:
            return {}
        items = self.arms.items
        alternatives = self._question.problem.alternatives(items, answer.items)
        return per_item.within_model(
            self.arms.points, tally, self._placing.wealth, alternatives, items.points.shape[1]
        )
