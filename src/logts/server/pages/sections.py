"""The sections of a study's page, each what its template needs: words of the reports, and numbers."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from logts.evidence.intervals import Rate, leading
from logts.judge import percent
from logts.reports.fit_words import alarm_in_words, fit_in_words, opinion_in_words
from logts.reports.preview import Preview
from logts.reports.preview_words import gap_in_words, preview_in_words
from logts.reports.rivals import Rival, rivals_of, target_of
from logts.reports.standing import Standing
from logts.reports.words import question, rates_caption, standing_in_words
from logts.server.pages.charts import Scale, rates_scale
from logts.study import Study
from logts.study.facts import archived

LISTED = 12  # rows of a table
FOLDED = 100  # rows that are folded away
NAMED = 30  # options that are named in a line
OFF = 6  # options of which the fit is shown


@dataclass(frozen=True)
class Head:
    """The answer first: what leads or was decided, how sure, and how far it is."""

    name: str
    question: str
    state: str  # undecided, decided, guessed or doubtful
    title: str
    lines: list[str]
    answer: str
    confidence: float
    sure: str
    wanted: float
    trials: int
    remaining: float | None
    gap: str
    known: list[tuple[str, str]]
    alarm: str
    archived: bool

    @property
    def done(self) -> float:
        """The part of the trials that is made, as far as one can tell."""
        if self.state != "undecided":
            return 1.0
        return 0.0 if self.remaining is None else self.trials / max(self.trials + self.remaining, 1.0)

    @property
    def said(self) -> str:
        """How it stands, to be read aloud."""
        if self.state != "undecided":
            return self.title
        return f"Confidence {self.sure} after {self.trials:,} trials. {self.answer}"


def head(study: Study, at: Standing, seen: Preview) -> Head:
    """How the study stands, in words and a few numbers."""
    title, lines = standing_in_words(at)
    verdict = at.verdict
    state = "undecided"
    if verdict is not None:
        state = "decided" if verdict.proven else "doubtful" if at.doubtful else "guessed"
    leads = "" if at.answer is None else at.answer.text
    return Head(
        name=study.name,
        question=question(study.problem, at.arms.items.names),
        state=state,
        title=title,
        lines=[] if verdict is None else [line for line in lines if line],
        answer=f"{leads[:1].upper()}{leads[1:]}",
        confidence=at.confidence,
        sure=percent(at.confidence),
        wanted=1.0 - study.delta,
        trials=at.trials if verdict is None else verdict.trials,
        remaining=at.remaining,
        gap="" if seen.gap is None or state != "decided" else gap_in_words(at, seen.gap),
        known=[pair for pair in preview_in_words(at, seen) if pair[0] != "leading"],
        alarm=alarm_in_words(at),
        archived=archived(study),
    )


@dataclass(frozen=True)
class Option:
    """An option: its rate, whether anything is known of it, how often it was tried, when it was settled."""

    rate: Rate
    known: bool
    marked: bool
    trials: int | None
    settled: str


@dataclass(frozen=True)
class Options:
    """The options that look best, and an axis for their rates."""

    rows: list[Option]
    folded: list[Option]
    count: int
    scale: Scale
    rates_are: str
    caption: str


def options(at: Standing) -> Options:
    """The best of the options."""
    found = [_option(at, item) for item in leading(at.shown, LISTED + FOLDED)]
    return Options(
        rows=found[:LISTED],
        folded=found[LISTED:],
        count=len(at.shown),
        scale=rates_scale([option.rate for option in found[:LISTED]]),
        rates_are="wins" if at.strengths else "rate",
        caption=rates_caption(at),
    )


def _option(at: Standing, item: int) -> Option:
    rate = at.shown[item]
    after = at.settled.get(item)
    settled = f"{after:,}" if after is not None else "open" if item in at.settled else ""
    trials = int(at.last.tally.trials[item]) if at.own else None
    known = bool(at.trials) and (rate.low > 0.0 or rate.high < 1.0)
    return Option(rate, known, item in at.marked, trials, settled)


@dataclass(frozen=True)
class Share:
    """How the trials were spent on something that is tried, and how they should be."""

    name: str
    trials: int
    share: float
    target: float | None
    marked: bool


@dataclass(frozen=True)
class Allocation:
    """Where most trials went, or should go."""

    rows: list[Share]
    left: int
    top: float
    targeted: bool


def allocation(at: Standing) -> Allocation:
    """Where the trials went, beside the target."""
    trials = at.last.tally.trials
    if not at.trials:
        return Allocation([], 0, 1.0, False)
    made = trials / trials.sum()
    target = target_of(at)
    larger = made if target is None else np.maximum(made, target)
    marked = at.marked if at.own else ()
    rows = [
        Share(
            at.arms.names[k],
            int(trials[k]),
            float(made[k]),
            None if target is None else float(target[k]),
            k in marked,
        )
        for k in np.argsort(-larger, kind="stable")[:LISTED].tolist()
    ]
    return Allocation(rows, len(trials) - len(rows), float(larger.max()), target is not None)


@dataclass(frozen=True)
class Evidence:
    """The rivals, what is hardest first, and all that is ruled out."""

    rows: list[Rival]
    left: int
    low: float
    top: float
    ruled_out: list[str]
    ruled_out_more: int

    def across(self, value: float) -> float:
        """Where an amount of evidence lies between the ends of the axis."""
        return min(max((value - self.low) / (self.top - self.low), 0.0), 1.0)


def evidence(at: Standing, seen: Preview) -> Evidence:
    """What speaks against each rival."""
    found = rivals_of(at)
    values = [rival.evidence for rival in found if math.isfinite(rival.evidence)]
    needed = found[0].needed if found else 1.0
    out = list(seen.ruled_out)
    return Evidence(
        rows=found[:LISTED],
        left=max(len(found) - LISTED, 0),
        low=min([0.0, *values]),
        top=max([1.4 * needed, *(min(value, 3.0 * needed) for value in values)]),
        ruled_out=out[:NAMED],
        ruled_out_more=max(len(out) - NAMED, 0),
    )


@dataclass(frozen=True)
class Fitted:
    """What was seen of an option, and what the model says of it."""

    name: str
    trials: int
    seen: float
    model: float
    off: float


@dataclass(frozen=True)
class FitShown:
    """Whether the model fits, in words, and the options that fit least."""

    words: str
    opinion: str
    rows: list[Fitted]


def fit(at: Standing) -> FitShown:
    """Whether the model fits."""
    rows = []
    if at.checkable:
        tally, model = at.last.tally, expit(at.arms.points @ at.fit.theta)
        tried = np.flatnonzero(tally.trials > 0)
        worst = tried[np.argsort(-at.check.off[tried], kind="stable")][:OFF]
        rows = [
            Fitted(
                at.arms.names[k],
                int(tally.trials[k]),
                float(tally.successes[k] / tally.trials[k]),
                float(model[k]),
                float(at.check.off[k]),
            )
            for k in worst.tolist()
        ]
    return FitShown(fit_in_words(at), opinion_in_words(at), rows)
