"""Which m items are the best?

The paper's lemma compares with the m-th item only and divides by the norm of one item; the alternative is that *some*
item outside beats *some* item inside, at a distance set by the norm of their difference.
"""

from dataclasses import dataclass

import numpy as np

from logts.alternatives import AllPairs, Comparisons
from logts.arms import Items
from logts.tools.algebra import Array


@dataclass(frozen=True)
class TopM:
    """The ``m`` items with the largest success rates, as a set.

    Parameters
    ----------
    m
        How many.
    """

    m: int

    def __post_init__(self) -> None:
        if type(self.m) is not int or self.m < 1:
            raise ValueError(f"m must be a whole number of at least 1; got {self.m!r}")

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        if self.m >= len(items):
            raise ValueError(f"the top {self.m} of {len(items)} items is no question; m must be less than {len(items)}")
        order = np.argsort(-(items.points @ theta), kind="stable")
        return tuple(sorted(order[: self.m].tolist()))

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> AllPairs:
        inside = np.array(answer, dtype=np.intp)
        return AllPairs(items.points, inside, np.delete(np.arange(len(items)), inside))

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        inside = np.array(answer, dtype=np.intp)
        outside = np.delete(np.arange(len(items)), inside)
        pairs = len(inside) * len(outside)
        return Comparisons(np.repeat(inside, len(outside)), np.tile(outside, len(inside)), np.zeros(pairs), pairs)

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"top {self.m}: " + ", ".join(items.names[i] for i in answer)
