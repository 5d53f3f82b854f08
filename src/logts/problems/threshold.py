"""Which items succeed more often than a given rate?"""

import math
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Comparisons, HalfSpaces
from logts.arms import Items
from logts.tools.algebra import Array


@dataclass(frozen=True)
class Threshold:
    """The items whose success rate is above ``rate``.

    Parameters
    ----------
    rate
        A success rate strictly between 0 and 1.
    """

    rate: float

    def __post_init__(self) -> None:
        if not 0.0 < self.rate < 1.0:
            raise ValueError(f"rate must lie strictly between 0 and 1; got {self.rate!r}")

    @property
    def logit(self) -> float:
        """The rate on the logit scale."""
        return math.log(self.rate) - math.log1p(-self.rate)

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return tuple(np.flatnonzero(items.points @ theta > self.logit).tolist())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> HalfSpaces:
        signs = np.full(len(items), -1.0)
        signs[list(answer)] = 1.0
        return HalfSpaces(signs[:, None] * items.points, signs * self.logit, [(k,) for k in range(len(items))])

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        everyone, nobody = np.arange(len(items)), np.full(len(items), -1)
        above = np.isin(everyone, answer)
        offset = np.where(above, self.logit, -self.logit)
        return Comparisons(np.where(above, everyone, nobody), np.where(above, nobody, everyone), offset, len(items))

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"above {self.rate:g}: " + (", ".join(items.names[i] for i in answer) or "none")
