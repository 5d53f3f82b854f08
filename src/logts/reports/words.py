"""A study in words: the question, how it stands, what its pictures show, whether its model fits."""

from collections import Counter
from collections.abc import Sequence

from logts.journal import Event
from logts.judge import Verdict, percent
from logts.judge.verdict import ALONE
from logts.problems import Problem, spoken
from logts.reports.command_words import notes_in_words
from logts.reports.fit_words import alarm_in_words
from logts.reports.standing import Standing
from logts.tools.packing import counted

FIT = (
    "Each dot is something that was tried. Near the dotted line the model gives it the rate that was seen. "
    "In colour what is more than two standard deviations off: one in twenty is so by chance."
)
NOT_SETTLED = (
    "When each option was settled is not shown: nobody leads, the model is doubtful, there are too many "
    "comparisons, or the stopping rule gives no such evidence."
)
GUESS = "Nothing is guaranteed: it is the best guess that the outcomes allow."


def question(problem: Problem, names: Sequence[str]) -> str:
    """What is asked."""
    return spoken(problem).sentence(names)


def standing_in_words(at: Standing) -> tuple[str, list[str]]:
    """A title and some lines: the verdict, how sure it is and what it assumes; or how far the study is."""
    if at.verdict is not None:
        return at.verdict.summary().splitlines()[0], _decided(at, at.verdict)
    if at.trials == 0:
        return "No outcome yet.", ["There is something to see here once outcomes are told."]
    leader = "Nobody leads yet." if at.answer is None else f"Leading: {at.answer.text}."
    wanted = f"wanted {100 * (1 - at.policy.delta):g}%"
    left = "How many more trials it takes cannot be said yet."
    if at.remaining is not None:
        left = f"About {float(f'{max(1.0, at.remaining):.2g}'):,.0f} more trials are expected."
    hardest = f"Hardest to settle: {' and '.join(at.rival)}." if at.rival else ""
    sure = f"Confidence {percent(at.confidence)}{_by(at)}, {wanted}. {left} {hardest}"
    return f"Undecided after {at.trials:,} trials.", [leader, sure, alarm_in_words(at)]


def _decided(at: Standing, verdict: Verdict) -> list[str]:
    reason = f"{verdict.reason.rstrip('.')}."
    if not verdict.trials:
        return [reason]
    if at.doubtful:
        return [f"After {verdict.trials:,} trials: {reason}", GUESS]
    sure = f"Confidence {percent(at.confidence)}"
    if verdict.basis == "model" and verdict.confidence_without_model is not None:
        sure += f" with the model, {percent(verdict.confidence_without_model)} {ALONE}"
    elif verdict.basis == "model-free":
        sure += _by(at)
    lines = [f"{sure}, after {verdict.trials:,} trials: {reason}", verdict.seen]
    if not verdict.proven:
        return [*lines, GUESS]
    if at.alarmed:
        lines.append(alarm_in_words(at))
    rare = f"A study like this one ends with a wrong answer at most {100 * at.policy.delta:g}% of the time."
    return [*lines, f"{rare} This assumes {verdict.assumes}."]


def rates_caption(at: Standing) -> str:
    """What the picture of the rates shows."""
    what = "Estimated success rates"
    if at.strengths:
        what = "How often each option would win against an average one"
    went = ", and where the trials went" if at.own else ""
    model = ""
    if not at.free:
        model = " if the model is right, which is doubtful" if at.doubtful else " if the model is right"
    sure = f"with probability {100 * (1 - at.policy.delta):g}%{model}"
    colour = ""
    if at.marked:
        colour = " In colour: the answer." if at.verdict is not None else " In colour: who leads."
    return f"{what}{went}. The intervals hold for all options and at all times at once, {sure}.{colour}"


def course_caption(at: Standing) -> str:
    """What the picture of the confidence shows."""
    delta = at.policy.delta
    used = at.permitted(at.free)
    kept = at.permitted(not at.free)
    split = ""
    if used < delta and kept > 0.0:
        other = "within the model" if at.free else "without the model"
        line = f"so the line lies at {100 * (1 - used):g}%"
        split = f" Of the {100 * delta:g}%, {100 * kept:g}% is kept for evidence {other}; {line}."
    aside = at.modelled and any(moment.without_model for moment in at.moments)
    shaded = " Shaded: the model was set aside." if aside else ""
    looks = "Above the dotted line it stops, when it looks next."
    if at.modelled and not at.free and at.policy.judge.trust.guarded:
        waits = "once the options' own outcomes do not speak against the answer (the second opinion)"
        looks = f"Above the dotted line the answer is proven if the model is right; the study stops {waits}."
    return f"How sure the study was after how many trials, and who led. {looks}{split}{shaded}"


def settled_caption(at: Standing) -> str:
    """What the picture of the settled options shows."""
    return f"After how many trials {spoken(at.policy.problem).settled}. An arrow: still open."


def trials_in_words(at: Standing, journal: list[Event]) -> list[str]:
    """What became of the trials, and why some were abandoned."""
    asked = sum(counted(event["arms"]) for event in journal if event["kind"] == "asked")
    lost = Counter[str]()
    for event in journal:
        if event["kind"] == "abandoned":
            lost[str(event["reason"]).strip() or "no reason given"] += counted(event["ids"])
    told = sum(counted(event["ids"]) for event in journal if event["kind"] == "told")
    out = asked - told - lost.total()
    became = f"With an outcome: {told:,}. Abandoned: {lost.total():,}. Still out: {out:,}."
    lines = [f"Asked for: {asked:,}. {became}"]
    only = sum(event["trials"] for event in journal if event["kind"] == "counted")
    if only:
        lines.append(f"Told as counts, without an ask: {only:,}.")
        told += only
    if told > at.trials and at.verdict is not None:
        lines.append(f"{told - at.trials:,} outcomes came after the stop and do not count.")
    elif told > at.trials:
        why = "they wait for earlier trials that are still out"
        lines.append(f"{told - at.trials:,} outcomes do not count yet: {why}.")
    if lost:
        reasons = "; ".join(f"{reason} ({count:,})" for reason, count in lost.most_common(20))
        lines.append(f"Abandoned, and why: {reasons}.")
    lines += notes_in_words(journal)
    past = sum(sum(event["trials"]) for event in journal if event["kind"] == "history")
    if past:
        before = f"Counts of {past:,.0f} trials from before the study"
        lines.append(f"{before} sharpened the forecasts. They are not evidence.")
    return lines


def _by(at: Standing) -> str:
    """By which kind of evidence, if there are two."""
    return "" if not at.modelled else " without the model" if at.free else " with the model"
