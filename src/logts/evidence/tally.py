"""What a study has seen, as evidence uses it: counts for each arm, and what the forecasts have earned."""

from dataclasses import dataclass

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import record


@record
@dataclass(frozen=True)
class Tally:
    """Outcomes over a prefix of the asks. Counts are sufficient: nothing scans the history.

    A study counts into its tally with ``add``; who wants to keep it as it is takes a ``copy``.

    Attributes
    ----------
    trials, successes
        ``N_x`` and ``R_x``, one number for each arm.
    scores
        ``Q_x``, the logarithm of what the forecasts of each arm's outcomes have earned; ``score`` is their
        sum.
    """

    trials: Array
    successes: Array
    scores: Array

    @classmethod
    def of_nothing(cls, arms: int) -> "Tally":
        """No outcome yet."""
        return cls(np.zeros(arms), np.zeros(arms), np.zeros(arms))

    @classmethod
    def of_counts(cls, trials: Array, successes: Array) -> "Tally":
        """Outcomes for which there were no forecasts."""
        return cls(trials, successes, np.zeros(len(trials)))

    @property
    def total(self) -> float:
        """Number of outcomes."""
        return summed(self.trials)

    @property
    def score(self) -> float:
        """``Q``, the logarithm of what the forecasts of these outcomes have earned."""
        return summed(self.scores)

    def copy(self) -> "Tally":
        """The same, for keeps."""
        return Tally(self.trials.copy(), self.successes.copy(), self.scores.copy())

    def add(self, arms: Indices, outcomes: Array) -> None:
        """Count these outcomes as well; nothing else is looked at, however many arms there are."""
        count(self.trials, self.successes, arms, outcomes)

    def after(self, arms: Indices, outcomes: Array) -> "Tally":
        """A copy, with these outcomes as well."""
        found = self.copy()
        found.add(arms, outcomes)
        return found

    def plus(self, trials: Array, successes: Array) -> "Tally":
        """The same with counts added for which there were no forecasts."""
        return Tally(self.trials + trials, self.successes + successes, self.scores)


@compiled
def summed(values: Array) -> float:
    """The sum of some numbers, a few of which take NumPy longer than a call."""
    total = 0.0
    for k in range(values.size):
        total += values[k]
    return total


@compiled
def count(trials: Array, successes: Array, arms: Indices, outcomes: Array) -> None:
    """Count outcomes into both arrays."""
    for s in range(arms.size):
        trials[arms[s]] += 1.0
        if outcomes[s] > 0:
            successes[arms[s]] += 1.0


MANY = 64  # arms, from which on those never tried are left out


def where_tried(points: Array, trials: Array, *others: Array) -> tuple[Array, ...]:
    """The same arrays for the arms that were tried, where these are few among many: nothing else matters."""
    if len(points) > MANY:
        tried = np.flatnonzero(trials)
        if 2 * len(tried) <= len(points):
            return points[tried], trials[tried], *(other[tried] for other in others)
    return points, trials, *others
