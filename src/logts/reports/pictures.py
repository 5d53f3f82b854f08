"""Pictures of a study, and how it stands: what they and the report are made from."""

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.special import expit

from logts.arms import Arms
from logts.evidence.fit_check import misfit
from logts.evidence.intervals import NotRefuted, Rate
from logts.judge import Verdict, percent
from logts.logistic.fit import Fit, maximum_likelihood
from logts.plots.course import plot_confidence, plot_settled
from logts.plots.fit import plot_fit
from logts.plots.rows import in_words
from logts.plots.verdict import plot_options
from logts.policies import TrackAndStop
from logts.problems import Answer, spoken
from logts.study.fold import Fold, Moment
from logts.tools.algebra import Array
from logts.tools.status import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FITS = 20_000  # at most about so many to find out when each option was settled


class Studied(Protocol):
    """What pictures need of a study."""

    @property
    def _lock(self) -> Any: ...

    def _read(self) -> Fold: ...


@dataclass(frozen=True)
class Standing:
    """How a study stands: now, or when it stopped. ``moments`` is its course, and ``last`` the end of it."""

    policy: TrackAndStop
    verdict: Verdict | None
    last: Moment
    moments: list[Moment]
    rates: list[Rate]
    remaining: float | None = None
    rival: tuple[str, ...] = ()

    @property
    def arms(self) -> Arms:
        return self.policy.arms

    @property
    def answer(self) -> Answer | None:
        """The verdict, or who leads."""
        if self.verdict is not None:
            return self.verdict.answer
        return self.last.leader if self.trials else None

    @property
    def marked(self) -> tuple[int, ...]:
        """The options to be shown in colour: the answer, if it is a choice of some of them."""
        return self.answer.items if self.answer is not None and spoken(self.policy.problem).marks else ()

    @property
    def doubtful(self) -> bool:
        """Whether the study gave up because the model does not fit: what is said within it is worth nothing then."""
        return self.verdict is not None and self.verdict.reason == str(Status.MODEL_DOUBTFUL)

    @property
    def said(self) -> str:
        """How it stands, in a line."""
        if self.verdict is not None:
            sure = "The model is doubtful" if self.doubtful else f"Confidence {percent(self.confidence)}"
            return f"{self.verdict.summary().splitlines()[0]} {sure} after {self.verdict.trials:,} trials"
        leader = "nobody yet" if self.answer is None else self.answer.text
        return f"Undecided after {self.trials:,} trials. Leading: {leader} (confidence {percent(self.last.confidence)})"

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
        return self.last.free and self.modelled

    @property
    def modelled(self) -> bool:
        """Whether there is a model: arms that share nothing have none."""
        return self.arms.dimension < len(self.arms)

    @property
    def own(self) -> bool:
        """Whether what is judged is what is tried."""
        return self.arms.items.points is self.arms.points

    @property
    def free(self) -> bool:
        """Whether only evidence without the model counts."""
        return self.last.free or (self.verdict is not None and self.verdict.basis == "model-free")

    def permitted(self, without_model: bool) -> float:
        """The part of delta that this kind of evidence may use."""
        return self.policy.judge.permitted(without_model=without_model)

    @cached_property
    def settled(self) -> dict[int, int | None]:
        """For each item after how many trials its place in the answer was settled, None while it is not."""
        if self.answer is None or self.doubtful:
            return {}
        kinds = [kind for kind in (False, True) if self.permitted(kind) > 0.0 and (kind or not self.last.free)]
        found: dict[int, int | None] = {}
        weighed = max(1, len(self.policy.problem.alternatives(self.arms.items, self.answer.items)))
        for moment in self.moments[:: -(1 + weighed * len(self.moments) // FITS)]:
            for kind in kinds:
                evidence = self.policy.judge.settled(moment.tally, self.answer, without_model=kind)
                enough = math.log(1.0 / self.permitted(kind))
                for item, value in evidence.items():
                    found[item] = int(moment.tally.total) if value > enough else found.get(item)
        return found

    @cached_property
    def fit(self) -> Fit:
        """The model's fit to the outcomes."""
        return maximum_likelihood(self.arms.points, self.last.tally.trials, self.last.tally.successes)

    @cached_property
    def misfit(self) -> float:
        """How unlikely the outcomes are if the model holds, in standard deviations; NaN while there is no fit."""
        if not self.fit.proven:
            return math.nan
        # Chance of its own: the study's must not know that somebody looked.
        rng = np.random.default_rng(0)
        return misfit(self.arms.points, self.last.tally, self.fit, rng)

    @cached_property
    def strengths(self) -> list[Rate]:
        """Where comparisons measure only differences between items: how often each would beat an average one. Else empty."""
        measured, beyond = np.split(self.arms.items.points - self.arms.items.points.mean(axis=0), [self.arms.dimension], axis=1)
        if self.arms.items.points.shape[1] == self.arms.dimension or np.abs(beyond).max() > 1e-9:
            return []
        # Without forecasts there is no score, and no line that the likelihood of the truth stays above.
        tally = self.last.tally
        possible = NotRefuted.of(self.arms.points, tally, self.policy.delta, forecasts=tally.score < 0.0)
        return [possible.rate(z, name) for z, name in zip(np.ascontiguousarray(measured), self.arms.items.names, strict=True)]


def standing(study: Studied) -> Standing:
    """How a study stands."""
    lock: AbstractContextManager[Any] = study._lock
    with lock:
        fold = study._read()
        policy, moments = fold.policy, list(fold.moments)
        verdict = fold.verdict or policy.verdict
        judge = policy.judge
        now = Moment(policy.ledger.complete, None, 0.0, judge.tally, judge.trust.without_model)
        if verdict is not None:  # what was told afterwards does not count
            used = [moment for moment in moments if moment.tally.total <= verdict.trials]
            at_stop = used and tuple(used[-1].tally.trials.astype(int)) == verdict.counts
            return Standing(policy, verdict, used[-1] if at_stop else now, used, verdict.rates())
        progress = policy.progress
        now = Moment(now.trials, progress.leader, progress.confidence, now.tally, now.free)
        if now.tally.total > (moments[-1].tally.total if moments else 2 * fold.arms.dimension):
            moments.append(now)
        return Standing(policy, None, now, moments, policy.rates(), progress.remaining, progress.rival)


class Pictures:
    """The pictures of a study. Each is a figure of matplotlib: ``study.plot_rates().savefig("rates.png")``."""

    def plot_rates(self: Studied, *, most: int = 20) -> "Figure":
        """Rates of the options with their intervals, and where the trials went; ``most`` options, the best on top."""
        at = standing(self)
        return rates_picture(at, most, at.said)

    def plot_confidence(self: Studied) -> "Figure":
        """Confidence over trials, and who led."""
        at = standing(self)
        return confidence_picture(at, at.said)

    def plot_settled(self: Studied, *, most: int = 20) -> "Figure":
        """When each option was settled: ruled out, or proven to belong to the answer."""
        at = standing(self)
        return settled_picture(at, most, at.said)

    def plot_fit(self: Studied) -> "Figure":
        """Whether the model fits: observed against fitted rates."""
        return fit_picture(standing(self), "Does the model fit?")


def rates_picture(at: Standing, most: int = 20, title: str | None = None) -> "Figure":
    """Rates and trials of the options."""
    if at.strengths:
        label = "rate of winning against an average one"
        return plot_options(at.strengths, None, at.marked, most=most, title=title, label=label)
    return plot_options(at.rates, at.last.tally.trials if at.own else None, at.marked, most=most, title=title)


def confidence_picture(at: Standing, title: str | None = None) -> "Figure":
    """Confidence over trials."""
    course = {int(moment.tally.total): moment for moment in at.moments if moment.tally.total > 0}
    claims = [moment.confidence for moment in course.values()]
    if claims:
        claims[-1] = at.confidence
    leaders = [_leader(at.arms, moment.leader) for moment in course.values()]
    aside = [moment.free and at.modelled for moment in course.values()]
    return plot_confidence(list(course), claims, leaders, 1.0 - at.permitted(at.free), free=aside, title=title)


def settled_picture(at: Standing, most: int = 20, title: str | None = None) -> "Figure":
    """When each option was settled."""
    return plot_settled(at.strengths or at.rates, at.settled, at.marked, at.trials, most=most, title=title)


def fit_picture(at: Standing, title: str | None = None) -> "Figure":
    """Observed against fitted rates."""
    if math.isnan(at.misfit):
        return in_words("The outcomes do not determine the model yet: there is nothing to check.", title)
    fitted: Array = expit(at.arms.points @ at.fit.theta)
    return plot_fit(at.arms.names, at.last.tally.trials, at.last.tally.successes, fitted, at.misfit, title=title)


def _leader(arms: Arms, leader: Answer | None) -> str | None:
    """The name of a single leader, else the answer in words, without what all answers begin with."""
    if leader is None:
        return None
    return arms.items.names[leader.items[0]] if len(leader.items) == 1 else leader.text.split(": ", 1)[-1]
