"""Which items beat the control?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Alternatives, Comparisons
from logts.arms import Items
from logts.problems._pairs import compare, tolerance, within
from logts.problems.speech import QUESTIONS, Flag, Spoken, count, listed
from logts.tools.algebra import Array
from logts.tools.tall import blocks


@QUESTIONS.enter("VersusControl")
@dataclass(frozen=True)
class VersusControl(Spoken):
    """The items with a larger success rate than the control.

    Parameters
    ----------
    control
        Name or number of the control.
    epsilon
        Items within this distance of the control, on the logit scale, may fall on either side.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> logits = np.array([-1.4, 0.0, 2.2])  # rates of 20%, 50% and 90%
    >>> logts.lower_bound(arms, logits, logts.VersusControl("green")).answer
    better than green: blue
    """

    control: str | int
    epsilon: float = 0.0

    flag = Flag(
        "--beat",
        "Which options are better than this one?",
        lambda name, epsilon: VersusControl(name, epsilon),
        takes=str,
        metavar="NAME",
        epsilon=True,
        place=40,
    )

    def __post_init__(self) -> None:
        tolerance(self.epsilon)

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        # Differences before products: an item with the control's features scores exactly zero.
        control = items.points[items.find(self.control)]
        lead = np.concatenate([(block - control) @ theta for block in blocks(items.points)])
        return tuple(np.flatnonzero(lead > 0.0).tolist())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        control = items.find(self.control)
        signs = np.full(len(items), -1.0)
        signs[list(answer)] = 1.0
        others = np.delete(np.arange(len(items)), control)
        return compare(items, others, np.full(len(others), control), signs[others], self.epsilon)

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        control = items.find(self.control)
        others = np.delete(np.arange(len(items)), control)
        better = np.isin(others, answer)
        same = np.full(len(others), control)
        high = np.where(better, others, same)
        low = np.where(better, same, others)
        return Comparisons(high, low, np.full(len(others), -self.epsilon), len(others))

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"better than {items.names[items.find(self.control)]}: {listed(items, answer)}"

    def sentence(self, names: Sequence[str]) -> str:
        name = self.control if isinstance(self.control, str) else names[self.control]
        return f"Which of {count(names)} are better than {name}?{within(self.epsilon)}"
