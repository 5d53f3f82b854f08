"""How a study stood at some time."""

from dataclasses import dataclass

from logts.alternatives import Answer
from logts.evidence.tally import Tally
from logts.policies.track_and_stop import TrackAndStop
from logts.tools.state import record


@record
@dataclass(frozen=True)
class Moment:
    """How the study stood at some time: what pictures of its course are drawn from.

    ``settled`` says of each item whether its place in the answer was settled.
    """

    trials: int
    leader: Answer | None
    confidence: float
    tally: Tally
    without_model: bool
    settled: dict[int, bool]


def moment_of(policy: TrackAndStop) -> Moment:
    """How it stands now."""
    judge = policy.judge
    reading, confidence = judge.standing()
    return Moment(
        policy.complete,
        reading.answer,
        confidence,
        judge.tally.copy(),
        judge.trust.without_model,
        {} if reading.answer is None else judge.settled(reading.answer),
    )
