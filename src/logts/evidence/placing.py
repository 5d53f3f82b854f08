"""Placing bets: on which rivals, in which direction, how much; by what was seen of earlier asks alone.

When the trials have grown by a quarter, in the order of the asks, all bets are closed and opened anew: each
goes on from its tangent at the boundary of its rival.

*Which rivals*: all that the forecast alone may fail to refute, at an estimate under a weak prior, which
exists from the first trial. Where they share an account, the nearer has the larger share: what is twice as
far has twice the evidence, and needs less capital. Bets on what is no rival any more go to those in the same
account.

*How much*: some fractions of the margin that is seen, or of its standard deviation where that is larger.

*In which direction*: that of ``H^-1 y``, H the information of the latest trials; and turned so as to make up,
over as many trials as there were, for what the slope of the bet is off that of y.
"""

import math

import numpy as np

from logts.alternatives import Alternatives, HalfSpaces
from logts.evidence.book import Asked
from logts.evidence.tally import Tally, where_tried
from logts.evidence.turning import Latest, ends, informations, turn
from logts.evidence.wealth import Wealth
from logts.logistic.fit import maximise
from logts.tools.algebra import Array
from logts.tools.state import Stateful

FIRST = 16  # trials before bets are placed, at the least
GROWTH = 1.25  # and again when the trials have grown by so much
MOST = 128  # rivals that are followed
SOFT = 2.0  # distances are compared as if each were larger by so much
FAR = 4.0  # times the nearest distance: so far, and further with the dimension, rivals are followed
STEEP = 2.0  # how fast the share in an account falls with the distance
SCALE = 2.0  # prior standard deviation of the logit of a typical arm


class Placing(Stateful):
    """The bets of a study."""

    _kept = ("wealth", "due")

    def __init__(self, points: Array, *, bets: bool) -> None:
        arms, d = points.shape
        self._points = points
        self._prior = d / SCALE**2 * np.eye(d)
        self.wealth = Wealth.at_first(arms, d, bets=bets)
        self.due = float(max(FIRST, 2 * d)) if bets else math.inf

    def estimate(self, known: Tally, start: Array | None = None) -> Array:
        """Where bets are aimed from: the mode under a weak prior, which always exists."""
        zero = np.zeros(len(self._prior))
        points, trials, successes = where_tried(self._points, known.trials, known.successes)
        begin = zero if start is None else start
        found, _, _ = maximise(
            points, trials, successes[None], begin[None], self._prior[None], zero, zero, 0.0
        )
        return found[0]

    def place(self, tally: Tally, theta: Array, alternatives: Alternatives | None) -> None:
        """Close all bets, and open them anew against the alternatives to the answer at an estimate."""
        self.due = float(math.ceil(GROWTH * tally.total))
        old = self.wealth
        since = old.since(tally)
        counts = tally.trials, since.trials
        factor, to_come, regular = informations(self._points, *counts, theta, self._prior)
        if alternatives is None or not regular:
            return
        rivals, shares = self._rivals(tally, theta, factor, alternatives)
        seen = Latest(self._points, since, theta, factor, to_come)
        asked = Asked(rivals.normals, rivals.offsets, rivals.accounts)
        idle, cash, constants, slopes, shifts = turn(seen, old.book, asked, shares)
        low, high = ends(self._points, theta, factor)
        self.wealth = Wealth(
            forecast=old.forecast,
            saved=old.saved,
            accounts=np.append(rivals.accounts, old.accounts[idle]),
            cash=cash,
            normals=np.concatenate([rivals.normals, old.normals[idle]]),
            offsets=np.append(rivals.offsets, old.offsets[idle]),
            constants=constants,
            slopes=slopes,
            shifts=shifts,
            low=low,
            high=high,
            opened=tally.copy(),
        )

    def _rivals(
        self, tally: Tally, theta: Array, factor: Array, alternatives: Alternatives
    ) -> tuple[HalfSpaces, Array]:
        """The rivals to follow, and the share of each in its account."""
        far = FAR + 0.125 * len(theta) * math.log(tally.total)
        if isinstance(alternatives, HalfSpaces) and len(alternatives) <= MOST:
            ratios = alternatives.distances(theta, factor) + SOFT
            ratios /= ratios.min()
            near = ratios <= far
            rivals = alternatives if near.all() else alternatives.take(np.flatnonzero(near))
        else:
            nearest, distances = alternatives.nearest(theta, factor, MOST)
            ratios = (distances + SOFT) / (distances[0] + SOFT)
            near = ratios <= far
            rivals = alternatives.take(nearest[near])
        if rivals.apart:
            return rivals, np.ones(len(rivals))
        shares = np.exp(-STEEP * (ratios[near] - 1.0))
        return rivals, shares / shares.sum()
