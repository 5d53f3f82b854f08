"""LinGame: the weights of a learner without regret, AdaHedge, that plays against the closest alternative.

In a round: the weights ``w`` of the learner that belongs to the current answer; nature's best response to them, quadratic; the
gains of the arms, optimistic, which the learner takes in; then the arm that lags most behind the sum of the weights is tried.

AdaHedge keeps the sums ``G_x`` of gains and ``D``, by how much its weights have earned less than its mixed gain has grown. Its
weights are proportional to ``exp(G_x log(K) / D)``.
"""

import numpy as np

from logts.arms import Arms
from logts.problems import Answer
from logts.sampling.rounds import Field, Parts, Rivals, RoundByRound, absorb, costs, named, payoffs
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

EVEN = 1e-6  # share of the weights that nature sees spread evenly, so that her response exists


class NoRegret(RoundByRound):
    """The sampling rule of LinGame. While there is no estimate, the spanning arms in turn."""

    def __init__(self, arms: Arms) -> None:
        super().__init__(arms)
        self._play = np.zeros(len(arms))
        self._play[arms.spanning] = 1.0 / arms.dimension
        self._target = np.zeros(len(arms))
        self._learners: dict[Answer | None, tuple[Array, Array]] = {}

    @property
    def _weights(self) -> Array:
        return self._play

    def _rounds(self, n: int) -> Indices:
        answer = None if self._posed is None else self._posed.answer
        if answer not in self._learners:
            self._learners[answer] = np.zeros(len(self._made)), np.zeros(1)
        gains, shortfall = self._learners[answer]
        return _play(n, self._parts, self._clock, gains, shortfall, self._play, self._made, self._target)


@compiled
def _play(
    n: int,
    parts: Parts,
    clock: Array,
    gains: Array,
    shortfall: Array,
    w: Array,
    made: Array,
    target: Array,
) -> Indices:
    """Play rounds; without half-spaces there is no estimate yet, and the weights stay."""
    field, rivals, known = named(parts)
    estimated = rivals.margins.size > 0
    out = np.empty(n, dtype=np.intp)
    earned = np.empty(w.size)
    for s in range(n):
        if estimated:
            mixed = weigh(gains, shortfall[0], w)
            _earn(field, rivals, w, earned)
            _hope(field.slopes, known.widths, np.log(max(clock[0], 2.0)), earned)
            take_in(gains, shortfall, w, mixed, earned)
        best = np.inf
        chosen = 0
        for k in range(w.size):
            target[k] += w[k]
            if target[k] > 0.0 and made[k] - target[k] < best:
                best = made[k] - target[k]
                chosen = k
        made[chosen] += 1.0
        clock[0] += 1.0
        if estimated:
            absorb(known, field, chosen)
        out[s] = chosen
    return out


@compiled
def _earn(field: Field, rivals: Rivals, w: Array, earned: Array) -> None:
    """What each arm earns against nature's best response to these weights."""
    points, slopes = field
    factor = np.empty((points.shape[1], points.shape[1]))
    psi = costs(points, (w + EVEN / w.size) * slopes, rivals, factor)
    j = int(np.argmin(psi))
    earned[:] = 0.0
    if psi[j] > 0.0:
        payoffs(field, rivals, j, psi[j], factor, earned)


@compiled
def _hope(slopes: Array, widths: Array, log_t: float, earned: Array) -> None:
    """What each arm may earn: its logit as far on the other side as ``log t`` allows, but no gain above ``log t``."""
    for k in range(earned.size):
        reach = np.sqrt(2.0 * earned[k]) + np.sqrt(2.0 * log_t * slopes[k] * widths[k])
        earned[k] = min(0.5 * reach * reach, log_t)


@compiled
def weigh(gains: Array, shortfall: float, w: Array) -> float:
    """AdaHedge's weights; returns its mixed gain so far, ``log(mean exp(rate G)) / rate``."""
    top = gains.max()
    total = 0.0
    for k in range(w.size):
        if shortfall > 0.0:
            w[k] = np.exp((gains[k] - top) * np.log(w.size) / shortfall)
        else:
            w[k] = 1.0 if gains[k] == top else 0.0
        total += w[k]
    w /= total
    return float(top + (np.log(total / w.size) * shortfall / np.log(w.size) if shortfall > 0.0 else 0.0))


@compiled
def take_in(gains: Array, shortfall: Array, w: Array, mixed: float, earned: Array) -> None:
    """Add the gains of a round, and by how much weights ``w`` earned less than the mixed gain grew from ``mixed``."""
    gains += earned
    grown = weigh(gains, shortfall[0], np.empty(w.size)) - mixed
    shortfall[0] += max(grown - (w * earned).sum(), 0.0)
