"""How a study stands, for machines: the same on the command line, over the wire and in live updates."""

import time
from typing import Any

from logts.problems import VersusControl
from logts.reports.fit_words import alarm_in_words
from logts.reports.preview import Gap, against_control, preview_of
from logts.reports.standing import Standing
from logts.reports.words import question
from logts.study.study import Study


def facts(study: Study) -> dict[str, Any]:
    """How a study stands, all of it."""
    at = study.standing()
    verdict = at.verdict
    leader = at.answer
    found = {
        "study": study.name,
        "decided": verdict is not None and verdict.proven,
        "answer": leader.text if leader is not None else None,
        "options": [at.arms.items.names[i] for i in leader.items] if leader is not None else [],
        "confidence": at.confidence,
        "wanted": 1.0 - study.delta,
        "trials": at.trials if verdict is None else verdict.trials,
        "expected_remaining": at.remaining if verdict is None else 0.0,
        "abandoned": study.abandoned,
        "waiting": len(study.waiting) if verdict is None else 0,
        "held_up": held_up(study),
        "alarm": alarm_in_words(at) or None,
        "before_the_proof": _before_the_proof(at),
        "rates_are": "against an average option" if at.strengths else "of the options themselves",
        "rates": [
            {"option": rate.name, "low": rate.low, "rate": rate.estimate, "high": rate.high}
            for rate in at.shown
        ],
    }
    if isinstance(study.problem, VersusControl):
        found["differences_to_control"] = [_difference(gap) for gap in against_control(at).values()]
    if verdict is not None:
        kept = ("basis", "rule", "reason", "assumes", "proven", "confidence_without_model")
        found |= {name: getattr(verdict, name) for name in kept}
    return found


def progress_of(study: Study) -> dict[str, Any]:
    """How far a study is, in a moment: the journal's position, and what changes with it."""
    with study._lock:
        fold = study._read()
        progress = fold.policy.progress
        verdict = fold.verdict
        trials = int(fold.policy.counts.sum())
        leader = progress.leader if trials else None
        answer = leader if verdict is None else verdict.answer
        return {
            "study": study.name,
            "question": question(fold.problem, fold.arms.items.names),
            "position": study.position,
            "decided": verdict is not None and verdict.proven,
            "ended": verdict is not None,
            "answer": None if answer is None else answer.text,
            "confidence": progress.confidence if verdict is None else verdict.confidence,
            "wanted": 1.0 - fold.delta,
            "trials": trials if verdict is None else verdict.trials,
            "expected_remaining": progress.remaining if verdict is None else 0.0,
            "asked": fold.asked,
            "told": fold.told,
            "abandoned": fold.lost,
            "waiting": len(fold.leases),
            "alarmed": bool(fold.policy.judge.alarmed),
            "archived": archived(study),
            "created": fold.created["at"],
            "now": round(time.time(), 3),
        }


def archive(study: Study, away: bool) -> None:
    """Put a study away, or take it out again. Nothing of it is lost."""
    study.note("archived", {"away": away})


def archived(study: Study) -> bool:
    """Whether a study was put away, as far as its journal was read."""
    return bool(study._replay.seen().notes.get("archived", {}).get("away", False))


def ended(study: Study) -> bool:
    """Whether a study has its verdict, as far as its journal was read."""
    return study._replay.seen().verdict is not None


def held_up(study: Study) -> int:
    """Outcomes that do not count yet: they wait for the earliest trial that is still out."""
    if study.verdict is not None:
        return 0
    return max(0, study.told - int(study.counts.sum()))


def _before_the_proof(at: Standing) -> dict[str, Any]:
    """What is known meanwhile; the names say whether it is proven."""
    seen = preview_of(at)
    return {
        "leader": None if seen.leader is None else seen.leader.text,
        "posterior_probability": seen.probability,
        "posterior_expected_loss": seen.expected_loss,
        "narrowest_difference": None if seen.gap is None else _difference(seen.gap),
        "ruled_out": list(seen.ruled_out),
    }


def _difference(gap: Gap) -> dict[str, Any]:
    kind = "rate_of_winning" if gap.wins else "difference"
    numbers = {"low": gap.low, kind: gap.estimate, "high": gap.high}
    return {"option": gap.better, "against": gap.worse, **numbers}
