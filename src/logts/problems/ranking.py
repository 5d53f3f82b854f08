"""What is the whole order?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Alternatives, Comparisons
from logts.arms import Items
from logts.problems._pairs import compare
from logts.problems.speech import QUESTIONS, Flag, Spoken, count, listed
from logts.tools.algebra import Array


@QUESTIONS.enter("Ranking")
@dataclass(frozen=True)
class Ranking(Spoken):
    """All items, from the largest success rate to the smallest.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> logits = np.array([-1.4, 0.0, 2.2])  # rates of 20%, 50% and 90%
    >>> logts.lower_bound(arms, logits, logts.Ranking()).answer
    order: blue > green > red
    """

    flag = Flag("--rank", "What is the order of all options?", lambda _, epsilon: Ranking(), place=50)
    settled = "an option was told apart from its neighbours in the order"
    marks = False

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return tuple(np.argsort(-(items.points @ theta), kind="stable").tolist())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        # If any two items change places, some neighbours in the order do.
        order = np.array(answer, dtype=np.intp)
        return compare(items, order[:-1], order[1:], np.ones(len(order) - 1), 0.0)

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        order = np.array(answer, dtype=np.intp)
        pairs = len(order) * (len(order) - 1) // 2
        return Comparisons(order[:-1], order[1:], np.zeros(len(order) - 1), pairs)

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return "order: " + listed(items, answer, " > ")

    def sentence(self, names: Sequence[str]) -> str:
        return f"How do {count(names)} rank?"
