"""What a stopping rule sees, and what it says."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from logts.alternatives import Alternatives
from logts.logistic import Fit
from logts.tools.algebra import Array
from logts.tools.state import record


@dataclass(frozen=True)
class State:
    """The data of a study: counts over the prefix, the maximum-likelihood fit to them, the forecasters' score, and the question.

    ``pose(theta)`` gives the answer at a parameter and its alternatives, or None where there is no answer.
    """

    points: Array
    trials: Array
    successes: Array
    fit: Fit
    score: float
    delta: float
    pose: Callable[[Array], tuple[Any, Alternatives] | None]

    @property
    def total(self) -> float:
        """Number of outcomes."""
        return float(self.trials.sum())


@record
@dataclass(frozen=True)
class Reading:
    """What the data say against the alternatives to an answer.

    Attributes
    ----------
    answer
        The answer in question, or None.
    statistic, threshold
        The study stops when the first exceeds the second.
    p_value
        The smallest delta at which it would stop now.
    rival
        The items that the half-space compares that is hardest to rule out.
    estimate
        The parameter that the rule prescribes for the weights, if it does.
    """

    answer: Any
    statistic: float
    threshold: float
    p_value: float
    rival: tuple[int, ...] = ()
    estimate: Array | None = None

    @property
    def enough(self) -> bool:
        """Whether to stop."""
        return self.answer is not None and self.statistic > self.threshold


def nothing(threshold: float, estimate: Array | None = None) -> Reading:
    """Nothing can be said yet."""
    return Reading(None, -math.inf, threshold, 1.0, estimate=estimate)


class StoppingRule(Protocol):
    """A rule, in a file of its own and a line in the registry.

    ``proven`` says whether its error is at most delta under what it ``assumes``; a verdict repeats both.
    """

    @property
    def name(self) -> str: ...

    @property
    def proven(self) -> bool: ...

    @property
    def assumes(self) -> str: ...

    @property
    def forecasts(self) -> bool:
        """Whether it needs the forecasters' score, or their modes for the weights; without them trials cost less."""

    def read(self, state: State) -> Reading:
        """Weigh the data against the alternatives."""
