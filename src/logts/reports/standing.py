"""How a study stands, now or when it stopped: what pictures, words and the report are made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from logts.alternatives import Answer
from logts.arms import Arms, Items
from logts.evidence.fit_check import FitCheck
from logts.evidence.intervals import NotRefuted, Rate
from logts.judge import Trust, Verdict, percent
from logts.logistic.fit import Fit, maximum_likelihood
from logts.policies import TrackAndStop
from logts.policies.moment import Moment, moment_of
from logts.problems import spoken
from logts.tools.status import Status


@dataclass(frozen=True)
class Standing:
    """How a study stands: now, or when it stopped.

    Attributes
    ----------
    policy
        What runs the study, with all outcomes so far.
    verdict
        What it ended with; None while it is undecided.
    last, moments
        The state that everything is said about, and the course up to there.
    rates
        The rate of each item, with an interval.
    remaining, rival
        The trials still expected, and what is hardest to settle; nothing of the kind once there is a verdict.
    """

    policy: TrackAndStop
    verdict: Verdict | None
    last: Moment
    moments: list[Moment]
    rates: Sequence[Rate]
    remaining: float | None = None
    rival: tuple[str, ...] = ()

    @property
    def arms(self) -> Arms:
        """What is tried, and what is judged."""
        return self.policy.arms

    @property
    def answer(self) -> Answer | None:
        """The verdict, or who leads."""
        if self.verdict is not None:
            return self.verdict.answer
        return self.last.leader if self.trials else None

    @property
    def marked(self) -> tuple[int, ...]:
        """The options to be shown in colour: the answer, unless it is the order of all of them."""
        return () if self.answer is None or not spoken(self.policy.problem).marks else self.answer.items

    @property
    def doubtful(self) -> bool:
        """Whether the study gave up because the model does not fit: evidence within it is worth nothing."""
        return self.verdict is not None and self.verdict.reason == str(Status.MODEL_DOUBTFUL)

    @property
    def said(self) -> str:
        """How it stands, in a line."""
        if self.verdict is not None:
            sure = "The model is doubtful" if self.doubtful else f"Confidence {percent(self.confidence)}"
            return f"{self.verdict.summary().splitlines()[0]} {sure} after {self.verdict.trials:,} trials"
        leader = "nobody yet" if self.answer is None else self.answer.text
        sure = f"confidence {percent(self.last.confidence)}"
        return f"Undecided after {self.trials:,} trials. Leading: {leader} ({sure})"

    @property
    def trials(self) -> int:
        """Outcomes used."""
        return int(self.last.tally.total)

    @property
    def confidence(self) -> float:
        """What can be claimed, by the kind of evidence that the verdict rests on."""
        return self.last.confidence if self.verdict is None else self.verdict.confidence

    @property
    def alarmed(self) -> bool:
        """Whether there is a model, and it was set aside."""
        return self.last.without_model and self.modelled

    @property
    def modelled(self) -> bool:
        """Whether there is a model: not for arms that share nothing, or that it cannot tell apart."""
        return self.policy.judge.trust is not Trust.NO_MODEL and self.arms.dimension < len(self.arms)

    @property
    def own(self) -> bool:
        """Whether what is judged is what is tried."""
        return self.arms.own_items

    @property
    def free(self) -> bool:
        """Whether only evidence without the model counts."""
        return self.last.without_model or (self.verdict is not None and self.verdict.basis == "model-free")

    def permitted(self, without_model: bool) -> float:
        """The part of delta that this kind of evidence may use."""
        return self.policy.judge.permitted(without_model=without_model)

    @cached_property
    def settled(self) -> dict[int, int | None]:
        """For each item after how many trials its place in the answer was settled, None while it is not."""
        if self.answer is None or self.doubtful:
            return {}
        found: dict[int, int | None] = dict.fromkeys(self.last.settled)
        for moment in [*self.moments, self.last]:
            if moment.leader == self.answer:
                for item, settled in moment.settled.items():
                    if settled and found.get(item) is None:
                        found[item] = int(moment.tally.total)
        return found

    @cached_property
    def fit(self) -> Fit:
        """The model's fit to the outcomes."""
        tally = self.last.tally
        return maximum_likelihood(self.arms.points, tally.trials, tally.successes)

    @cached_property
    def check(self) -> FitCheck:
        """What the outcomes say about the model."""
        return self.policy.judge.check(self.last.tally, self.fit)

    @property
    def refuted(self) -> bool:
        """Whether the outcomes refute the model."""
        return self.alarmed or self.check.evidence > self.policy.judge.alarm_threshold

    @property
    def checkable(self) -> bool:
        """Whether there is a model, a fit, and more options that were tried than the fit could follow."""
        tried = int((self.last.tally.trials > 0).sum())
        return self.modelled and self.fit.proven and tried > self.arms.dimension

    @property
    def shown(self) -> Sequence[Rate]:
        """What there is to show of each item: its rate; where there is none, its strength."""
        return self.strengths or self.rates

    @cached_property
    def strengths(self) -> Sequence[Rate]:
        """Where only differences are measured: how often each item would beat an average one. Else empty."""
        if self.own:  # no item is beyond what is tried
            return []
        points = self.arms.items.points
        measured, beyond = np.split(points - points.mean(axis=0), [self.arms.dimension], axis=1)
        if points.shape[1] == self.arms.dimension or np.abs(beyond).max() > 1e-9:
            return []
        return self.possible.rates_of(Items(measured, self.arms.items.names))

    @cached_property
    def possible(self) -> NotRefuted:
        """The parameters of the model that are not refuted."""
        return self.policy.judge.not_refuted(self.last.tally)


def standing_of(policy: TrackAndStop, course: Sequence[Moment], verdict: Verdict | None) -> Standing:
    """How a study stands.

    Parameters
    ----------
    policy
        What runs it, with all outcomes so far.
    course
        How it stood at some times before.
    verdict
        The one that was written down, if any.
    """
    moments = list(course)
    verdict = verdict or policy.verdict
    if verdict is not None:  # what was told afterwards does not count
        used = [moment for moment in moments if moment.tally.total <= verdict.trials]
        at_stop = used and tuple(used[-1].tally.trials.astype(int)) == verdict.counts
        last = used[-1] if at_stop else moment_of(policy)
        return Standing(policy, verdict, last, used, verdict.rates())
    progress = policy.progress
    now = moment_of(policy)
    if now.tally.total > (moments[-1].tally.total if moments else 2 * policy.arms.dimension):
        moments.append(now)
    return Standing(policy, None, now, moments, policy.rates(), progress.remaining, progress.rival)
