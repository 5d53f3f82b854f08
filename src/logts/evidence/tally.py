"""What a study has seen, as evidence uses it: counts for each arm, and what the forecasts have earned."""

from dataclasses import dataclass

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.state import record


@record
@dataclass(frozen=True)
class Tally:
    """Outcomes over a prefix of the asks. Counts are sufficient: nothing scans the history.

    Attributes
    ----------
    trials, successes
        ``N_x`` and ``R_x``, one number for each arm.
    score
        ``Q``, the logarithm of what the forecasts of these outcomes have earned.
    """

    trials: Array
    successes: Array
    score: float = 0.0

    @classmethod
    def of_nothing(cls, arms: int) -> "Tally":
        """No outcome yet."""
        return cls(np.zeros(arms), np.zeros(arms))

    @property
    def total(self) -> float:
        """Number of outcomes."""
        return float(self.trials.sum())

    def after(self, arms: Indices, outcomes: Array, score: float) -> "Tally":
        """The same with these outcomes as well, and the score that the forecasts have then."""
        count = len(self.trials)
        made = np.bincount(arms, minlength=count)
        won = np.bincount(arms[outcomes > 0], minlength=count)
        return Tally(self.trials + made, self.successes + won, score)

    def plus(self, trials: Array, successes: Array) -> "Tally":
        """The same with counts added for which there were no forecasts."""
        return Tally(self.trials + trials, self.successes + successes, self.score)
