"""What a stopping rule sees, what it says, and how it is made by name."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from logts.alternatives import Answer, Posed
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic import Fit
from logts.tools.algebra import Array
from logts.tools.registry import Registry
from logts.tools.state import record


@dataclass(frozen=True)
class Case:
    """The data of a study, as a rule is shown them.

    Attributes
    ----------
    points, metric
        The arms in the package's coordinates, and the map from these to the units of the user's features.
    tally, fit
        The outcomes, and the maximum-likelihood fit to them.
    mode
        Where the forecasts are at their best; it exists from the first trial.
    delta
        The permitted probability of a wrong answer.
    wealth
        What the forecasts and bets make of the outcomes.
    whole
        Whether all alternatives are to be weighed, even if one of them is not refuted.
    """

    points: Array
    metric: Array
    tally: Tally
    fit: Fit
    mode: Array
    delta: float
    wealth: Wealth
    whole: bool = False


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
    """

    answer: Answer | None
    statistic: float
    threshold: float
    p_value: float
    rival: tuple[int, ...] = ()

    @property
    def enough(self) -> bool:
        """Whether to stop."""
        return self.answer is not None and self.statistic > self.threshold

    @classmethod
    def of_nothing(cls, threshold: float) -> "Reading":
        """Nothing can be said yet."""
        return cls(None, -math.inf, threshold, 1.0)


class StoppingRule(ABC):
    """A rule, in a file of its own: a frozen dataclass whose fields, if any, are the constants that it needs.

    Attributes
    ----------
    proven, assumes
        Whether its error is at most delta, and under which assumptions; a verdict repeats both.
    forecasts
        Whether it uses the forecasters' score, or their modes for the weights; without them trials cost less.
    bets
        Whether it uses bets beside the forecasts.
    guarded
        Whether it can share delta with evidence that needs no model.
    """

    name: ClassVar[str] = ""
    proven: ClassVar[bool] = False
    forecasts: ClassVar[bool] = True
    bets: ClassVar[bool] = False
    guarded: ClassVar[bool] = False

    @property
    @abstractmethod
    def assumes(self) -> str: ...

    def estimate(self, case: Case) -> Array | None:
        """The parameter at which the question is posed to this rule; None while there is none."""
        return case.fit.theta if case.fit.proven else None

    @abstractmethod
    def read(self, case: Case, posed: Posed | None) -> Reading:
        """Weigh the data against the alternatives to the answer at the estimate.

        None if there is no answer there.
        """


R = TypeVar("R", bound=StoppingRule)

RULES: Registry[type[StoppingRule]] = Registry("stopping rule")


def rule(kind: type[R]) -> type[R]:
    """Enter a rule under its name."""
    return RULES.enter(kind.name)(kind)


def constant(meaning: str, *, above: float = -math.inf, at_least: float = -math.inf) -> Any:
    """A constant that a rule needs: what it means, and from where on it makes sense."""
    return field(metadata={"meaning": meaning, "above": above, "at_least": at_least})


def make_rule(name: str, constants: Mapping[str, Any]) -> StoppingRule:
    """A rule by its name, with its constants; those that are None count as left out."""
    kind = RULES.find(name)
    given = {label: value for label, value in constants.items() if value is not None}
    declared = {one.name: one.metadata for one in fields(kind)}  # type: ignore[arg-type]  # a rule is a dataclass
    for label in given:
        if label not in declared:
            takes = ", ".join(declared) or "no constant"
            raise ValueError(
                f"there is no setting called {label!r}, and stopping={name!r} takes {takes}: leave it out"
            )
    for label, said in declared.items():
        value = given.get(label)
        if value is None or not (value > said["above"] and value >= said["at_least"]):
            raise ValueError(f"stopping={name!r} needs {label}, {said['meaning']}; got {value!r}")
    return kind(**given)
