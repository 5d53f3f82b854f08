"""What every policy offers: ask, tell, and a verdict once the evidence suffices."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol

from numpy.typing import ArrayLike

from logts.problems import Answer
from logts.stopping import Rate
from logts.tools.algebra import Indices
from logts.tools.state import record


@dataclass(frozen=True)
class Asked:
    """Trials to make: consecutive ids, and the number of the arm for each."""

    ids: range
    arms: Indices


@record
@dataclass(frozen=True)
class Verdict:
    """An answer, how sure it is, and why the study stopped.

    Attributes
    ----------
    answer
        The answer, with names.
    confidence, confidence_without_model
        One minus the always-valid p-value of the alternatives, by the evidence that the verdict rests on, and by the arms' own
        outcomes alone (None where that is not to be had). Zero where the model is doubtful and there is nothing else.
    basis
        What the verdict rests on: ``"model"``, ``"model-free"`` or ``"guess"``.
    counts
        Outcomes used, for each arm; ``trials`` is their sum.
    threshold
        What the evidence had to exceed; NaN where nothing was to be exceeded.
    rule, reason, assumes
        Which stopping rule decided, in words why, and what its guarantee rests on.
    proven
        Whether the answer is wrong with probability at most delta (under what is assumed); False when a budget ran out.
    rates
        Estimated rates of all items at the stop, with intervals that hold for all items and times at once.
    """

    answer: Answer
    confidence: float
    confidence_without_model: float | None
    basis: str
    counts: tuple[int, ...]
    threshold: float
    rule: str
    reason: str
    assumes: str
    proven: bool
    _rates: Callable[[], list[Rate]] = field(repr=False, compare=False)

    @property
    def trials(self) -> int:
        return sum(self.counts)

    @cached_property
    def rates(self) -> list[Rate]:
        return self._rates()

    def to_json(self) -> dict[str, Any]:
        """All that it says, as plain JSON; ``from_json`` reads it."""
        plain = {name: getattr(self, name) for name in _PLAIN} | {"counts": list(self.counts)}
        threshold = self.threshold if math.isfinite(self.threshold) else None
        return plain | {"threshold": threshold, "answer": asdict(self.answer), "rates": [asdict(rate) for rate in self.rates]}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "Verdict":
        answer = Answer(tuple(told["answer"]["items"]), told["answer"]["text"])
        rates = [Rate(**rate) for rate in told["rates"]]
        threshold = math.nan if told["threshold"] is None else told["threshold"]
        plain = {name: told[name] for name in _PLAIN}
        return cls(answer=answer, counts=tuple(told["counts"]), threshold=threshold, _rates=partial(list, rates), **plain)

    def __str__(self) -> str:
        return f"{self.answer} (confidence {self.confidence:.4g} after {self.trials:,} trials; {self.reason})"

    def summary(self) -> str:
        """The verdict in words: what, how sure, why, and what it rests on."""
        text = self.answer.text
        title = f"{text[0].upper()}{text[1:]}" if self.proven else f"Not proven. A guess: {text}"
        sure = f"Confidence {percent(self.confidence)}"
        if self.confidence_without_model is not None and self.basis == "model":
            sure += f" with the model, {percent(self.confidence_without_model)} without it"
        lines = [f"{title}.", f"{sure}, after {self.trials:,} trials: {self.reason.rstrip('.')}."]
        return "\n".join([*lines, f"This assumes {self.assumes} (rule: {self.rule})."])


_PLAIN = ("confidence", "confidence_without_model", "basis", "rule", "reason", "assumes", "proven")


def percent(confidence: float) -> str:
    """Rounded down, with more digits the nearer it is to certainty: never more than what is known."""
    for digits in range(1, 9):
        shown = math.floor(confidence * 10 ** (digits + 2)) / 10**digits
        if shown < 100.0 and 100.0 - shown >= 2 * 10.0**-digits:
            return f"{shown:.{digits}f}%"
    return "over 99.999999%" if confidence > 0.99999999 else f"{confidence:.1%}"


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes
    ----------
    leader
        The answer at the current estimate, None at a tie or before there is an estimate.
    confidence
        What could be claimed now.
    evidence, threshold
        Log evidence against the alternatives, and how much is needed.
    rival
        Names of the items in the comparison that is hardest to settle.
    remaining
        Expected number of trials still needed; None while unknown.
    """

    leader: Answer | None
    confidence: float
    evidence: float
    threshold: float
    rival: tuple[str, ...]
    remaining: float | None


class Policy(Protocol):
    """Log-TS and its peers, live or simulated."""

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials to make."""

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once."""

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""

    @property
    def block(self) -> int:
        """How many trials may be asked for before the policy would look at the evidence again."""
