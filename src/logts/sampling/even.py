"""All arms in turn: for comparison, and as a patrol beside another rule, so that no arm goes unseen."""

import numpy as np

from logts.alternatives import Comparisons
from logts.arms import Arms
from logts.evidence.tally import Tally
from logts.problems import Posed
from logts.sampling.base import Lasting, Sampler, characteristic_time_of, lasts
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled


class Even(Lasting):
    """One arm after the other, whatever the outcomes."""

    _kept = ("_turn", "characteristic_time")

    def __init__(self, arms: Arms) -> None:
        self._arms = arms
        self._turn = 0
        self.characteristic_time = np.inf

    def next(self, n: int) -> Indices:
        arms = (self._turn + np.arange(n)) % len(self._arms)
        self._turn = (self._turn + n) % len(self._arms)
        return arms

    def learn(self, posed: Posed, trials: Array) -> None:
        evenly = np.full(len(trials), 1.0 / len(trials))
        self.characteristic_time = characteristic_time_of(self._arms.points, posed, evenly)

    def study(self, compared: Comparisons, tally: Tally, evidence: Array) -> None:
        """The same for arms that share nothing, by their own outcomes."""
        sides = compared.high, compared.low, compared.offset
        least = _least_evidence(*sides, tally.trials, tally.successes)
        self.characteristic_time = 1.0 / least if 0.0 < least < np.inf else np.inf

    def patience(self, t: int) -> float:
        return np.inf


@compiled
def _least_evidence(high: Indices, low: Indices, offset: Array, trials: Array, successes: Array) -> float:
    """For each trial the least evidence against a comparison, at the arms' own rates; quadratic."""
    least = np.inf
    for j in range(high.size):
        margin = -offset[j]
        width = 0.0
        for side in range(2):
            k = high[j] if side == 0 else low[j]
            if k >= 0:
                rate = (successes[k] + 0.5) / (trials[k] + 1.0)
                margin += (1.0 - 2.0 * side) * np.log(rate / (1.0 - rate))
                width += trials.size / (rate * (1.0 - rate))
        least = min(least, 0.5 * max(margin, 0.0) ** 2 / width)
    return least


class Patrol(Lasting):
    """Another rule, with every ``every``-th trial spent on all arms in turn."""

    _kept = ("_inner", "_count")

    def __init__(self, inner: Sampler, arms: int, every: int) -> None:
        self._inner = inner
        self._arms = arms
        self._every = every
        self._count = 0

    @property
    def lasts(self) -> bool:
        return lasts(self._inner)

    def next(self, n: int) -> Indices:
        patrols = (self._count + n) // self._every - self._count // self._every
        own = self._inner.next(n - patrols) if patrols < n else np.empty(0, dtype=np.intp)
        out = _interleave(own, n, self._every, self._count, self._arms)
        self._count += n
        return out

    def learn(self, posed: Posed, trials: Array) -> None:
        self._inner.learn(posed, trials)

    def correct(self, chosen: Indices, tried: Indices) -> None:
        if isinstance(self._inner, Lasting):
            own = (np.arange(self._count - len(chosen), self._count) + 1) % self._every != 0
            self._inner.correct(chosen[own], tried[own])

    def patience(self, t: int) -> float:
        return self._inner.patience(t)

    @property
    def characteristic_time(self) -> float:
        return self._inner.characteristic_time


@compiled
def _interleave(own: Indices, n: int, every: int, count: int, arms: int) -> Indices:
    out = np.empty(n, dtype=np.intp)
    used = 0
    for s in range(n):
        patrols, rest = divmod(count + s + 1, every)
        if rest == 0:
            out[s] = (patrols - 1) % arms
        else:
            out[s] = own[used]
            used += 1
    return out
