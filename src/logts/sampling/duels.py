"""Options that share nothing, in duels: which trial narrows the comparison that is hardest to settle.

    You, Qin, Wang and Yang, "Information-Directed Selection for Top-Two Algorithms", 2023.

The comparison with the least evidence, ``margin^2 / (1/(n_i v_i) + 1/(n_k v_k))``, goes next, and of its two
options each with the probability by which it widens the comparison, ``1/(n v)`` over the sum: in the long run
these are the optimal weights. A sequence that fills the unit interval evenly takes the place of chance. All
trials count, whoever asked for them.
"""

import math

import numpy as np

from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.sampling.base import Lasting
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


class Duels(Lasting):
    """Chooses among options by their own outcomes."""

    _kept = ("made", "_turn", "_high", "_low", "_margins", "_slopes", "_wanted")

    def __init__(self, arms: int) -> None:
        nobody = np.empty(0, dtype=np.intp)
        self.made = np.zeros(arms)  # trials asked for, by whomever
        self._turn = 0
        self._high: Indices = nobody
        self._low: Indices = nobody
        self._margins: Array = np.empty(0)
        self._slopes: Array = np.full(arms, 0.25)
        self._wanted: Array = np.full(arms, math.inf)  # trials of each for a unit of evidence

    def next(self, n: int) -> Indices:
        """The next trials; they count as made."""
        if not len(self._margins):
            return np.empty(0, dtype=np.intp)
        out = _duel(n, self._turn, self._high, self._low, self._margins, self._slopes, self.made)
        self._turn += n
        return out

    def correct(self, chosen: Indices, tried: Indices) -> None:
        arms = len(self.made)
        self.made += np.bincount(tried, minlength=arms) - np.bincount(chosen, minlength=arms)

    def study(self, compared: Comparisons, tally: Tally) -> None:
        """Take in the alternatives to the answer at the options' own rates."""
        rates = (tally.successes + 0.5) / (tally.trials + 1.0)
        logits = np.append(np.log(rates / (1.0 - rates)), 0.0)  # the last one stands for zero
        self._slopes = rates * (1.0 - rates)
        self._high, self._low = compared.high, compared.low
        self._margins = logits[compared.high] - logits[compared.low] - compared.offset
        widths = np.append(1.0 / (self._slopes * (tally.trials + 1.0)), 0.0)
        # With equal widths; a margin within its standard error counts as that.
        seen = np.maximum(self._margins**2, widths[self._high] + widths[self._low])
        wanted = np.where((self._high >= 0) & (self._low >= 0), 4.0, 2.0) / seen
        most = np.zeros(len(widths))
        np.maximum.at(most, self._high, wanted)
        np.maximum.at(most, self._low, wanted)
        self._wanted = most[:-1] / self._slopes

    @property
    def characteristic_time(self) -> float:
        """Trials for each unit of evidence against every comparison, roughly."""
        return float(self._wanted.sum())

    def remaining(self, evidence: float, tally: Tally) -> float:
        """Trials until there is so much evidence against every comparison, roughly."""
        return float(np.maximum(evidence * self._wanted - tally.trials, 0.0).sum())


@compiled
def _duel(
    n: int, turn: int, high: Indices, low: Indices, margins: Array, slopes: Array, made: Array
) -> Indices:
    out = np.empty(n, dtype=np.intp)
    for s in range(n):
        least = np.inf
        width_i = 0.0
        width_k = 0.0
        hardest = 0
        for j in range(margins.size):
            i = high[j]
            k = low[j]
            wide_i = 1.0 / (slopes[i] * (made[i] + 1.0)) if i >= 0 else 0.0
            wide_k = 1.0 / (slopes[k] * (made[k] + 1.0)) if k >= 0 else 0.0
            wide = wide_i + wide_k
            margin = max(margins[j], 0.0)
            found = margin * margin / wide - 1e-9 * wide  # at a tie the wider one
            if found < least:
                least = found
                hardest = j
                width_i = wide_i
                width_k = wide_k
        place = (GOLDEN * (turn + s)) % 1.0
        first = place * (width_i + width_k) < width_i
        out[s] = high[hardest] if first else low[hardest]
        made[out[s]] += 1.0
    return out
