"""What a sampling rule does: choose arms, and learn from the estimate at every look at the evidence."""

from typing import Protocol, runtime_checkable

import numpy as np

from logts.alternatives import Comparisons
from logts.design import Game
from logts.design.game import allocator_bound
from logts.evidence.tally import Tally
from logts.problems import Posed
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful


class Sampler(Protocol):
    """Which arm next. It goes with any stopping rule: the evidence holds however arms are chosen."""

    def next(self, n: int) -> Indices:
        """Choose the next ``n`` arms; those chosen before count as tried, told or not."""

    def learn(self, posed: Posed, trials: Array) -> None:
        """Take in the question at a new estimate, and the number of trials of each arm behind it."""

    def patience(self, t: int) -> float:
        """How many trials after ``t`` may pass before it wants to learn again."""

    @property
    def characteristic_time(self) -> float:
        """Trials for each unit of evidence, as trials are spent now; infinite while unknown."""


@runtime_checkable
class Studious(Protocol):
    """A sampling rule that needs no coordinates where arms share nothing: it studies, and does not learn."""

    def study(self, compared: Comparisons, tally: Tally, evidence: Array) -> None:
        """Take in the alternatives to the answer at the arms' own rates, and the evidence against each."""


class Lasting(Stateful):
    """A sampler for studies that outlive their process: its state can be kept, its choices corrected."""

    @property
    def lasts(self) -> bool:
        """Whether that is true of all that it is made of."""
        return True

    def correct(self, chosen: Indices, tried: Indices) -> None:
        """Take in that other arms were tried than those chosen last.

        A rule that does not count its trials need not care.
        """


def lasts(sampler: Sampler) -> bool:
    """Whether a sampler is fit for a study that outlives its process."""
    return isinstance(sampler, Lasting) and sampler.lasts


def characteristic_time_of(points: Array, posed: Posed, weights: Array) -> float:
    """Trials for each unit of evidence when they are split by these weights; quadratic."""
    support = np.flatnonzero(weights)
    game = Game(points, posed.theta, posed.alternatives, "quadratic")
    evidence = allocator_bound(game, support, weights[support], 1)[0] if posed.answer is not None else 0.0
    return 1.0 / evidence if evidence > 0.0 else np.inf
