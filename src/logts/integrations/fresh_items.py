"""Which option is tried on which item next: by Log-TS, every trial on an item of its own."""

import math
from collections.abc import Sequence
from typing import Protocol

from logts.arms import Arms
from logts.policies import LogTS
from logts.problems import Problem


class Chooser(Protocol):
    """What says which options are tried on the next item."""

    @property
    def over(self) -> bool: ...
    def ask(self) -> tuple[int, list[int]]: ...
    def tell(self, item: int, option: int, outcome: bool) -> None: ...
    def abandon(self, item: int, option: int) -> None: ...
    def summary(self) -> str: ...


class FreshItems:
    """Log-TS, every trial on an item of its own: for any question, and what is proven needs nothing else."""

    def __init__(self, options: Sequence[str], problem: Problem, *, delta: float, budget: int | None) -> None:
        self.policy = LogTS(Arms(names=options), problem, delta=delta, max_trials=budget)
        self._left = math.inf if budget is None else budget

    @property
    def over(self) -> bool:
        return self.policy.verdict is not None

    def ask(self) -> tuple[int, list[int]]:
        if self.over or self._left < 1:
            return 0, []
        self._left -= 1
        asked = self.policy.ask()
        return asked.ids[0], [int(asked.arms[0])]

    def tell(self, item: int, option: int, outcome: bool) -> None:
        self.policy.tell([item], [outcome])

    def abandon(self, item: int, option: int) -> None:
        self._left += 1
        self.policy.abandon([item])

    def summary(self) -> str:
        verdict = self.policy.verdict
        if verdict is not None:
            return verdict.summary()
        return f"Undecided after {int(self.policy.counts.sum()):,} trials."
