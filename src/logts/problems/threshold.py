"""Which items succeed more often than a given rate?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logts.alternatives import NOBODY, Alternatives, Compared, Comparisons
from logts.arms import Items
from logts.problems.speech import QUESTIONS, Flag, Spoken, count, listed
from logts.tools.algebra import Array


@QUESTIONS.enter("Threshold")
@dataclass(frozen=True)
class Threshold(Spoken):
    """The items whose success rate is above ``rate``.

    Parameters
    ----------
    rate
        A success rate strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> logits = np.array([-1.4, 0.0, 2.2])  # rates of 20%, 50% and 90%
    >>> logts.lower_bound(arms, logits, logts.Threshold(0.4)).answer
    above 0.4: green, blue
    """

    rate: float

    flag = Flag(
        "--above",
        "Which options succeed more often than this rate?",
        lambda rate, epsilon: Threshold(rate),
        takes=float,
        metavar="RATE",
        place=30,
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.rate < 1.0:
            raise ValueError(f"rate must lie strictly between 0 and 1; got {self.rate!r}")

    @property
    def logit(self) -> float:
        """The rate on the logit scale."""
        return math.log(self.rate) - math.log1p(-self.rate)

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return tuple(np.flatnonzero(items.points @ theta > self.logit).tolist())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        signs = np.full(len(items), -1.0)
        signs[list(answer)] = 1.0
        everyone = np.arange(len(items))
        nobody = np.full(len(items), NOBODY)
        found = Compared(items.points, everyone, nobody, signs, signs * self.logit, apart=False)
        return found.written_if_few()

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        everyone = np.arange(len(items))
        nobody = np.full(len(items), -1)
        above = np.isin(everyone, answer)
        offset = np.where(above, self.logit, -self.logit)
        high = np.where(above, everyone, nobody)
        low = np.where(above, nobody, everyone)
        return Comparisons(high, low, offset, len(items))

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"above {self.rate:g}: " + listed(items, answer)

    def sentence(self, names: Sequence[str]) -> str:
        return f"Which of {count(names)} succeed more often than {100 * self.rate:g}% of the time?"

    @property
    def base_rate(self) -> float:
        return self.rate
