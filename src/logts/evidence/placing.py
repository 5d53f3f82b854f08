"""Placing bets: on which rivals, in which direction, how much; by what was seen of earlier asks alone.

When the trials have grown by half, in the order of the asks, all bets are closed and opened anew.

*Which rivals*: the nearest ones at an estimate under a weak prior, which exists from the first trial. The
nearer, the larger its share: what is twice as far has twice the evidence, and needs less capital.

*How much*: new bets on a rival have sizes of about half to once the standard deviation of its margin. As the
trials grow the standard deviation falls, and the same bet becomes a larger one in its units: it moves up a
column. So the sizes in play are those that the study may come to need, and what is too large has been lost.

*In which direction*: that of ``H^-1 y``, H the information of the latest trials; and turned so as to make up,
over as many trials as there were, for what the slope of the bet is off that of y.

*Moving capital.* A sum of wealths has, as a function of lambda, a convex logarithm. Its tangent at a point is
itself a bet. So bets on rivals that are no longer near, and a small part of all others, go to those that are,
by the tangent at the point of each rival's boundary that is most likely.
"""

import math

import numpy as np

from logts.alternatives import Alternatives
from logts.evidence.least import Seen, log_wealth
from logts.evidence.shift import Bets, Since, stakes_of
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic.fit import information, maximise
from logts.tools.algebra import (
    Array,
    add,
    assign,
    cholesky,
    dot,
    solve_lower,
    solve_upper,
    squared_norms,
)
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

FIRST = 16  # trials before bets are placed, at the least
GROWTH = 1.5  # and again when the trials have grown by so much
SHARE = 0.2  # of the cash, each time
SMALLEST = 0.5  # size of a bet in the first column, in standard deviations of the margin
NEW = 3  # columns that get new capital; each has bets sqrt(GROWTH) times as large as the one before
SIZES = 12
MOST = 16  # rivals that are followed
SOFT = 2.0  # distances are compared as if each were larger by so much
LEAST = 1e-3  # a rival with a smaller part of the nearest one's share is not followed
STAYS = 0.98  # of a bet on a rival that is still near
LATEST = 0.9  # the allocation to come is expected to be that of the latest trials, the rest that of all
SCALE = 2.0  # prior standard deviation of the logit of a typical arm
WIDE = 2.0  # standard deviations around a logit in which bets are at their best


class Placing(Stateful):
    """The bets of a study."""

    _kept = ("wealth", "due")

    def __init__(self, points: Array, *, bets: bool) -> None:
        arms, d = points.shape
        self._points = points
        self._prior = d / SCALE**2 * np.eye(d)
        self.wealth = Wealth.at_first(arms, d, bets=bets)
        self.due = max(FIRST, 2 * d) if bets else math.inf

    def estimate(self, known: Tally) -> Array:
        """Where bets are aimed from: the mode under a weak prior, which always exists."""
        zero = np.zeros(len(self._prior))
        found, _, _ = maximise(
            self._points,
            known.trials,
            known.successes[None],
            zero[None],
            self._prior[None],
            zero,
            zero,
            0.0,
        )
        return found[0]

    def place(self, tally: Tally, theta: Array, alternatives: Alternatives | None) -> None:
        """Close all bets, and open them anew against the nearest alternatives to the answer at an estimate."""
        self.due = math.ceil(GROWTH * tally.total)
        factor = information(self._points, tally.trials, theta) + self._prior
        if alternatives is None or not cholesky(factor):
            return
        nearest, distances = alternatives.nearest(theta, factor, MOST)
        shares = np.exp((distances[0] - distances) / (distances[0] + SOFT))
        near = shares > LEAST
        rivals = alternatives.take(nearest[near])
        old = self.wealth
        since = old.since(tally)
        seen = self._points, tally.trials, tally.successes, self._prior, theta
        at = _boundaries(*seen, rivals.normals, rivals.offsets)
        constants, slopes = _closed(self._points, since, old, _boundaries(*seen, old.normals, old.offsets))
        same = (old.offsets[:, None] == rivals.offsets) & (old.normals[:, None] == rivals.normals).all(axis=2)
        stays = STAYS * same.any(axis=1)
        shares = shares[near] / shares[near].sum()
        parts = same * stays[:, None] + np.outer(1.0 - stays, shares)
        fresh = shares * SHARE * math.exp(old.cash) / NEW
        constants, slopes = _moved(constants, slopes, parts, fresh, at)
        expected = LATEST * since.trials / max(since.trials.sum(), 1.0) + (1.0 - LATEST) * tally.trials / tally.total
        to_come = information(self._points, tally.total * expected, theta) + 1e-9 * self._prior
        if not cholesky(to_come):
            return
        logits = self._points @ theta
        widths = WIDE * np.sqrt(squared_norms(self._points, factor))
        self.wealth = Wealth(
            cash=old.cash + math.log(1.0 - SHARE),
            forecast=old.forecast,
            normals=rivals.normals,
            offsets=rivals.offsets,
            constants=constants,
            slopes=slopes,
            shifts=_aimed(rivals.normals, slopes, factor, to_come),
            low=logits - widths,
            high=logits + widths,
            opened=tally,
        )


@compiled
def _boundaries(
    points: Array,
    trials: Array,
    successes: Array,
    prior: Array,
    theta: Array,
    normals: Array,
    offsets: Array,
) -> Array:
    """The most likely point of each boundary, under the prior."""
    zero = np.zeros(theta.size)
    out = np.empty(normals.shape)
    told = successes.reshape((1, -1))
    penalty = prior.reshape((1, prior.shape[0], prior.shape[1]))
    for j in range(offsets.size):
        found, _, _ = maximise(
            points, trials, told, theta.reshape((1, -1)), penalty, zero, normals[j], offsets[j]
        )
        out[j] = found[0]
    return out


def _closed(points: Array, since: Since, wealth: Wealth, at: Array) -> tuple[Array, Array]:
    """Constants and slopes of the bets when they are replaced by their tangents at these points."""
    constants = wealth.constants.copy()
    slopes = wealth.slopes.copy()
    if constants.size:
        _close(points, since, constants, slopes, wealth.shifts, wealth.low, wealth.high, at)
    return constants, slopes


@compiled
def _close(
    points: Array,
    since: Since,
    constants: Array,
    slopes: Array,
    shifts: Array,
    low: Array,
    high: Array,
    at: Array,
) -> None:
    d = points.shape[1]
    gradient = np.empty(d)
    hessian = np.empty((d, d))
    seen = Seen(points, since.trials, since.successes, since.trials, -np.inf, -np.inf)
    for j in range(at.shape[0]):
        for c in range(constants.shape[1]):
            if constants[j, c] > -np.inf:
                one = slice(c, c + 1)
                bet = Bets(constants[j, one], slopes[j, one], shifts[j, one], low, high)
                value = log_wealth(seen, stakes_of(points, since, bet), at[j], gradient, hessian)
                assign(slopes[j, c], 1.0, gradient)
                constants[j, c] = value - dot(gradient, at[j])


@compiled
def _moved(constants: Array, slopes: Array, parts: Array, fresh: Array, at: Array) -> tuple[Array, Array]:
    """The bets on new rivals: ``parts`` of the old ones, a column further on, and fresh capital."""
    rivals, d = at.shape
    new_constants = np.full((rivals, SIZES), -np.inf)
    new_slopes = np.zeros((rivals, SIZES, d))
    for j in range(rivals):
        for c in range(SIZES):
            top = np.log(fresh[j]) if c < NEW else -np.inf
            total = 1.0 if c < NEW else 0.0  # the sum of all parts at the point, over e^top
            slope = new_slopes[j, c]
            for i in range(constants.shape[0]):
                for before in (c - 1, c):
                    if before < 0 or (before == c and c < SIZES - 1) or parts[i, j] == 0.0:
                        continue  # the last column keeps what it has
                    value = np.log(parts[i, j]) + constants[i, before] + dot(slopes[i, before], at[j])
                    if value == -np.inf:
                        continue
                    if value > top:
                        shrink = np.exp(top - value)
                        total *= shrink
                        assign(slope, shrink, slope)
                        top = value
                    weight = np.exp(value - top)
                    total += weight
                    add(slope, weight, slopes[i, before])
            if total > 0.0:
                assign(slope, 1.0 / total, slope)
                new_constants[j, c] = top + np.log(total) - dot(slope, at[j])
    return new_constants, new_slopes


@compiled
def _aimed(normals: Array, slopes: Array, factor: Array, to_come: Array) -> Array:
    """Shifts: along the direction of each rival, turned to make up for slopes that are off."""
    shifts = np.empty(slopes.shape)
    for j in range(slopes.shape[0]):
        y = normals[j]
        width = y.copy()
        solve_lower(factor, width)
        deviation = np.sqrt(dot(width, width))
        along = y.copy()
        solve_lower(to_come, along)
        solve_upper(to_come, along)
        assign(along, 1.0 / dot(y, along), along)  # y.along = 1
        for c in range(slopes.shape[1]):
            shift = shifts[j, c]
            assign(shift, 1.0, slopes[j, c])
            solve_lower(to_come, shift)
            solve_upper(to_come, shift)
            size = SMALLEST * deviation * GROWTH ** (0.5 * c)
            add(shift, size - dot(y, shift), along)
    return shifts
