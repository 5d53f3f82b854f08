"""Options that share nothing, in duels: which trial narrows the comparison that is hardest to settle.

    You, Qin, Wang and Yang, "Information-Directed Selection for Top-Two Algorithms", 2023.

The comparison with the least evidence goes next, and of its two options each in the proportion in which it
widens the comparison, ``1/(n v)`` over the sum: in the long run these are the optimal weights. All trials
count, whoever asked for them.

*Beside a model* evidence is ``margin^2 / 2 (1/(n_i v_i) + 1/(n_k v_k))``, and a sequence that fills the unit
interval evenly takes the place of chance.

*Alone* evidence is what there was at the last look, and grows from then on in this way. What is owed to each
option is kept in mind: the two of a comparison are tried in turn, as matched pairs want it. The margin that
is seen is too small as often as too large; so that no trials are lost on one that is too small, twice its
variance is added to its square. And now and then one goes to all in turn: the best may have had bad luck.

*The hardest comparison* is the top of a heap. Between two looks trials are added and margins stay, so that
evidence only grows, and what the heap says of a comparison is never too much: if it is still true of the top,
the top is the hardest. No trial costs a pass over all options.
"""

import math

import numpy as np

from logts.alternatives import Comparisons, Posed
from logts.evidence.tally import Tally
from logts.sampling.base import Lasting
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
DOUBT = 2.0  # variances that are added to the square of a margin


class Duels(Lasting):
    """Chooses among options by their own outcomes; before there are any, all in turn.

    Parameters
    ----------
    arms
        How many options there are.
    patrol
        Every so many trials one goes to all in turn; 0 beside a model.
    """

    _kept = (
        "made",
        "characteristic_time",
        "_owed",
        "_turn",
        "_high",
        "_low",
        "_squares",
        "_before",
        "_slopes",
        "_wanted",
        "_least",
        "_heap",
    )

    def __init__(self, arms: int, patrol: int = 0) -> None:
        nobody = np.empty(0, dtype=np.intp)
        self.made = np.zeros(arms)  # trials asked for, by whomever
        self._owed = np.zeros(arms if patrol else 0)
        self._patrol = patrol
        self._turn = 0
        self._high: Indices = nobody
        self._low: Indices = nobody
        self._squares: Array = np.empty(0)  # of margins
        self._before: Array = np.empty(0)  # evidence when nothing had been tried, by how it grows now
        self._slopes: Array = np.full(arms, 0.25)
        self._wanted: Array = np.full(arms, math.inf)  # trials of each for a unit of evidence
        self.characteristic_time = math.inf
        self._pile_up()

    def _pile_up(self) -> None:
        """A heap of all comparisons by their evidence, of equal ones the first on top."""
        self._least, self._heap = _piled(
            self._high, self._low, self._squares, self._before, self._slopes, self.made
        )

    def next(self, n: int) -> Indices:
        """The next trials; they count as made."""
        first = self._turn
        self._turn += n
        pairs = self._high, self._low, self._squares, self._before
        kept = self._slopes, self.made, self._owed, self._least, self._heap
        return _duel(n, first, self._patrol, *pairs, *kept)

    def correct(self, chosen: Indices, tried: Indices) -> None:
        np.add.at(self.made, tried, 1.0)
        if len(chosen):  # with less trials, evidence may be less than the heap says; with more it is not
            np.add.at(self.made, chosen, -1.0)
            self._pile_up()

    def learn(self, posed: Posed, trials: Array) -> None:
        """Nothing: see :meth:`study`."""

    def patience(self, t: int) -> float:
        return math.inf

    def study(self, compared: Comparisons, tally: Tally, evidence: Array) -> None:
        """Take in the alternatives to the answer at the options' own rates, and the evidence against each."""
        self._high, self._low = compared.high, compared.low
        self._squares, self._before, self._slopes, self._wanted, spent = _study(
            compared.high,
            compared.low,
            compared.offset,
            tally.trials,
            tally.successes,
            evidence,
            self._patrol > 0,
        )
        self.characteristic_time = spent if self._patrol else float(self._wanted.sum())
        self._pile_up()

    def remaining(self, evidence: float, tally: Tally) -> float:
        """Trials until there is so much evidence against every comparison, roughly."""
        return _missing(evidence, self._wanted, tally.trials)


@compiled
def _study(
    high: Indices, low: Indices, offset: Array, trials: Array, successes: Array, evidence: Array, alone: bool
) -> tuple[Array, Array, Array, Array, float]:
    """What is kept of comparisons.

    Squares of margins, the evidence without which they would have begun, slopes of the link, the trials that
    each option needs for a unit of evidence (with equal widths, a margin within its standard error counting
    as that), and the trials for a unit of evidence against all comparisons, as they were spent so far.
    """
    arms = trials.size
    logits = np.empty(arms)
    slopes = np.empty(arms)
    wanted = np.zeros(arms)
    for k in range(arms):
        if trials[k] == 0.0:
            logits[k] = 0.0
            slopes[k] = 0.25
            continue
        rate = (successes[k] + 0.5) / (trials[k] + 1.0)
        logits[k] = np.log(rate / (1.0 - rate))
        slopes[k] = rate * (1.0 - rate)
    squares = np.empty(high.size)
    before = np.zeros(high.size)
    weakest = np.inf
    for j in range(high.size):
        i = high[j]
        k = low[j]
        margin = (logits[i] if i >= 0 else 0.0) - (logits[k] if k >= 0 else 0.0) - offset[j]
        wide = 1.0 / (slopes[i] * (trials[i] + 1.0)) if i >= 0 else 0.0
        wide += 1.0 / (slopes[k] * (trials[k] + 1.0)) if k >= 0 else 0.0
        need = (4.0 if i >= 0 and k >= 0 else 2.0) / max(margin**2, wide)
        if i >= 0:
            wanted[i] = max(wanted[i], need)
        if k >= 0:
            wanted[k] = max(wanted[k], need)
        squares[j] = max(margin, 0.0) ** 2
        if alone:
            squares[j] += DOUBT * wide
            before[j] = evidence[j] - 0.5 * squares[j] / wide
        weakest = min(weakest, 0.5 * squares[j] / wide)
    for k in range(arms):
        wanted[k] /= slopes[k]
    return squares, before, slopes, wanted, trials.sum() / weakest


@compiled
def _missing(evidence: float, wanted: Array, trials: Array) -> float:
    total = 0.0
    for k in range(wanted.size):
        total += max(evidence * wanted[k] - trials[k], 0.0)
    return total


@compiled
def _duel(  # noqa: PLR0913, PLR0917  one by one: to unpack tuples of arrays takes longer
    n: int,
    turn: int,
    patrol: int,
    high: Indices,
    low: Indices,
    squares: Array,
    before: Array,
    slopes: Array,
    made: Array,
    owed: Array,
    least: Array,
    heap: Indices,
) -> Indices:
    out = np.empty(n, dtype=np.intp)
    for s in range(n):
        now = turn + s
        if heap.size == 0:
            out[s] = now % made.size
        elif patrol > 0 and (now + 1) % patrol == 0:
            out[s] = now // patrol % made.size
        else:
            j, width_i, width_k = _hardest(high, low, squares, before, slopes, made, least, heap)
            share = width_i / (width_i + width_k)
            if patrol > 0:
                out[s] = _of_two(high[j], low[j], share, owed)
            else:
                out[s] = high[j] if (GOLDEN * now) % 1.0 < share else low[j]
        made[out[s]] += 1.0
    return out


@compiled
def _of_two(i: int, k: int, share: float, owed: Array) -> int:
    """Who is owed more, when this share of a trial goes to the first and the rest to the other."""
    if i < 0 or k < 0:
        return max(i, k)
    owed[i] += share
    owed[k] += 1.0 - share
    chosen = i if owed[i] >= owed[k] else k
    owed[chosen] -= 1.0
    return chosen


@compiled
def _hardest(
    high: Indices,
    low: Indices,
    squares: Array,
    before: Array,
    slopes: Array,
    made: Array,
    least: Array,
    heap: Indices,
) -> tuple[int, float, float]:
    """The comparison with the least evidence, of several the first, and how both options widen it."""
    while True:
        j = heap[0]
        found, wide_i, wide_k = _evidence(j, high, low, squares, before, slopes, made)
        if found <= least[0]:
            return j, wide_i, wide_k
        _sink(found, j, 0, least, heap)


@compiled
def _evidence(
    j: int, high: Indices, low: Indices, squares: Array, before: Array, slopes: Array, made: Array
) -> tuple[float, float, float]:
    """The evidence on a comparison, at a tie less for the wider one, and how both options widen it."""
    i = high[j]
    k = low[j]
    wide_i = 1.0 / (slopes[i] * (made[i] + 1.0)) if i >= 0 else 0.0
    wide_k = 1.0 / (slopes[k] * (made[k] + 1.0)) if k >= 0 else 0.0
    wide = wide_i + wide_k
    return before[j] + 0.5 * squares[j] / wide - 1e-9 * wide, wide_i, wide_k


@compiled
def _piled(
    high: Indices, low: Indices, squares: Array, before: Array, slopes: Array, made: Array
) -> tuple[Array, Indices]:
    """A heap of all comparisons: the evidence on each, and which it is, in the order of the heap."""
    least = np.empty(squares.size)
    heap = np.arange(squares.size)
    for j in range(squares.size):
        least[j], _, _ = _evidence(j, high, low, squares, before, slopes, made)
    for at in range(squares.size // 2 - 1, -1, -1):
        _sink(least[at], heap[at], at, least, heap)
    return least, heap


@compiled
def _sink(value: float, j: int, at: int, least: Array, heap: Indices) -> None:
    """Put a comparison into this place, and further down while another has less."""
    while 2 * at + 1 < heap.size:
        child = 2 * at + 1
        other = child + 1
        if other < heap.size and (
            least[other] < least[child] or (least[other] == least[child] and heap[other] < heap[child])
        ):
            child = other
        if least[child] > value or (least[child] == value and heap[child] > j):
            break
        least[at] = least[child]
        heap[at] = heap[child]
        at = child
    least[at] = value
    heap[at] = j
