"""How sure a study has ever been of each answer, with the model and without it."""

from logts.alternatives import Answer
from logts.stopping import Reading
from logts.tools.state import Stateful


class Confidences(Stateful):
    """By basis, the smallest p-value at which an answer led: it holds at all times at once."""

    _kept = ("_least",)

    def __init__(self) -> None:
        self._least: dict[tuple[str, Answer], float] = {}

    def note(self, basis: str, reading: Reading) -> None:
        """Take in what a look found."""
        if reading.answer is not None:
            known = self._least.get((basis, reading.answer), 1.0)
            self._least[basis, reading.answer] = min(known, reading.p_value)

    def of(self, basis: str, answer: Answer | None) -> float:
        """One minus that p-value."""
        return 0.0 if answer is None else 1.0 - self._least.get((basis, answer), 1.0)
