"""The two witnesses of the judge: what the outcomes say within the model, and what they say without it.

Both answer the same questions about a tally: how strong the evidence is (``read``), at which parameter
weights should be optimal (``pose``), what the answer would be (``guess``), what rates are possible
(``rates``), and how sure the place of each item is (``settled``).
"""

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from logts.alternatives import Answer, Comparisons, Posed
from logts.arms import Arms, Items
from logts.evidence import per_item
from logts.evidence.forecast import Forecaster
from logts.evidence.intervals import NotRefuted, Rate
from logts.evidence.own_rates import own_rates
from logts.evidence.pairs import Pairs
from logts.evidence.placing import Placing
from logts.evidence.tally import Tally
from logts.judge.second_opinion import UNCOMPARED, bounds
from logts.logistic.fit import Fit, fit_again
from logts.problems import BestArm, Comparable, Problem, Question
from logts.stopping import Case, Reading, StoppingRule
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status

NAMED = 3  # arms of an answer of which a verdict says how often they were tried


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

    def hear(self, arms: Indices, outcomes: Array, tally: Tally, past: Tally) -> Tally:
        """Score the forecasts of these outcomes, and place bets where it is time; returns the tally then."""
        if not self.rule.forecasts:
            return tally.after(arms, outcomes)
        left = self._placing.due - tally.total  # outcomes until bets are placed
        done = 0
        while done < len(arms):
            end = int(min(len(arms), done + left))
            some = slice(done, end)
            self._forecaster.absorb(arms[some], outcomes[some], tally, past)
            tally = tally.after(arms[some], outcomes[some], self._forecaster.scores.copy())
            left -= end - done
            done = end
            if left <= 0:
                posed = self._question.at(self._placing.estimate(tally.plus(past.trials, past.successes)))
                answered = posed.status is Status.CONVERGED
                self._placing.place(tally, posed.theta, posed.alternatives if answered else None)
                left = self._placing.due - tally.total
        return tally

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
        return fit_again(self.arms.points, tally.trials, tally.successes, self._estimate)

    def read(
        self, tally: Tally, fit: Fit, delta: float, *, whole: bool = False
    ) -> tuple[Reading, Array | None]:
        """What the rule says against the alternatives to the answer at its estimate, and that estimate."""
        case = Case(self.arms.points, self._metric, tally, fit, delta, self._placing.wealth, whole)
        theta = self.rule.estimate(case)
        posed = None if theta is None else self._question.still_at(theta)
        answered = posed is not None and posed.status is Status.CONVERGED
        return self.rule.read(case, posed if answered else None), theta

    def pose(self, theta: Array | None = None) -> Posed:
        """The question at the mode of the forecasts; for a rule without any, at its own estimate."""
        if theta is None or self.rule.forecasts:
            theta = self._forecaster.best
        return self._question.at(theta)

    def pose_anywhere(self) -> Posed:
        """The question at some parameter, in all coordinates of the items: can it be settled at all?"""
        width = self.arms.items.points.shape[1:]
        return self._question.pose(np.random.default_rng(0).normal(size=width))

    def guess(self) -> Answer:
        """The answer that the forecasts point to."""
        return self._question.answer_at(self._forecaster.best)

    def rates(self, tally: Tally, delta: float) -> list[Rate]:
        """Rates of the items with intervals that hold if the model does.

        Where no arm measures, anything is possible.
        """
        items = self.arms.items
        possible = self.not_refuted(tally, delta)
        inside, beyond = np.split(items.points, [self.arms.dimension], axis=1)
        rows = zip(np.ascontiguousarray(inside), beyond, items.names, strict=True)
        return [
            Rate(name, 0.0, 0.5, 1.0) if unseen.any() else possible.rate(z, name) for z, unseen, name in rows
        ]

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


class WithoutModel(Stateful):
    """Evidence that lets every arm have a rate of its own, for questions about the arms themselves.

    It needs no model, so outcomes of an earlier study of the same arms, under another model, count as well.
    """

    _kept = ("_pairs", "_earlier")

    assumes = "independent outcomes, each arm with a rate of its own"

    def __init__(self, arms: Arms, problem: Problem) -> None:
        self._given = arms
        self._names = arms.names
        self._problem = problem
        self._compared: tuple[Answer, Comparisons] | None = None
        self._pairs = Pairs(len(arms))
        self._earlier = Tally.of_nothing(len(arms))
        self._comparable = isinstance(problem, Comparable) and arms.items.points is arms.points

    @property
    def possible(self) -> bool:
        """Whether the question can be settled by the arms' own outcomes."""
        return self._comparable and len(self._names) > 1

    def among_equals(self, reading: Reading, tally: Tally) -> Reading:
        """Of the arms that the model cannot tell from the best one, that which did best itself."""
        if reading.answer is None or not self._comparable or not isinstance(self._problem, BestArm):
            return reading
        (best,) = reading.answer.items
        equal = np.flatnonzero(self._alike == self._alike[best])
        if len(equal) == 1:
            return reading
        found = (int(equal[np.argmax(_logits(self.with_earlier(tally))[equal])]),)
        items = Items(np.empty((len(self._names), 0)), self._names)
        return replace(reading, answer=Answer(found, self._problem.describe(items, found)))

    def cannot_be_wrong(self, answer: Answer) -> bool:
        """Whether an answer is right whatever the rates of the arms."""
        return self._comparable and not len(self._comparisons(answer).low)

    @cached_property
    def arms(self) -> Arms:
        """The arms, sharing nothing: themselves if given by names.

        Those with features get other coordinates.
        """
        return self._given if self._given.by_name else Arms(names=self._names)

    @cached_property
    def _question(self) -> Question:
        return Question(self._problem, self.arms)

    def inherit(self, arms: Indices, outcomes: Array) -> None:
        """Hear the outcomes of an earlier study, in the order of its asks, before those of this one."""
        self.hear(arms, outcomes, Tally.of_nothing(len(self._names)))
        self._earlier = self._earlier.after(arms, outcomes)

    def with_earlier(self, tally: Tally) -> Tally:
        """The counts of a tally and of the earlier study."""
        return tally.plus(self._earlier.trials, self._earlier.successes)

    def hear(self, arms: Indices, outcomes: Array, before: Tally) -> None:
        """Place bets where it is time, by what is known of all earlier asks and of no later one."""
        before = self.with_earlier(before)
        heard = before.total
        done = 0
        while self._pairs.due <= heard + len(arms):
            due = int(self._pairs.due - heard)
            self._pairs.matched.hear(arms[done:due], outcomes[done:due])
            done = due
            known = before.after(arms[:done], outcomes[:done])
            self._pairs.place(self._against(self._guess(known)), known)
        self._pairs.matched.hear(arms[done:], outcomes[done:])

    def _against(self, answer: Answer) -> Comparisons:
        """The alternatives to an answer, kept while it is the same."""
        if self._compared is None or self._compared[0] != answer:
            self._compared = answer, self._comparisons(answer)
        return self._compared[1]

    def compare(self, tally: Tally) -> Comparisons:
        """The alternatives to the answer at the arms' own rates."""
        return self._against(self.guess(tally))

    def limits(self, answer: Answer, fitted: Array, tally: Tally) -> tuple[Array, Array]:
        """Between which logits every arm has to lie for an answer by the model, with some tolerance."""
        if not self._comparable:
            return fitted - UNCOMPARED, fitted + UNCOMPARED
        return bounds(self._comparisons(answer), fitted, _logits(self.with_earlier(tally)), self._alike)

    @cached_property
    def _alike(self) -> Indices:
        """Equal numbers for arms with equal features."""
        return np.unique(self._given.points, axis=0, return_inverse=True)[1].ravel()

    def read(self, tally: Tally, delta: float) -> Reading:
        """What the arms' own outcomes say against the alternatives to the answer at their own rates."""
        answer = self.guess(tally)
        comparisons = self._against(answer)
        each = self._pairs.evidence(comparisons, self.with_earlier(tally))
        hardest = int(np.argmin(each))
        value = float(each[hardest]) - comparisons.price
        pair = comparisons.high[hardest], comparisons.low[hardest]
        rival = tuple(int(i) for i in pair if i >= 0)
        return Reading(answer, value, -math.log(delta), math.exp(min(0.0, -value)), rival)

    def seen(self, answer: Answer, tally: Tally, fitted: Array) -> str:
        """How often the arms in an answer were tried, and what came of it beside what the model says."""
        if not self._comparable or not 0 < len(answer.items) <= NAMED:
            return ""
        told = []
        for k in answer.items:
            trials = int(tally.trials[k])
            own = f", {tally.successes[k] / trials:.0%} yes" if trials else ""
            told.append(f"{self._names[k]} {trials:,} of the {tally.total:,.0f} trials{own}")
        shown = " and ".join(f"{fitted[k]:.0%}" for k in answer.items)
        return f"Tried itself: {'; '.join(told)}. The model says {shown}."

    def pose(self, tally: Tally) -> Posed:
        """The question at the arms' own rates, in coordinates in which they share nothing."""
        logits = _logits(self.with_earlier(tally))
        return self._question.pose(logits / math.sqrt(len(self._names)))  # points are sqrt(K) I there

    def guess(self, tally: Tally) -> Answer:
        """The answer at the arms' own rates.

        For arms that share nothing one coordinate, the logit, says all.
        """
        return self._guess(self.with_earlier(tally))

    def _guess(self, tally: Tally) -> Answer:
        items = Items(_logits(tally)[:, None], self._names)
        found = self._problem.answer(items, np.ones(1))
        if self._compared is not None and found == self._compared[0].items:
            return self._compared[0]
        return Answer(found, self._problem.describe(items, found))

    def rates(self, tally: Tally, delta: float) -> list[Rate]:
        """Rates of the arms with intervals that hold for all of them and at all times."""
        return own_rates(self._names, self.with_earlier(tally), delta)

    def settled(self, tally: Tally, answer: Answer) -> dict[int, float]:
        """Log evidence that the answer has the place of each arm right."""
        return per_item.without_model(self._comparisons(answer), self.with_earlier(tally), self._pairs)

    def _comparisons(self, answer: Answer) -> Comparisons:
        if not isinstance(self._problem, Comparable):
            raise TypeError(f"{self._problem!r} does not compare arms by themselves")
        return self._problem.comparisons(Items(np.empty((len(self._names), 0)), self._names), answer.items)


def _logits(tally: Tally) -> Array:
    """Logits of the arms' own rates, pulled a little towards one half."""
    return np.asarray(logit((tally.successes + 0.5) / (tally.trials + 1.0)))
