"""The wealth of a study: the forecast, bets on shifts, and cash. One function of the parameter, all evidence.

    M(lambda) = cash + cap_0 exp(Q - L(lambda)) + sum over the bets of exp(a + g.lambda + F(lambda))

Capital adds up to 1 at the start. At the true parameter M is a non-negative supermartingale, whatever bets are
placed by what is known, so that by Ville's inequality it ever exceeds ``1/delta`` with probability at most
delta. All evidence within the model is read off M: an answer is proven when log M exceeds ``log(1/delta)``
wherever that answer is wrong.

The forecast has the log wealth ``Q - L``, which is convex; so are the bets (``shift.py``), hence log M. What a
bet earned before it was last turned to a rival is kept as a tangent, ``a + g.lambda``: never more than it was
worth, and one vector however long it ran.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.evidence.least import Seen, least_wealth
from logts.evidence.shift import Bets, Since, stakes_of
from logts.evidence.tally import Tally
from logts.logistic.fit import PROOF, Fit, gradient, information, maximise
from logts.logistic.newton import reach, screening_distance
from logts.tools.algebra import Array, cholesky, dot
from logts.tools.compiling import compiled
from logts.tools.state import record

FORECAST = 0.1  # of the capital, for the forecast, where there are bets


@dataclass(frozen=True)
class Reading:
    """The least log wealth that is proven over the alternatives, and the items compared where it lies.

    ``whole`` says whether all alternatives were looked at, or some were left out because one had too little.
    """

    least: float
    rival: tuple[int, ...]
    whole: bool


@record
@dataclass(frozen=True)
class Wealth:
    """Capital, in cash, in the forecast and in bets; with a tally it says how much each parameter is refuted.

    Attributes
    ----------
    cash, forecast
        Logarithms of the capital.
    normals, offsets
        The rivals that are followed.
    constants, slopes, shifts
        Their bets: a row for each rival, a column for each size.
    low, high
        The logits of each arm between which the bets are at their best.
    opened
        What had been seen when the bets were opened.
    """

    cash: float
    forecast: float
    normals: Array
    offsets: Array
    constants: Array
    slopes: Array
    shifts: Array
    low: Array
    high: Array
    opened: Tally

    @classmethod
    def at_first(cls, arms: int, d: int, *, bets: bool) -> "Wealth":
        """All in the forecast, or most of it in cash, for bets to come."""
        return cls(
            cash=math.log(1.0 - FORECAST) if bets else -math.inf,
            forecast=math.log(FORECAST) if bets else 0.0,
            normals=np.empty((0, d)),
            offsets=np.empty(0),
            constants=np.empty((0, 0)),
            slopes=np.empty((0, 0, d)),
            shifts=np.empty((0, 0, d)),
            low=np.zeros(arms),
            high=np.zeros(arms),
            opened=Tally.of_nothing(arms),
        )

    def since(self, tally: Tally) -> Since:
        """What was seen since the bets were opened."""
        return Since(
            tally.trials - self.opened.trials,
            tally.successes - self.opened.successes,
            tally.scores - self.opened.scores,
        )

    def without_bets(self) -> "Wealth":
        """The forecast alone: less than all, and quick to ask."""
        return replace(self, normals=self.normals[:0], offsets=self.offsets[:0])

    def line(self, tally: Tally, delta: float) -> float:
        """The log-likelihood below which the forecast alone refutes a parameter."""
        return self.forecast + tally.score - math.log(1.0 / delta)

    def read(
        self, points: Array, tally: Tally, fit: Fit, alternatives: Alternatives, enough: float = math.inf
    ) -> Reading | None:
        """A proven lower bound on log M over the alternatives to the answer at a fit; None without proof.

        The nearest half-space first: if it has less than ``enough`` no other is looked at. By
        self-concordance the forecast alone proves most others to have more, and the rest are minimised over.
        """
        factor, regular = information_factor(points, tally.trials, fit.theta)
        if not fit.proven or not regular:
            return None
        nearest, _ = alternatives.nearest(fit.theta, factor, 1)
        rival = alternatives.take(nearest)
        least = self.least(points, tally, fit, rival)
        if not math.isfinite(least):
            return None
        if least < enough < math.inf:
            return Reading(least, tuple(rival.about[0]), whole=len(alternatives) == 1)
        alone = self.forecast + tally.score - fit.log_likelihood - fit.shortfall
        limit = screening_distance(max(least - alone, 0.0), reach(points, tally.trials, factor))
        for index in alternatives.within(fit.theta, factor, limit):
            if index != nearest[0]:
                other = alternatives.take(np.array([index]))
                value = self.least(points, tally, fit, other)
                if value < least:
                    least = value
                    rival = other
                    if not math.isfinite(least):
                        return None
                    if least < enough < math.inf:
                        return Reading(least, tuple(rival.about[0]), whole=False)
        return Reading(least, tuple(rival.about[0]), whole=True)

    def least(self, points: Array, tally: Tally, fit: Fit, half_space: HalfSpaces) -> float:
        """A proven lower bound on log M over one half-space, by the bets on it; -inf when there is no proof."""
        y = half_space.normals[0]
        c = float(half_space.offsets[0])
        d = len(y)
        mine = np.flatnonzero((self.offsets == c) & (self.normals == y).all(axis=1))
        bets = Bets(
            self.constants[mine].reshape(-1),
            self.slopes[mine].reshape(-1, d),
            self.shifts[mine].reshape(-1, d),
            self.low,
            self.high,
        )
        since = self.since(tally)
        seen = Seen(
            points, tally.trials, tally.successes, since.trials, self.cash, self.forecast + tally.score
        )
        return _least(seen, since, bets, fit.theta, y, c)


@compiled
def _least(seen: Seen, since: Since, bets: Bets, theta: Array, y: Array, c: float) -> float:
    points = seen.points
    free = np.empty((1, 0, 0))
    zero = np.zeros(y.size)
    told = seen.successes.reshape((1, -1))
    found, heights, shortfalls = maximise(
        points, seen.trials, told, theta.reshape((1, -1)), free, zero, y, c
    )
    at = found[0]
    if not shortfalls[0] <= PROOF or dot(y, gradient(points, seen.trials, seen.successes, at)) < 0.0:
        return -np.inf  # no maximum on the hyperplane, or the half-space holds the overall maximum
    factor = information(points, seen.trials, at)
    if not cholesky(factor):
        return -np.inf
    alone = seen.forecast - heights[0] - shortfalls[0]
    if bets.constants.size == 0:
        return max(alone, seen.cash)
    stakes = stakes_of(points, since, bets)
    return least_wealth(seen, stakes, y, at, factor, reach(points, seen.trials, factor), alone)[0]


@compiled
def information_factor(points: Array, trials: Array, theta: Array) -> tuple[Array, bool]:
    """Cholesky factor of ``H_t(theta)``, and whether there is one."""
    factor = information(points, trials, theta)
    return factor, cholesky(factor)
