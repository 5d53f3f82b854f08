"""The judge: hears outcomes, weighs them with the model and without it, and says when they suffice.

Both kinds of evidence run side by side, and delta is split between them. A verdict by the model is held back
while the fit is bad: the study then goes on with the arms compared by themselves. A true misfit shows ever
more clearly, a false alarm fades: after twice the trials the model may be trusted again. If the model is
wrong and the check does not see it, nothing is guaranteed.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from logts.alternatives import Answer, Comparisons, Posed
from logts.arms import Arms
from logts.evidence.fit_check import check_fit
from logts.evidence.intervals import NotRefuted, Rate
from logts.evidence.tally import Tally
from logts.judge.second_opinion import Opinion, second_opinion
from logts.judge.trust import Trust
from logts.judge.verdict import Verdict
from logts.judge.witnesses import WithModel, WithoutModel
from logts.logistic.fit import Fit
from logts.problems import Problem
from logts.stopping import Reading, StoppingRule
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status

MODEL = "model"
MODEL_FREE = "model-free"
GUESS = "guess"
ALARM = 0.005  # of studies in which the model is right may end without it, and a tenth of delta, at most
PATIENCE = 4096  # trials up to which a verdict by the model waits for the second opinion, or twice as long


@dataclass(frozen=True)
class Finding:
    """What a look found.

    Attributes
    ----------
    reading, estimate
        The evidence that counts, and the rule's estimate.
    verdict
        If it suffices.
    opinion, doubt
        Where a model is watched: what the options' own outcomes say, and how likely it is that it is wrong.
    """

    reading: Reading
    estimate: Array | None = None
    verdict: Verdict | None = None
    opinion: Opinion | None = None
    doubt: float = 0.0


class Judge(Stateful):
    """Evidence with the model and without it, the split of delta, and how far the model is trusted.

    Parameters
    ----------
    arms, problem, rule
        What is tried, the question, and the rule that weighs evidence within the model.
    delta
        Permitted probability of a wrong answer.
    guard
        Whether to watch the fit, where the rule can share delta with evidence that needs no model.
    rng
        Source of the fit check's draws.
    """

    _kept = ("trust", "tally", "_past", "_model", "_own", "_sufficed", "_least", "rng")

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        rule: StoppingRule,
        *,
        delta: float,
        guard: bool,
        rng: np.random.Generator,
    ) -> None:
        self.delta = delta
        self.tally = Tally.of_nothing(len(arms))
        # Told without an ask: it sharpens forecasts and is no evidence.
        self._past = Tally.of_nothing(len(arms))
        self._model = WithModel(arms, problem, rule)
        self._own = WithoutModel(arms, problem)
        self.trust = _at_first(arms, problem, guard and rule.guarded)
        self._sufficed = math.inf  # trials when the evidence within the model sufficed first
        # By basis, the smallest p-value at which an answer led.
        self._least: dict[tuple[str, Answer], float] = {}
        self.rng = rng

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

    @property
    def shares(self) -> bool:
        """Whether trials are shared with evidence without the model."""
        return self.trust in (Trust.WATCHED, Trust.SET_ASIDE)

    @property
    def own_threshold(self) -> float:
        """What evidence without the model has to exceed once the model is set aside."""
        return math.log(1.0 / self.delta)

    @property
    def alarm_level(self) -> float:
        """How probable it is, at most, that the alarm is ever raised although the model is right."""
        return min(0.1 * self.delta, ALARM)

    def own_comparisons(self) -> Comparisons:
        """The alternatives to the answer by the options' own outcomes."""
        return self._own.compare(self.tally)

    def hear(self, arms: Indices, outcomes: Array) -> None:
        """Take in outcomes, in the order of the asks."""
        if self.trust.share_without_model:
            self._own.hear(arms, outcomes, self.tally)
        if self.trust is Trust.NO_MODEL:  # no forecasts are needed
            self.tally = self.tally.after(arms, outcomes)
        else:
            self.tally = self._model.hear(arms, outcomes, self.tally, self._past)

    def hear_history(self, trials: Array, successes: Array) -> Tally:
        """Take in counts from before the study; returns all that is known now."""
        self._past = self._past.plus(trials, successes)
        self._model.learn(self._known)
        return self._known

    @property
    def _known(self) -> Tally:
        """All counts: the outcomes of the study, and what was told without an ask."""
        return self.tally.plus(self._past.trials, self._past.successes)

    def look(self, t: int) -> Finding:
        """Weigh the evidence: the arms' own outcomes, then the model unless it is set aside."""
        if self.trust is Trust.NO_MODEL:
            return self._look_without_model()
        fit = self._model.refit(self.tally, self._known)
        doubt = 0.0
        if self.trust.guarded:
            checked = check_fit(self._model.arms.points, self.tally, fit)
            doubt = checked.doubt
            if checked.evidence > -math.log(self.alarm_level):
                if self.trust is Trust.ALONE:
                    return Finding(Reading.of_nothing(math.nan), verdict=self._without_proof())
                self.trust = Trust.SET_ASIDE
        if self.trust.share_without_model:
            own = self._look_without_model()
            if own.verdict is not None or self.trust.without_model:
                return own
        return self._look_with_model(fit, t, doubt)

    def _without_proof(self) -> Verdict:
        """The model is refuted, and there is no other evidence."""
        reason = str(Status.MODEL_DOUBTFUL)
        return self._decide(self._model.guess(), GUESS, math.nan, reason, proven=False, doubtful=True)

    def _look_without_model(self) -> Finding:
        reading = self._own.read(self.tally, self.permitted(without_model=True))
        self._note(MODEL_FREE, reading)
        if reading.answer is None or not reading.enough:
            return Finding(reading)
        reason = "every rival is refuted by the arms' own outcomes"
        return Finding(
            reading, None, self._decide(reading.answer, MODEL_FREE, reading.threshold, reason, proven=True)
        )

    def _look_with_model(self, fit: Fit, t: int, doubt: float) -> Finding:
        reading, estimate = self._model.read(self.tally, fit, self.permitted(without_model=False))
        self._note(MODEL, reading)
        opinion = None
        if self.trust.guarded:
            opinion = self._ask_opinion(fit, reading.answer)
        verdict = None
        if reading.answer is not None and reading.enough:
            self._sufficed = min(self._sufficed, t)
            agreed = opinion is None or not len(opinion.open) or t > max(1.5 * self._sufficed, PATIENCE)
            if agreed and doubt < 0.5:
                verdict = self._by_model(reading, reading.answer, opinion)
        return Finding(reading, estimate, verdict, opinion, doubt)

    def _by_model(self, reading: Reading, answer: Answer, opinion: Opinion | None) -> Verdict:
        proven = self._model.rule.proven
        reason = "every alternative is refuted" if proven else "its threshold, which is unproven, is passed"
        if opinion is not None:
            who = "the options' own outcomes" if not len(opinion.open) else "those of the options tried enough"
            reason += f", and {who} do not speak against it"
        return self._decide(answer, MODEL, reading.threshold, reason, proven=proven)

    def _ask_opinion(self, fit: Fit, answer: Answer | None) -> Opinion:
        """What the options' own outcomes say about the fitted answer; about its own one while there is none."""
        fitted = self._model.arms.points @ fit.theta
        if not fit.proven or answer is None:
            return Opinion(np.arange(len(fitted)), float(len(fitted)))
        return second_opinion(self.tally, *self._own.limits(answer, fitted, self.tally), fitted)

    def pose(self, found: Finding | None = None) -> Posed:
        """The question as it stands now, for weights."""
        if self.trust.without_model:
            return self._own.pose(self.tally)
        return self._model.pose(None if found is None else found.estimate)

    def standing(self) -> tuple[Reading, float]:
        """The evidence now and the confidence that it allows. To ask changes nothing."""
        free = self.trust.without_model
        permitted = self.permitted(without_model=free)
        if free:
            reading = self._own.read(self.tally, permitted)
        else:
            reading, _ = self._model.read(self.tally, self._model.fit(self.tally), permitted, whole=True)
        noted = self._confidence(MODEL_FREE if free else MODEL, reading.answer)
        return reading, max(noted, 1.0 - reading.p_value if reading.answer is not None else 0.0)

    def rates(self) -> list[Rate]:
        """Estimated rates of all items now, with intervals that hold for all items and times at once."""
        return self._rates_at(self.tally, self.trust.without_model)

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

    def known_beforehand(self) -> Verdict | None:
        """A verdict where the answer is the same whatever the parameter.

        An error where no trial can tell it.
        """
        posed = self._model.pose_anywhere()
        if posed.status is Status.NOT_IDENTIFIABLE:
            raise ValueError(f"{' and '.join(posed.rivals)}: {posed.status}")
        if posed.status is not Status.ALREADY_KNOWN or posed.answer is None:
            return None
        return Verdict(
            answer=posed.answer,
            confidence=1.0,
            confidence_without_model=1.0,
            basis=MODEL_FREE,
            counts=(0,) * len(self.tally.trials),
            threshold=math.nan,
            rule="none",
            reason=str(Status.ALREADY_KNOWN),
            assumes="nothing",
            proven=True,
            find_rates=partial(self._rates_at, self.tally, self.trust.without_model),
        )

    def give_up(self, reason: str) -> Verdict:
        """The best guess, with its honest confidence."""
        answer = self._own.guess(self.tally) if self.trust.without_model else self._model.guess()
        return self._decide(answer, GUESS, math.nan, reason, proven=False)

    def _decide(
        self,
        answer: Answer,
        basis: str,
        threshold: float,
        reason: str,
        *,
        proven: bool,
        doubtful: bool = False,
    ) -> Verdict:
        free = basis == MODEL_FREE or self.trust.without_model
        confidence = 0.0 if doubtful else self._confidence(MODEL_FREE if free else MODEL, answer)
        own = self._confidence(MODEL_FREE, answer) if self.trust.share_without_model else None
        return Verdict(
            answer=answer,
            confidence=confidence,
            confidence_without_model=own,
            basis=basis,
            counts=tuple(int(n) for n in self.tally.trials),
            threshold=threshold,
            rule=self._model.rule.name,
            reason=reason,
            assumes=self._own.assumes if basis == MODEL_FREE else self._model.assumes,
            proven=proven,
            find_rates=partial(self._rates_at, self.tally, free),
        )

    def _rates_at(self, tally: Tally, without_model: bool) -> list[Rate]:
        return (self._own if without_model else self._model).rates(tally, self.delta)

    def _note(self, basis: str, reading: Reading) -> None:
        if reading.answer is not None:
            known = self._least.get((basis, reading.answer), 1.0)
            self._least[basis, reading.answer] = min(known, reading.p_value)

    def _confidence(self, basis: str, answer: Answer | None) -> float:
        return 0.0 if answer is None else 1.0 - self._least.get((basis, answer), 1.0)


def _at_first(arms: Arms, problem: Problem, guard: bool) -> Trust:
    if not guard:
        return Trust.BLIND
    if not WithoutModel.possible(arms, problem):
        return Trust.ALONE
    return Trust.NO_MODEL if arms.dimension == len(arms) else Trust.WATCHED
