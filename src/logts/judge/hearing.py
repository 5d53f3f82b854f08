"""What was heard, and what it says: both kinds of evidence, the split of delta, and trust in the model."""

import math
from typing import ClassVar

import numpy as np

from logts.alternatives import Answer, Comparisons, Posed
from logts.arms import Arms
from logts.evidence.intervals import NotRefuted, RateTable
from logts.evidence.tally import Tally
from logts.judge.finding import Finding
from logts.judge.no_model import NoModel
from logts.judge.second_opinion import Opinion, second_opinion
from logts.judge.trust import Trust
from logts.judge.with_model import WithModel
from logts.judge.without_model import WithoutModel
from logts.problems import Problem
from logts.stopping import StoppingRule
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status


class Hearing(Stateful):
    """Outcomes in the order of the asks, and the two witnesses that make evidence of them.

    Parameters
    ----------
    arms, problem, rule
        What is tried, the question, and the rule that weighs evidence within the model.
    delta
        Permitted probability of a wrong answer.
    guard
        Whether to watch the fit, where the rule can share delta with evidence that needs no model.
    """

    _kept: ClassVar[tuple[str, ...]] = ("trust", "tally", "_past", "_model", "_own")

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        rule: StoppingRule,
        *,
        delta: float,
        guard: bool,
    ) -> None:
        self.delta = delta
        self.tally = Tally.of_nothing(len(arms))
        # Told without an ask: it sharpens forecasts and is no evidence.
        self._past = Tally.of_nothing(len(arms))
        self._own = WithoutModel(arms, problem)
        needless = guard and rule.guarded and self._own.possible and arms.dimension == len(arms)
        self._model = NoModel(arms, rule) if needless else WithModel(arms, problem, rule)
        self._anywhere = self._own.pose_anywhere() if needless else self._model.pose_anywhere()
        self.trust = self._trust_at_first(guard and rule.guarded)

    def _trust_at_first(self, guard: bool) -> Trust:
        if not guard:
            return Trust.BLIND
        if not self._own.possible:
            return Trust.ALONE
        # A model that cannot tell the options apart says nothing about the question.
        blind = self._anywhere.status is Status.ALREADY_KNOWN
        return Trust.NO_MODEL if blind or self._model.saturated else Trust.WATCHED

    @property
    def alarmed(self) -> bool:
        """Whether there is a model, and it is set aside."""
        return self.trust is Trust.SET_ASIDE

    @property
    def arms(self) -> Arms:
        """The arms in the coordinates in which weights are sought now."""
        return self._own.arms if self.trust.without_model else self._model.arms

    def permitted(self, *, without_model: bool) -> float:
        """The part of delta for this kind of evidence, which has to exceed ``log(1/permitted)``."""
        return self.delta * (self.trust.share_without_model if without_model else self.trust.share_with_model)

    def hear(self, arms: Indices, outcomes: Array) -> None:
        """Take in outcomes, in the order of the asks."""
        if self.trust.share_without_model:
            self._own.hear(arms, outcomes, lambda: self.tally)
        if self.trust is Trust.NO_MODEL:  # no forecasts are needed
            self.tally.add(arms, outcomes)
        else:
            self._model.hear(arms, outcomes, self.tally, self._past)

    def hear_history(self, trials: Array, successes: Array) -> Tally:
        """Take in counts from before the study; returns all that is known now."""
        self._past = self._past.plus(trials, successes)
        self._model.learn(self._known)
        return self._known

    def inherit(self, arms: Indices, outcomes: Array) -> Tally:
        """Take in a study of the same options under another model, or none; returns all that is known now.

        Its outcomes are evidence without the model. Within the model, which was perhaps chosen because of
        them, they are history.
        """
        if self.trust.share_without_model:
            self._own.inherit(arms, outcomes)
        told = Tally.of_nothing(len(self.tally.trials)).after(arms, outcomes)
        return self.hear_history(told.trials, told.successes)

    @property
    def _known(self) -> Tally:
        """All counts: the outcomes of the study, and what was told without an ask."""
        return self.tally.plus(self._past.trials, self._past.successes)

    def by_themselves(self, tally: Tally) -> Tally:
        """The counts that evidence without the model rests on: those of an earlier study as well."""
        return self._own.with_earlier(tally)

    def own_case(self) -> tuple[Comparisons, Tally, Array]:
        """The alternatives to the answer by the options' own outcomes, these, and evidence against each."""
        return self._own.weigh(self.tally)

    def pose(self, found: Finding | None = None) -> Posed:
        """The question as it stands now, for weights."""
        if self.trust.without_model:
            return self._own.pose(self.tally)
        return self._model.pose(None if found is None else found.estimate)

    def _ask_opinion(self, theta: Array | None, answer: Answer | None, tally: Tally) -> Opinion:
        """What the options' own outcomes say about an answer by the model; nothing while there is none."""
        if theta is None or answer is None:
            options = len(tally.trials)
            return Opinion(np.arange(options), float(options))
        fitted = self._model.arms.points @ theta
        return second_opinion(tally, *self._own.limits(answer, fitted, tally), fitted)

    def opinion(self, tally: Tally, answer: Answer) -> Opinion | None:
        """What the options' own outcomes say about an answer by the model; None where nobody asks them."""
        if not self.trust.guarded or self.trust.without_model:
            return None
        fit = self._model.fit(tally)
        return self._ask_opinion(fit.theta if fit.proven else None, answer, tally)

    def rates(self) -> RateTable:
        """Estimated rates of all items now, with intervals that hold for all items and times at once."""
        return self._rates_at(self.tally.copy(), self.trust.without_model)

    def _rates_at(self, tally: Tally, without_model: bool) -> RateTable:
        return (self._own if without_model else self._model).rates(tally, self.delta)

    def not_refuted(self, tally: Tally) -> NotRefuted:
        """The parameters that the forecasts still allow, at a tally."""
        return self._model.not_refuted(tally, self.delta)

    def item_evidence(self, tally: Tally, answer: Answer, *, without_model: bool) -> dict[int, float]:
        """How much log evidence there is, at a tally, that an answer has the place of each item right.

        Items that no alternative concerns are left out; empty where there is no such evidence, or more than
        2,000 alternatives.
        """
        if not self.permitted(without_model=without_model):
            return {}
        return (self._own if without_model else self._model).settled(tally, answer)

    def settled(self, answer: Answer) -> dict[int, bool]:
        """For each item whether the evidence that counts suffices that the answer has its place right."""
        found: dict[int, bool] = {}
        for free in (True,) if self.trust.without_model else (True, False):
            for item, value in self.item_evidence(self.tally, answer, without_model=free).items():
                enough = value > math.log(1.0 / self.permitted(without_model=free))
                found[item] = found.get(item, False) or enough
        return found
