"""What every policy offers: ask, tell, and a verdict once the evidence suffices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from numpy.typing import ArrayLike

from logts.half_spaces import Indices
from logts.problems import Answer
from logts.stopping import Rate


@dataclass(frozen=True)
class Asked:
    """Trials to make: consecutive ids, and the number of the arm for each."""

    ids: range
    arms: Indices


@dataclass(frozen=True)
class Verdict:
    """An answer, how sure it is, and why the study stopped.

    Attributes
    ----------
    answer
        The answer, with names.
    confidence, confidence_without_model
        One minus the always-valid p-value of the alternatives, within the model and by the arms' own outcomes alone (None where
        that is not to be had).
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

    def __str__(self) -> str:
        return f"{self.answer} (confidence {self.confidence:.4g} after {self.trials:,} trials; {self.reason})"


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
