"""How a study stood at some time."""

from dataclasses import dataclass

from logts.problems import Answer
from logts.tools.algebra import Array
from logts.tools.state import record


@record
@dataclass(frozen=True)
class Moment:
    """How the study stood at some time: what pictures of its course are drawn from."""

    trials: int
    leader: Answer | None
    confidence: float
    counts: Array
    successes: Array
    score: float
    free: bool
