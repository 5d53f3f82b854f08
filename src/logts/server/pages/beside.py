"""What a study's page says that is no evidence: what is under way, and what was settled beforehand."""

from dataclasses import dataclass

from logts.reports.standing import Standing
from logts.reports.words import course_caption
from logts.study import Study
from logts.study.facts import held_up

LISTED = 12  # trials that are listed


@dataclass(frozen=True)
class Out:
    """A trial whose outcome is still to come."""

    id: int
    option: str
    who: str
    until: float


@dataclass(frozen=True)
class Running:
    """What became of the trials, and the first of those that are in the air."""

    asked: int
    told: int
    abandoned: int
    waiting: int
    held_up: int
    rows: list[Out]


def running(study: Study) -> Running:
    """What became of the trials."""
    over = study.verdict is not None
    first = study.first_waiting(0 if over else LISTED)
    rows = [Out(trial.id, trial.arm, _who(worker), until) for trial, worker, until in first]
    return Running(study.asked, study.told, study.abandoned, 0 if over else study.out, held_up(study), rows)


def _who(worker: str) -> str:
    """Who has a trial, without what only machines need."""
    return "a person" if worker.startswith("caller person-") else worker.removeprefix("caller ")


@dataclass(frozen=True)
class About:
    """What was settled before the first trial: the model in words, and the settings."""

    model: list[str]
    settings: list[tuple[str, str]]
    course: str


def about(study: Study, at: Standing) -> About:
    """The model and the settings."""
    created = study.created
    given = created["settings"]
    budget = given.get("max_trials")
    settings = [
        ("may be wrong", f"at most {100 * study.delta:g}% of the time"),
        ("policy", str(created["policy"])),
        ("stopping rule", str(given.get("stopping", "evidence"))),
        ("guard against a wrong model", "on" if given.get("guard", True) else "off"),
        ("budget", "none" if budget is None else f"{budget:,} trials"),
        ("begun by", f"logts {created['logts']}"),
    ]
    return About(_model(study, at), settings, course_caption(at))


def _model(study: Study, at: Standing) -> list[str]:
    """The model as it was put into words when the study began; of studies begun elsewhere, its size."""
    said = study.notes.get("model", {}).get("words")
    if isinstance(said, list):
        return [str(line) for line in said]
    count = f"{len(at.arms):,} options"
    if at.arms.by_name:
        return [f"No model: each of {count} has a rate of its own, which assumes nothing."]
    if not at.own:
        pairs = f"{len(at.arms):,} pairs of {len(at.arms.items):,} options"
        return [f"Comparisons: {pairs}. The logit that the first wins is the difference of two strengths."]
    size = f"{at.arms.dimension} parameters for {count}"
    return [f"Model: the logit of an option's rate is a sum over its features; {size}."]
