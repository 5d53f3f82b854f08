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
from logts.evidence.least import Seen, log_wealth
from logts.evidence.shift import Bets, Since, stakes_of
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic.fit import information, maximise
from logts.tools.algebra import (
    Array,
    Indices,
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
GROWTH = 1.25  # and again when the trials have grown by so much
SHARE = 0.15  # of the cash of an account, each time
SIZES = np.array([0.5, 0.9])  # of the margin that is seen
WIDTH = 1.0  # standard deviations that a margin counts as at the least
MOST = 1024  # rivals that are followed
SOFT = 2.0  # distances are compared as if each were larger by so much
FAR = 4.0  # times the nearest distance: so far, and further with the dimension, rivals are followed
STEEP = 2.0  # how fast the share in an account falls with the distance
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
        self.due = float(max(FIRST, 2 * d)) if bets else math.inf

    def estimate(self, known: Tally) -> Array:
        """Where bets are aimed from: the mode under a weak prior, which always exists."""
        zero = np.zeros(len(self._prior))
        told = known.successes[None]
        found, _, _ = maximise(
            self._points, known.trials, told, zero[None], self._prior[None], zero, zero, 0.0
        )
        return found[0]

    def place(self, tally: Tally, theta: Array, alternatives: Alternatives | None) -> None:
        """Close all bets, and open them anew against the alternatives to the answer at an estimate."""
        self.due = float(math.ceil(GROWTH * tally.total))
        old = self.wealth
        since = old.since(tally)
        factor = information(self._points, tally.trials, theta) + self._prior
        to_come = self._information_to_come(tally, since, theta)
        if alternatives is None or not cholesky(factor) or not cholesky(to_come):
            return
        rivals, shares = self._rivals(tally, theta, factor, alternatives)
        accounts, cash = self._accounts(rivals)
        parts, idle = _flows(old, rivals, accounts, shares)
        points = projections(theta, factor, rivals.normals, rivals.offsets)
        at = points[parts.argmax(axis=1)]
        at[idle] = projections(theta, factor, old.normals[idle], old.offsets[idle])
        constants, slopes = _closed(self._points, since, old, at)
        fresh = shares * SHARE * np.exp(cash) / len(SIZES)
        new = moved(constants, slopes, parts, fresh, points)
        shifts = aimed(rivals.margins(theta), rivals.normals, new[1], factor, to_come)
        still = np.zeros((len(idle), *shifts.shape[1:]))  # no rival now: what they earned is kept
        logits = self._points @ theta
        widths = WIDE * np.sqrt(squared_norms(self._points, factor))
        self.wealth = Wealth(
            forecast=old.forecast,
            saved=old.saved,
            accounts=np.append(accounts, old.accounts[idle]),
            cash=np.append(cash + math.log(1.0 - SHARE), old.cash[idle]),
            normals=np.concatenate([rivals.normals, old.normals[idle]]),
            offsets=np.append(rivals.offsets, old.offsets[idle]),
            constants=np.concatenate([new[0], constants[idle]]) if len(idle) else new[0],
            slopes=np.concatenate([new[1], slopes[idle]]) if len(idle) else new[1],
            shifts=np.concatenate([shifts, still]),
            low=logits - widths,
            high=logits + widths,
            opened=tally,
        )

    def _information_to_come(self, tally: Tally, since: Since, theta: Array) -> Array:
        """The information of as many trials again, if they are chosen as of late."""
        recent = since.trials / max(since.trials.sum(), 1.0)
        expected = LATEST * recent + (1.0 - LATEST) * tally.trials / tally.total
        return information(self._points, tally.total * expected, theta) + 1e-9 * self._prior

    def _rivals(
        self, tally: Tally, theta: Array, factor: Array, alternatives: Alternatives
    ) -> tuple[HalfSpaces, Array]:
        """The rivals to follow, and the share of each in its account."""
        nearest, distances = alternatives.nearest(theta, factor, MOST)
        ratios = (distances + SOFT) / (distances[0] + SOFT)
        near = ratios <= FAR + 0.125 * len(theta) * math.log(tally.total)
        rivals = alternatives.take(nearest[near])
        shares = np.exp(-STEEP * (ratios[near] - 1.0))
        if rivals.apart:
            return rivals, np.ones(len(rivals))
        return rivals, shares / shares.sum()

    def _accounts(self, rivals: HalfSpaces) -> tuple[Indices, Array]:
        """The account of each rival, and the logarithm of its cash."""
        old = self.wealth
        accounts = rivals.accounts
        same = accounts[:, None] == old.accounts
        cash = np.full(len(accounts), old.saved)
        found = same.any(axis=1)
        if found.any():
            cash[found] = old.cash[same.argmax(axis=1)[found]]
        return accounts, cash


def _flows(old: Wealth, rivals: HalfSpaces, accounts: Indices, shares: Array) -> tuple[Array, Indices]:
    """Which part of each old row goes to each new one, and the rows that stay as they are.

    A row goes to the same half-space; if that is no rival any more, to those in the same account. The parts
    of a row add up to one at most: where options have equal features the same half-space comes several times.
    """
    within = old.accounts[:, None] == accounts
    same = within & (old.offsets[:, None] == rivals.offsets)
    before, after = np.nonzero(same)
    same[before, after] = (old.normals[before] == rivals.normals[after]).all(axis=1)
    times = same.sum(axis=1, keepdims=True)
    parts = np.where(times > 0, same / np.maximum(times, 1), within * shares)
    return parts, np.flatnonzero(~within.any(axis=1))


@compiled
def projections(theta: Array, factor: Array, normals: Array, offsets: Array) -> Array:
    """The point of each boundary that is nearest to theta."""
    out = normals.copy()
    for j in range(offsets.size):
        solve_lower(factor, out[j])
        width = dot(out[j], out[j])
        solve_upper(factor, out[j])
        assign(out[j], -(dot(normals[j], theta) - offsets[j]) / width, out[j])
        add(out[j], 1.0, theta)
    return out


def _closed(points: Array, since: Since, wealth: Wealth, at: Array) -> tuple[Array, Array]:
    """Constants and slopes of the bets when they are replaced by their tangents at these points."""
    constants = wealth.constants.copy()
    slopes = wealth.slopes.copy()
    if constants.size:
        close(points, since, constants, slopes, wealth.shifts, wealth.low, wealth.high, at)
    return constants, slopes


@compiled
def close(
    points: Array,
    since: Since,
    constants: Array,
    slopes: Array,
    shifts: Array,
    low: Array,
    high: Array,
    at: Array,
) -> None:
    """Replace bets by their tangents, those of each row at its point."""
    d = points.shape[1]
    gradient = np.empty(d)
    hessian = np.empty((d, d))
    seen = Seen(points, since.trials, since.successes, since.trials, -np.inf)
    for j in range(at.shape[0]):
        for c in range(constants.shape[1]):
            if constants[j, c] > -np.inf:
                one = slice(c, c + 1)
                bet = Bets(constants[j, one], slopes[j, one], shifts[j, one], low, high)
                stakes = stakes_of(points, since, bet)
                value = log_wealth(seen, stakes, -np.inf, at[j], gradient, hessian)
                assign(slopes[j, c], 1.0, gradient)
                constants[j, c] = value - dot(gradient, at[j])


@compiled
def moved(constants: Array, slopes: Array, parts: Array, fresh: Array, at: Array) -> tuple[Array, Array]:
    """The bets on new rivals: ``parts`` of the old ones and fresh capital, by the tangent of their sum."""
    rivals, d = at.shape
    sizes = SIZES.size
    new_constants = np.full((rivals, sizes), -np.inf)
    new_slopes = np.zeros((rivals, sizes, d))
    for j in range(rivals):
        for c in range(sizes):
            top = np.log(fresh[j])
            total = 1.0  # the sum of all parts at the point, over e^top
            slope = new_slopes[j, c]
            for i in range(constants.shape[0]):
                if parts[i, j] == 0.0:
                    continue
                value = np.log(parts[i, j]) + constants[i, c] + dot(slopes[i, c], at[j])
                if not value > -np.inf:
                    continue
                if value > top:
                    shrink = np.exp(top - value)
                    total *= shrink
                    assign(slope, shrink, slope)
                    top = value
                weight = np.exp(value - top)
                total += weight
                add(slope, weight, slopes[i, c])
            assign(slope, 1.0 / total, slope)
            new_constants[j, c] = top + np.log(total) - dot(slope, at[j])
    return new_constants, new_slopes


@compiled
def aimed(margins: Array, normals: Array, slopes: Array, factor: Array, to_come: Array) -> Array:
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
            size = SIZES[c] * max(margins[j], WIDTH * deviation)
            add(shift, size - dot(y, shift), along)
    return shifts
