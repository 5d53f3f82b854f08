"""The judge: hears outcomes, weighs them with the model and without it, and says when they suffice.

Both kinds of evidence run side by side. A verdict without the model needs nothing else. A verdict by the
model needs three things: that every alternative is refuted within the model; that the model is more likely
right than wrong (:mod:`logts.evidence.fit_check`); and a second opinion by the options' own outcomes
(:mod:`logts.judge.second_opinion`). If the model is refuted, the alarm is raised, for good: the study goes on
with the options compared by themselves.

*Delta.* If the model is right, three things can go wrong: a verdict by it (8/10 of delta), one without it
(1/10), and the alarm (1/10). So after an alarm evidence without the model may use all of delta: if the model
is right, the alarm is paid for; if it is wrong, there is nothing else to pay for.
"""

import math
from dataclasses import replace

import numpy as np

from logts.alternatives import Answer
from logts.arms import Arms
from logts.evidence.fit_check import FitCheck, check_fit
from logts.evidence.intervals import RateTable
from logts.evidence.tally import Tally
from logts.judge.confidence import Confidences
from logts.judge.finding import Finding
from logts.judge.hearing import Hearing
from logts.judge.second_opinion import Opinion
from logts.judge.trust import Trust
from logts.judge.verdict import GUESS, MODEL, MODEL_FREE, Verdict
from logts.logistic.fit import Fit
from logts.problems import Problem
from logts.stopping import Reading, StoppingRule
from logts.tools.status import Status

ALARM = 0.005  # at most, the probability that the alarm is ever raised although the model is right
# how long a verdict by the model waits for the second opinion: so many times the trials, or so many
PATIENCE = 1.5
LEAST_PATIENCE = 4096
# when the trials have grown by so much, a look at so few options weighs all rivals, though one has too little
WHOLE = 1.25
SMALL = 32
MANY = 2048  # options, from which on they are not weighed again while a verdict waits
LIKELY = 0.5  # probability above which the model is taken to be wrong


class Judge(Hearing):
    """Looks at the evidence, and says when it suffices; see :class:`logts.judge.hearing.Hearing`."""

    _kept = (*Hearing._kept, "_sufficed", "_proven", "_sure", "_whole_at", "_stopped")

    def __init__(
        self, arms: Arms, problem: Problem, rule: StoppingRule, *, delta: float, guard: bool
    ) -> None:
        super().__init__(arms, problem, rule, delta=delta, guard=guard)
        self._sufficed = math.inf  # trials when the evidence within the model sufficed first
        self._proven: Reading | None = None  # the last one that sufficed
        self._sure = Confidences()
        self._whole_at = 0.0
        self._stopped: tuple[Tally, bool] | None = None  # what the verdict rests on, if without the model

    @property
    def alarm_threshold(self) -> float:
        """The evidence against the model above which the alarm is raised."""
        return -math.log(min(Trust.WATCHED.share_of_alarm * self.delta, ALARM))

    def check(self, tally: Tally, fit: Fit) -> FitCheck:
        """What the outcomes of a tally say about the model."""
        found = check_fit(self._model.arms.points, tally, fit)
        return found if self._model.rule.forecasts else replace(found, evidence=-math.inf)

    def look(self, t: int) -> Finding:
        """Weigh the evidence: the arms' own outcomes, then the model unless it is set aside."""
        if self.trust is Trust.NO_MODEL:
            return self._look_without_model()
        fit = self._model.refit(self.tally, self._known)
        checked = None
        if self.trust.guarded and not self.alarmed:
            checked = self.check(self.tally, fit)
            if checked.evidence > self.alarm_threshold:
                if self.trust is Trust.ALONE:
                    return Finding(Reading.of_nothing(math.nan), verdict=self._without_proof())
                self.trust = Trust.SET_ASIDE
        if self.trust.share_without_model:
            own = self._look_without_model()
            if own.verdict is not None or self.trust.without_model:
                return own
        return self._look_with_model(fit, t, checked)

    def _without_proof(self) -> Verdict:
        """The model is refuted, and there is no other evidence."""
        reason = str(Status.MODEL_DOUBTFUL)
        return self._decide(self._model.guess(), GUESS, math.nan, reason, proven=False, doubtful=True)

    def _look_without_model(self) -> Finding:
        reading = self._own.read(self.tally, self.permitted(without_model=True))
        self._sure.note(MODEL_FREE, reading)
        if reading.answer is None or not reading.enough:
            return Finding(reading)
        reason = "every rival is refuted by the arms' own outcomes"
        return Finding(
            reading, None, self._decide(reading.answer, MODEL_FREE, reading.threshold, reason, proven=True)
        )

    def _look_with_model(self, fit: Fit, t: int, checked: FitCheck | None) -> Finding:
        doubt = 0.0 if checked is None else checked.doubt
        whole = t >= WHOLE * self._whole_at and len(self.tally.trials) <= SMALL
        self._whole_at = t if whole else self._whole_at
        waiting = self._wait_on(fit, t, doubt)
        if waiting is not None:
            return waiting
        permitted = self.permitted(without_model=False)
        reading, estimate = self._model.read(self.tally, fit, permitted, whole=whole)
        if self.trust.guarded:
            reading = self._own.among_equals(reading, self.tally)
        self._sure.note(MODEL, reading)
        opinion = self._ask_opinion(estimate, reading.answer, self.tally) if self.trust.guarded else None
        if checked is not None and opinion is not None and doubt > LIKELY:
            # Whoever makes the model look wrong is tried: bad luck would hold the verdict for ever.
            opinion = opinion.and_of(np.flatnonzero(checked.off >= 0.5 * checked.off.max()), self.tally)
        if reading.answer is None or not reading.enough:
            return Finding(reading, estimate, None, opinion, doubt)
        self._sufficed = min(self._sufficed, t)
        self._proven = reading
        waits = opinion is not None and len(opinion.open) > 0
        if doubt > LIKELY or (waits and t <= max(PATIENCE * self._sufficed, LEAST_PATIENCE)):
            return Finding(reading, estimate, None, opinion, doubt)
        return Finding(reading, estimate, self._by_model(reading, reading.answer, opinion), opinion, doubt)

    def _wait_on(self, fit: Fit, t: int, doubt: float) -> Finding | None:
        """Among many options, the finding of before while all that is missing is the second opinion.

        What has refuted every alternative to an answer once is a proof of that answer at all times, and to
        weigh thousands of alternatives takes long.
        """
        reading = self._proven
        patient = t <= max(PATIENCE * self._sufficed, LEAST_PATIENCE) and doubt <= LIKELY
        if reading is None or not patient or not self.trust.guarded or len(self.tally.trials) <= MANY:
            return None
        if not fit.proven or self._model.answer_at(fit) != reading.answer:
            return None
        opinion = self._ask_opinion(fit.theta, reading.answer, self.tally)
        return Finding(reading, fit.theta, None, opinion, doubt) if len(opinion.open) else None

    def _by_model(self, reading: Reading, answer: Answer, opinion: Opinion | None) -> Verdict:
        proven = self._model.rule.proven
        reason = "every alternative is refuted" if proven else "its threshold, which is unproven, is passed"
        if opinion is not None:
            untried = f", though {len(opinion.open)} of them have too few to say" if len(opinion.open) else ""
            reason += f", and the options' own outcomes do not speak against it{untried}"
        return self._decide(answer, MODEL, reading.threshold, reason, proven=proven)

    def standing(self) -> tuple[Reading, float]:
        """The evidence now and the confidence that it allows. To ask changes nothing."""
        free = self.trust.without_model
        permitted = self.permitted(without_model=free)
        if free:
            reading = self._own.read(self.tally, permitted)
        else:
            reading, _ = self._model.read(self.tally, self._model.fit(self.tally), permitted, whole=True)
            reading = self._own.among_equals(reading, self.tally)
        noted = self._sure.of(MODEL_FREE if free else MODEL, reading.answer)
        return reading, max(noted, 1.0 - reading.p_value if reading.answer is not None else 0.0)

    def rates_at_stop(self) -> RateTable:
        """The same at the stop, whatever was heard since; found when asked for, since it takes long."""
        return self._rates_at(*self._stopped) if self._stopped is not None else self.rates()

    def known_beforehand(self) -> Verdict | None:
        """A verdict where the answer is the same whatever the parameter.

        An error where no trial can tell it.
        """
        posed = self._anywhere
        if posed.status is Status.NOT_IDENTIFIABLE:
            raise ValueError(f"{' and '.join(posed.rivals)}: {posed.status}")
        if posed.status is not Status.ALREADY_KNOWN or posed.answer is None:
            return None
        for_certain = self._own.cannot_be_wrong(posed.answer)
        if self.trust is Trust.NO_MODEL and not for_certain:
            return None
        self._stopped = self.tally.copy(), self.trust.without_model
        return Verdict(
            answer=posed.answer,
            confidence=1.0,
            confidence_without_model=1.0 if for_certain else None,
            basis=MODEL_FREE if for_certain else MODEL,
            counts=(0,) * len(self.tally.trials),
            threshold=math.nan,
            rule="none",
            reason=str(Status.ALREADY_KNOWN),
            assumes="nothing" if for_certain else "that options with equal features have equal rates",
            proven=True,
            find_rates=self.rates_at_stop,
        )

    def give_up(self, reason: str) -> Verdict:
        """The best guess, with its honest confidence."""
        free = self.trust.without_model
        self._sure.note(MODEL_FREE if free else MODEL, self.standing()[0])
        answer = self._own.guess(self.tally) if free else self._model.guess()
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
        confidence = 0.0 if doubtful else self._sure.of(MODEL_FREE if free else MODEL, answer)
        own = self._sure.of(MODEL_FREE, answer) if self.trust.share_without_model else None
        self._stopped = self.tally.copy(), free
        return Verdict(
            answer=answer,
            confidence=confidence,
            confidence_without_model=own,
            basis=basis,
            counts=tuple(int(n) for n in self.tally.trials),
            threshold=threshold,
            rule=self._model.rule.name,
            reason=reason,
            assumes=self._own.assumes if free and not doubtful else self._model.assumes,
            proven=proven,
            seen=self._own.seen(answer, self.tally, self._model.rates_of_arms()) if basis == MODEL else "",
            find_rates=self.rates_at_stop,
        )
