"""Whether the model fits, in words: what speaks against it, which options, and what would mend it."""

import numpy as np
from scipy.special import expit

from logts.evidence.mending import mending_term
from logts.judge.judge import LIKELY
from logts.reports.standing import Standing

NAMED = 3  # options that are furthest off
UNSURE = 0.1  # the probability that some option is off, above which it is worth a word


def fit_in_words(at: Standing) -> str:
    """What the outcomes say about the model."""
    if not at.modelled:
        return "There is no model to check: the options share nothing, and each has a rate of its own."
    if not at.fit.proven:
        return "The outcomes do not determine the model yet, so there is nothing to check."
    if not at.checkable:
        return "Too few different options were tried to check the model."
    if at.refuted:
        return " ".join(["The outcomes refute the model.", *_details(at)])
    size = f"{doubt_in_words(at)[0].upper()}{doubt_in_words(at)[1:]}."
    if at.check.doubt < UNSURE:
        return f"The outcomes fit the model. {size}"
    so_so = "The outcomes fit the model less well than one would like."
    if at.check.doubt > LIKELY:
        so_so = "The outcomes speak against the model: while they do, it decides nothing."
    return " ".join([so_so, size, *_details(at)])


def doubt_in_words(at: Standing) -> str:
    """How likely it is that some option does not follow the model."""
    if at.refuted:
        return "the model is refuted"
    doubt = at.check.doubt
    shown = "below 1%" if doubt < 0.01 else "over 99%" if doubt > 0.99 else f"about {doubt:.0%}"
    return f"probability that some option is off the model: {shown}"


def alarm_in_words(at: Standing) -> str:
    """What the alarm saw, and what to do about it; empty while there is none."""
    if not at.alarmed:
        return ""
    aside = "The outcomes refute the model, so it was set aside: only the options' own outcomes count."
    return " ".join([aside, *_details(at)])


def _details(at: Standing) -> list[str]:
    """Which options are furthest off, and the term that would explain most of it."""
    if not at.fit.proven:
        return []
    tally = at.last.tally
    fitted = expit(at.arms.points @ at.fit.theta)
    seen = tally.successes / np.maximum(tally.trials, 1.0)
    furthest = np.argsort(-at.check.off, kind="stable")[:NAMED]
    off = [k for k in furthest if at.check.off[k] > 0.5] or furthest[:1]
    listed = [
        f"{at.arms.names[k]} ({seen[k]:.0%} of {tally.trials[k]:,.0f} trials, {fitted[k]:.0%} by the model)"
        for k in off
    ]
    lines = [f"Furthest off: {', '.join(listed)}."]
    term = mending_term(at.arms, tally, at.fit.theta)
    if term is not None:
        lines.append(f"A model with {term} as well would explain most of it.")
    return lines


def opinion_in_words(at: Standing) -> str:
    """The second opinion: whether each option's own outcomes bear an answer by the model out."""
    if at.answer is None or not at.trials or not at.modelled or at.free:
        return ""
    found = at.policy.judge.opinion(at.last.tally, at.answer)
    if found is None:
        return ""
    count = len(at.arms)
    if not len(found.open):
        return f"Second opinion: the own outcomes of each of {count:,} options bear the answer out."
    names = ", ".join(at.arms.names[k] for k in found.open[:NAMED].tolist())
    more = f" and {len(found.open) - NAMED:,} more" if len(found.open) > NAMED else ""
    passed = f"{count - len(found.open):,} of {count:,} options bear the answer out"
    return f"Second opinion: the own outcomes of {passed}. Too few to say: {names}{more}."
