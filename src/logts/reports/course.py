"""The course of a study: how sure it was after how many trials, and who led. About ten steps a doubling."""

from dataclasses import dataclass

from logts.alternatives import Answer
from logts.arms import Arms
from logts.reports.standing import Standing


@dataclass(frozen=True)
class Step:
    """How a study stood after some trials; ``aside`` says whether its model had been set aside."""

    trials: int
    confidence: float
    leader: str | None
    aside: bool


def course_of(at: Standing) -> list[Step]:
    """The steps of a study up to now, or up to its stop."""
    moments = {int(moment.tally.total): moment for moment in at.moments if moment.tally.total > 0}
    steps = [
        Step(
            trials,
            moment.confidence,
            _name(at.arms, moment.leader),
            moment.without_model and at.modelled,
        )
        for trials, moment in moments.items()
    ]
    if steps:
        last = steps.pop()
        steps.append(Step(last.trials, at.confidence, last.leader, last.aside))
    return steps


def _name(arms: Arms, leader: Answer | None) -> str | None:
    """The name of a single leader, else the answer in words, without what all answers begin with."""
    if leader is None:
        return None
    return arms.items.names[leader.items[0]] if len(leader.items) == 1 else leader.text.split(": ", 1)[-1]
