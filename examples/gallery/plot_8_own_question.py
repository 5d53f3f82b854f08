"""
Your own question in 30 lines
=============================

Best, top m, threshold, control and ranking are classes of a few lines each. A question of
your own is one more: here *which layout is best on phones, and which on desktops?*, two
answers with one promise.
"""

# %%
# A question says three things: the answer at a parameter, where that answer is wrong, as
# half-spaces ``y.lambda <= c``, and how it is said. In each group the answer is wrong where
# another option of the group is better than the one named.

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import logts
from logts.alternatives import Comparisons, HalfSpaces
from logts.arms import Items
from logts.tools.algebra import Array, Indices


@dataclass(frozen=True)
class BestOfEach:
    """Which option is the best one of its group, in every group?"""

    groups: tuple[str, ...]  # the group of each option

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        """The best of each group."""
        logits = items.points @ theta
        return tuple(max(group, key=lambda item: logits[item]) for group in self.members())

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> HalfSpaces:
        """Where another one of the group is better."""
        high, low = self.rivals(answer)
        normals = items.points[high] - items.points[low]
        return HalfSpaces(
            normals,
            np.zeros(len(high)),
            list(zip(high.tolist(), low.tolist(), strict=True)),
        )

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        """The answer in words."""
        return "best of each: " + ", ".join(items.names[item] for item in answer)

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        """The same, option by option: so it can be settled without a model, too."""
        high, low = self.rivals(answer)
        return Comparisons(high, low, np.zeros(len(high)), len(high))

    def members(self) -> list[list[int]]:
        """The options of each group."""
        names = dict.fromkeys(self.groups)
        return [
            [item for item, its in enumerate(self.groups) if its == name] for name in names
        ]

    def rivals(self, answer: Sequence[int]) -> tuple[Indices, Indices]:
        """The best of each group, beside each of the others."""
        pairs = zip(answer, self.members(), strict=True)
        found = [(best, item) for best, group in pairs for item in group if item != best]
        high, low = np.array(found).T
        return high, low


# %%
# Five layouts on two devices. What a layout does is not the same on both, so every pair has
# a rate of its own, and no model is needed.

table = pd.DataFrame(
    [
        (device, layout)
        for device in ("phone", "desktop")
        for layout in ("list", "cards", "grid", "map", "feed")
    ],
    columns=["device", "layout"],
)
names = [f"{row.layout} on {row.device}" for row in table.itertuples()]
screens = logts.Arms(names=names)
question = BestOfEach(tuple(table["device"]))

# %%
# Now it is a question like all others. What does it cost at least, and where would the
# trials go?

rates = np.array([0.42, 0.50, 0.30, 0.25, 0.66, 0.40, 0.45, 0.65, 0.50, 0.35])
bound = logts.lower_bound(screens, np.log(rates / (1.0 - rates)), question, delta=0.05)
print(bound)

# %%
# A study of it stops when both answers are proven together: wrong in one of the two, or in
# both, with probability at most 5%.

people = np.random.default_rng(8)
study = logts.Study.create(
    "memory://screens", "screens", arms=screens, problem=question, delta=0.05
)
while study.verdict is None:
    trials = study.ask(10)
    study.tell(trials, people.random(10) < rates[trials.numbers])
print(study.summary())
figure = study.plot_rates()

# %%
# In the package a question gets its own flag on the command line, and its words in reports:
# the guide for contributors has the recipe.
