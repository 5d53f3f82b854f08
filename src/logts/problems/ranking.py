"""What is the whole order?"""

from dataclasses import dataclass

import numpy as np

from logts.algebra import Array
from logts.arms import Items
from logts.half_spaces import HalfSpaces
from logts.problems._pairs import compare


@dataclass(frozen=True)
class Ranking:
    """All items, from the largest success rate to the smallest."""

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return tuple(np.argsort(-(items.points @ theta), kind="stable").tolist())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> HalfSpaces:
        # If any two items change places, some neighbours in the order do.
        order = np.array(answer, dtype=np.intp)
        return compare(items, order[:-1], order[1:], np.ones(len(order) - 1), 0.0)

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return "order: " + " > ".join(items.names[i] for i in answer)
