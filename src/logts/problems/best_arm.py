"""Which item is best?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logts.alternatives import Alternatives, Comparisons
from logts.arms import Items
from logts.problems._pairs import compare, tolerance, within
from logts.problems.speech import IN_OR_OUT, QUESTIONS, Flag, Spoken, count
from logts.tools.algebra import Array


@QUESTIONS.enter("BestArm")
@dataclass(frozen=True)
class BestArm(Spoken):
    """The item with the largest success rate, or one within ``epsilon`` of it.

    Parameters
    ----------
    epsilon
        Tolerance on the logit scale; a tolerance ``e`` on the rate is met by ``epsilon = 4 e``.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> logits = np.array([-1.4, 0.0, 2.2])  # rates of 20%, 50% and 90%
    >>> logts.lower_bound(arms, logits, logts.BestArm()).answer
    best: blue
    """

    epsilon: float = 0.0

    flag = Flag(
        "--best",
        "Which option is best? (default)",
        lambda _, epsilon: BestArm(epsilon),
        epsilon=True,
        place=10,
    )
    settled = IN_OR_OUT

    def __post_init__(self) -> None:
        tolerance(self.epsilon)

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return (int(np.argmax(items.points @ theta)),)

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        rivals = np.delete(np.arange(len(items)), answer[0])
        leader = np.full(len(rivals), answer[0])
        return compare(items, leader, rivals, np.ones(len(rivals)), self.epsilon, apart=True)

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        rivals = np.delete(np.arange(len(items)), answer[0])
        # The true best may beat the answer: one rival, unknown, for each possible answer.
        offset = np.full(len(rivals), -self.epsilon)
        return Comparisons(np.full(len(rivals), answer[0]), rivals, offset, len(rivals), apart=True)

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"best: {items.names[answer[0]]}"

    def sentence(self, names: Sequence[str]) -> str:
        return f"Which of {count(names)} is best?{within(self.epsilon)}"

    def every_answer(self, items: Items) -> list[tuple[int, ...]]:
        return [(i,) for i in range(len(items))]
