"""Which m items are the best?

The paper's lemma compares with the m-th item only and divides by the norm of one item; the alternative is
that *some* item outside beats *some* item inside, at a distance set by the norm of their difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logts.alternatives import AllPairs, Comparisons
from logts.arms import Items
from logts.problems.speech import IN_OR_OUT, QUESTIONS, Flag, Spoken, count, listed
from logts.tools.algebra import Array


@QUESTIONS.enter("TopM")
@dataclass(frozen=True)
class TopM(Spoken):
    """The ``m`` items with the largest success rates, as a set.

    Parameters
    ----------
    m
        How many.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> logits = np.array([-1.4, 0.0, 2.2])  # rates of 20%, 50% and 90%
    >>> logts.lower_bound(arms, logits, logts.TopM(2)).answer
    top 2: green, blue
    """

    m: int

    flag = Flag(
        "--top",
        "Which M options are the best ones?",
        lambda m, epsilon: TopM(m),
        takes=int,
        metavar="M",
        place=20,
    )
    settled = IN_OR_OUT

    def __post_init__(self) -> None:
        if type(self.m) is not int or self.m < 1:
            raise ValueError(f"m must be a whole number of at least 1; got {self.m!r}")

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        if self.m >= len(items):
            most = len(items)
            raise ValueError(f"the top {self.m} of {most} items is no question; m must be less than {most}")
        order = np.argsort(-(items.points @ theta), kind="stable")
        return tuple(sorted(order[: self.m].tolist()))

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> AllPairs:
        inside = np.array(answer, dtype=np.intp)
        return AllPairs(items.points, inside, np.delete(np.arange(len(items)), inside))

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        inside = np.array(answer, dtype=np.intp)
        outside = np.delete(np.arange(len(items)), inside)
        pairs = len(inside) * len(outside)
        high = np.repeat(inside, len(outside))
        low = np.tile(outside, len(inside))
        return Comparisons(high, low, np.zeros(pairs), pairs)

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"top {self.m}: " + listed(items, answer)

    def sentence(self, names: Sequence[str]) -> str:
        return f"Which {self.m} of {count(names)} are the best?"
