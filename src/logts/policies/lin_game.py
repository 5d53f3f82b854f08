"""LinGame: Degenne, Menard, Shang and Valko, "Gamification of pure exploration for linear bandits" (2020).

From a public program of the authors (the paper's text was not at hand): one AdaHedge over the arms for each
answer; nature's best response to its weights at the estimate; gains ``(|x.u| + sqrt(2 log(t) |x|^2))^2 / 2``,
``u`` her step and ``|x|`` in the metric of the inverse information, and at most ``log t``; tracking of the
sum of the weights; no forced exploration, for optimism sees to that.

Generalised from the linear to the logistic model: the information is ``H(theta)``, and both parts of a gain
carry the ``mu'`` of the arm. Questions are any made of half-spaces.

Choices of this package: the estimate stays between two looks at the evidence, while learner, information and
tracking go on in every round; AdaHedge starts without a scale, as its inventors have it (de Rooij et al.
2014), where the program starts at 0.01; the spanning arms in turn until there is an estimate, where the
program tries every arm once; with more than 1,000 half-spaces nature responds within the 256 nearest, chosen
anew every sixteen rounds. The stopping rule is that of this package.

In a round: the weights ``w`` of the learner that belongs to the current answer; nature's best response to
them, quadratic; the gains of the arms, optimistic, which the learner takes in; then the arm that lags most
behind the sum of the weights is tried.

AdaHedge keeps the sums ``G_x`` of gains and ``D``, by how much its weights have earned less than its mixed
gain has grown. Its weights are proportional to ``exp(G_x log(K) / D)``.
"""

from typing import Unpack

import numpy as np

from logts.arms import Arms
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.problems import Answer, Problem
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
    """What each arm may earn: its logit as far off as ``log t`` allows, no gain above ``log t``."""
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
    """Add the gains of a round, and by how much ``w`` earned less than the mixed gain grew."""
    gains += earned
    grown = weigh(gains, shortfall[0], np.empty(w.size)) - mixed
    shortfall[0] += max(grown - (w * earned).sum(), 0.0)


@POLICIES.enter("lin-game")
def LinGame(arms: Arms, problem: Problem, **settings: Unpack[Settings]) -> TrackAndStop:
    """A learner without regret against the closest alternative.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    **settings
        Those of :class:`logts.LogTS`, without ``design`` and ``schedule``.

    Returns
    -------
    TrackAndStop
        The policy.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [1, 1]], names=["a", "b", "both"])
    >>> runs = logts.simulate("lin-game", arms, [1.0, 0.5], logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: both', 'best: both', 'best: both']
    """
    return TrackAndStop(arms, problem, lambda among, _: NoRegret(among), **settings)
