"""The wealth of a study: the forecast, bets on shifts, and cash. One function of the parameter, all evidence.

    M(lambda) = cash + cap_0 exp(Q - L(lambda)) + sum over the bets of exp(a + g.lambda + F(lambda))

Capital adds up to 1 at the start. At the true parameter M is a non-negative supermartingale, whatever bets
are placed by what is known, so that by Ville's inequality it ever exceeds ``1/delta`` with probability at
most delta. All evidence within the model is read off M: an answer is proven when log M exceeds
``log(1/delta)`` wherever that answer is wrong.

The forecast has the log wealth ``Q - L``, which is convex; so are the bets (``shift.py``), hence log M. What
a bet earned before it was last turned to a rival is kept as a tangent, ``a + g.lambda``: never more than it
was worth, and one vector however long it ran.

*Accounts.* Every parameter may have a capital of its own: only one of them is true. So where the question
permits it (``HalfSpaces.apart``) each rival has an account: M at a parameter at which item k is best holds
the bets on the account of k and no others, and no rival pays for the bets on another one. Otherwise there is
one account, shared by all.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.evidence.book import Asked, Book, glances, least_each, least_of_all
from logts.evidence.least import Centre, Seen
from logts.evidence.shift import Since
from logts.evidence.tally import Tally, where_tried
from logts.logistic.dual import ceiling
from logts.logistic.fit import Fit, information_factor
from logts.logistic.newton import reach, screening_distance
from logts.tools.algebra import Array, Indices
from logts.tools.state import record

FORECAST = 0.2  # of the capital of each account, for the forecast, where there are bets
FEW = 32  # alternatives, up to which all are weighed in one call
GLANCES = 16  # of more, so many of the nearest are glanced at first
MOST = 4096  # alternatives that are weighed where the likelihood has no maximum


@dataclass(frozen=True)
class Weighed:
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
    forecast, saved
        Logarithms of the capital in the forecast, and of the cash of an account without bets.
    accounts, cash
        The accounts that have bets, and the logarithm of what each has in cash; a number for each rival.
    normals, offsets
        The rivals that are followed.
    constants, slopes, shifts
        Their bets: a row for each rival, a column for each size.
    low, high
        The logits of each arm between which the bets are at their best.
    opened
        What had been seen when the bets were opened.
    """

    forecast: float
    saved: float
    accounts: Indices
    cash: Array
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
            forecast=math.log(FORECAST) if bets else 0.0,
            saved=math.log(1.0 - FORECAST) if bets else -math.inf,
            accounts=np.empty(0, dtype=np.intp),
            cash=np.empty(0),
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

    def line(self, tally: Tally, delta: float) -> float:
        """The log-likelihood below which the forecast alone, which all accounts hold, refutes a parameter."""
        return self.forecast + tally.score - math.log(1.0 / delta)

    @cached_property
    def book(self) -> Book:
        """The bets for compiled code."""
        bets = self.constants, self.slopes, self.shifts, self.low, self.high
        return Book(self.accounts, np.append(self.cash, self.saved), self.normals, self.offsets, *bets)

    def weigh(
        self, points: Array, tally: Tally, fit: Fit, alternatives: Alternatives, enough: float = math.inf
    ) -> Weighed | None:
        """A proven lower bound on log M over the alternatives to the answer at a fit; None without proof.

        The nearest half-space comes first: if a glance at it shows that there is less than ``enough``, no
        other is looked at. By self-concordance the forecast alone proves most others to have more, and the
        rest are minimised over.
        """
        if not fit.proven:
            return self._weigh_without_maximum(points, tally, alternatives, enough)
        read = self._read(points, tally)
        if isinstance(alternatives, HalfSpaces) and len(alternatives) <= FEW:
            asked = _asked(alternatives)
            least, at, whole = least_of_all(*read, asked, fit.theta, self._alone(tally, fit), enough)
            return Weighed(least, tuple(alternatives.about[at]), whole) if at >= 0 else None
        factor, regular = information_factor(read[0].points, read[0].trials, fit.theta)
        if not regular:
            return None
        nearest, _ = alternatives.nearest(fit.theta, factor, GLANCES if enough < math.inf else 1)
        if enough < math.inf:
            near = alternatives.take(nearest)
            value, at = glances(*read, _asked(near), fit.theta, factor, enough)
            if value < enough:
                return Weighed(value, tuple(near.about[at]), whole=False)
        centre = self._centre(read[0], tally, fit, factor)
        rival = alternatives.take(nearest[:1])
        least = float(least_each(*read, _asked(rival), centre, (enough, math.inf))[0])
        if least < enough < math.inf:
            return Weighed(least, tuple(rival.about[0]), whole=len(alternatives) == 1)
        limit = screening_distance(max(least - centre.alone, 0.0), centre.reach)
        others = alternatives.within(fit.theta, factor, limit)
        others = others[others != nearest[0]]
        if len(others):
            rest = alternatives.take(others)
            rest = rest.take(np.argsort(rest.distances(fit.theta, factor), kind="stable"))
            limits = enough if enough < math.inf else -math.inf, least
            found = least_each(*read, _asked(rest), centre, limits)
            at = int(np.argmin(found))
            if found[at] < least:
                whole = not found[at] < enough < math.inf
                return Weighed(float(found[at]), tuple(rest.about[at]), whole)
        return Weighed(least, tuple(rival.about[0]), whole=True)

    def _weigh_without_maximum(
        self, points: Array, tally: Tally, alternatives: Alternatives, enough: float
    ) -> Weighed | None:
        """The same where the outcomes separate the arms, by the forecast alone; None if it is not enough.

        Outcomes that never vary end a study in this way.
        """
        if len(alternatives) > MOST:
            return None
        rivals = alternatives.take(np.arange(len(alternatives)))
        whole = self.forecast + tally.score
        highest, at = -math.inf, -1
        for j in range(len(rivals)):
            seen = points, tally.trials, tally.successes
            found = ceiling(*seen, rivals.normals[j], float(rivals.offsets[j]), whole - enough)
            if not found < whole - enough:
                return None
            if found > highest:
                highest, at = found, j
        return Weighed(whole - highest, tuple(rivals.about[at]), whole=True) if at >= 0 else None

    def each(self, points: Array, tally: Tally, fit: Fit, half_spaces: HalfSpaces) -> Array:
        """For every half-space a proven lower bound on log M there; -inf when there is no proof."""
        found = np.full(len(half_spaces), -math.inf)
        read = self._read(points, tally)
        factor, regular = information_factor(read[0].points, read[0].trials, fit.theta)
        outside = np.flatnonzero(half_spaces.margins(fit.theta) > 0.0)  # the others hold the fit
        if fit.proven and regular and len(outside):
            centre = self._centre(read[0], tally, fit, factor)
            asked = _asked(half_spaces.take(outside))
            found[outside] = least_each(*read, asked, centre, (-math.inf, math.inf))
        return found

    def _centre(self, seen: Seen, tally: Tally, fit: Fit, factor: Array) -> Centre:
        return Centre(fit.theta, factor, reach(seen.points, seen.trials, factor), self._alone(tally, fit))

    def _alone(self, tally: Tally, fit: Fit) -> float:
        """The logarithm of the least that the forecast has anywhere."""
        return self.forecast + tally.score - fit.log_likelihood - fit.shortfall

    def _read(self, points: Array, tally: Tally) -> tuple[Seen, Since, Book]:
        """What was seen of the arms that were tried, and the bets, for compiled code."""
        since = self.since(tally)
        counts = tally.trials, tally.successes, *since, self.low, self.high
        points, trials, successes, *rest, low, high = where_tried(points, *counts)
        lately = Since(*rest)
        seen = Seen(points, trials, successes, lately.trials, self.forecast + tally.score)
        return seen, lately, self.book if low is self.low else self.book._replace(low=low, high=high)


def _asked(half_spaces: HalfSpaces) -> Asked:
    """Half-spaces for compiled code."""
    accounts = half_spaces.accounts if half_spaces.apart else _NOBODY
    return Asked(half_spaces.normals, half_spaces.offsets, accounts)


_NOBODY = np.empty(0, dtype=np.intp)
