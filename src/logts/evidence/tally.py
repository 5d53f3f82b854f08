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
        return float(self.trials.sum())

    @property
    def score(self) -> float:
        """``Q``, the logarithm of what the forecasts of these outcomes have earned."""
        return float(self.scores.sum())

    def after(self, arms: Indices, outcomes: Array, scores: Array | None = None) -> "Tally":
        """The same with these outcomes as well, and the scores that the forecasts have then."""
        counts = _counted(self.trials, self.successes, arms, outcomes)
        return Tally(*counts, self.scores if scores is None else scores)

    def among(self, arms: Indices) -> "Tally":
        """Of these arms only."""
        return Tally(self.trials[arms], self.successes[arms], self.scores[arms])

    def plus(self, trials: Array, successes: Array) -> "Tally":
        """The same with counts added for which there were no forecasts."""
        return Tally(self.trials + trials, self.successes + successes, self.scores)


@compiled
def _counted(trials: Array, successes: Array, arms: Indices, outcomes: Array) -> tuple[Array, Array]:
    """Both counts after these outcomes; quick, because live studies count them one by one."""
    made = trials.copy()
    won = successes.copy()
    for s in range(arms.size):
        made[arms[s]] += 1.0
        if outcomes[s] > 0:
            won[arms[s]] += 1.0
    return made, won
