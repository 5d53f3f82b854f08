"""Turning bets, in compiled code: close those that are open, and open them on the rivals of now.

Which rivals, and when: :mod:`logts.evidence.placing`.
"""

from typing import NamedTuple

import numpy as np

from logts.evidence.book import Asked, Book, alike
from logts.evidence.least import projection
from logts.evidence.shift import Bets, Since, tangent
from logts.logistic.fit import information
from logts.tools.algebra import (
    Array,
    Indices,
    add,
    assign,
    assign_all,
    cholesky,
    dot,
    solve_lower,
    solve_upper,
    squared_norms,
)
from logts.tools.compiling import compiled

SHARE = 0.15  # of the cash of an account, each time
SIZES = np.array([0.7])  # of the margin that is seen
WIDTH = 1.0  # standard deviations that a margin counts as at the least
LATEST = 0.9  # the allocation to come is expected to be that of the latest trials, the rest that of all
WIDE = 2.0  # standard deviations around a logit in which bets are at their best


class Latest(NamedTuple):
    """What was seen since bets were opened, and the estimate from which they are aimed.

    ``factor`` is that of the information of all trials, ``to_come`` that of as many again.
    """

    points: Array
    since: Since
    theta: Array
    factor: Array
    to_come: Array


@compiled
def informations(
    points: Array, trials: Array, recent: Array, theta: Array, prior: Array
) -> tuple[Array, Array, bool]:
    """Factors of the information of all trials, and of as many again if they are chosen as of late."""
    total = trials.sum()
    latest = LATEST * total / max(recent.sum(), 1.0)
    expected = np.empty(trials.size)
    for k in range(trials.size):
        expected[k] = latest * recent[k] + (1.0 - LATEST) * trials[k]
    factor = information(points, trials, theta)
    to_come = information(points, expected, theta)
    for i in range(theta.size):
        add(factor[i], 1.0, prior[i])
        add(to_come[i], 1e-9, prior[i])
    regular = cholesky(factor)
    return factor, to_come, cholesky(to_come) and regular


@compiled
def ends(points: Array, theta: Array, factor: Array) -> tuple[Array, Array]:
    """The logits of each arm between which bets are to be at their best."""
    widths = squared_norms(points, factor)
    low = np.empty(widths.size)
    high = np.empty(widths.size)
    for k in range(widths.size):
        width = WIDE * np.sqrt(widths[k])
        logit = dot(points[k], theta)
        low[k] = logit - width
        high[k] = logit + width
    return low, high


@compiled
def turn(seen: Latest, old: Book, rivals: Asked, shares: Array) -> tuple[Indices, Array, Array, Array, Array]:
    """Close all bets and open them on new rivals.

    Returns the old rows that concern none of these, and the cash, constants, slopes and shifts of the new
    rows, and behind them of the idle ones, which keep what they earned.
    """
    points, since, theta, factor, to_come = seen
    count = rivals.offsets.size
    cash, parts, idle = _flows(old, rivals, shares)
    at = projections(theta, factor, rivals.normals, rivals.offsets)
    closed_at = projections(theta, factor, old.normals, old.offsets)
    for i in range(old.offsets.size):
        for j in range(count):
            if parts[i, j] > 0.0:
                assign(closed_at[i], 1.0, at[np.argmax(parts[i])])
                break
    constants = old.constants.copy()
    slopes = old.slopes.copy()
    close(points, since, constants, slopes, old.shifts, old.low, old.high, closed_at)
    fresh = np.empty(count)
    for j in range(count):
        fresh[j] = shares[j] * SHARE * np.exp(cash[j]) / SIZES.size
        cash[j] += np.log(1.0 - SHARE)
    new_constants = np.empty((count + idle.size, SIZES.size))
    new_slopes = np.empty((count + idle.size, SIZES.size, theta.size))
    shifts = np.zeros(new_slopes.shape)
    found, sloped = moved(constants, slopes, parts, fresh, at)
    assign_all(new_constants[:count], found)
    assign_all(new_slopes[:count], sloped)
    margins = np.empty(count)
    for j in range(count):
        margins[j] = dot(rivals.normals[j], theta) - rivals.offsets[j]
    assign_all(shifts[:count], aimed(margins, rivals.normals, new_slopes[:count], factor, to_come))
    for i in range(idle.size):
        cash[count + i] = old.cash[idle[i]]
        assign(new_constants[count + i], 1.0, constants[idle[i]])
        assign_all(new_slopes[count + i], slopes[idle[i]])
    return idle, cash, new_constants, new_slopes, shifts


@compiled
def _flows(old: Book, rivals: Asked, shares: Array) -> tuple[Array, Array, Indices]:
    """The cash of each new row, which part of each old row goes to it, and the old rows that stay.

    A row goes to the same half-space; if that is no rival any more, to those in the same account. The parts
    of a row add up to one at most: where options have equal features the same half-space comes several times.
    The cash has room for the rows that stay.
    """
    count = rivals.offsets.size
    rows = old.offsets.size
    cash = np.full(count + rows, old.cash[rows])
    parts = np.zeros((rows, count))
    idle = np.empty(rows, dtype=np.intp)
    left = 0
    for i in range(rows - 1, -1, -1):  # of several rows in an account the first has its cash
        same = 0
        within = False
        for j in range(count):
            if old.accounts[i] == rivals.accounts[j]:
                within = True
                cash[j] = old.cash[i]
                same += alike(old, i, rivals, j)
        for j in range(count):
            if old.accounts[i] == rivals.accounts[j]:
                parts[i, j] = alike(old, i, rivals, j) / same if same > 0 else shares[j]
        if not within:
            idle[left] = i
            left += 1
    return cash[: count + left], parts, idle[:left][::-1].copy()


@compiled
def projections(theta: Array, factor: Array, normals: Array, offsets: Array) -> Array:
    """The point of each boundary that is nearest to theta."""
    out = np.empty(normals.shape)
    for j in range(offsets.size):
        assign(out[j], 1.0, projection(theta, factor, normals[j], offsets[j]))
    return out


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
    slope = np.empty(points.shape[1])
    tried = np.flatnonzero(since.trials)
    there = points[tried]
    lately = Since(since.trials[tried], since.successes[tried], since.scores[tried])
    least = low[tried]
    most = high[tried]
    for j in range(at.shape[0]):
        bets = Bets(constants[j], slopes[j], shifts[j], least, most)
        for c in range(constants.shape[1]):
            if constants[j, c] > -np.inf:
                value = tangent(there, lately, bets, c, at[j], slope)
                assign(slopes[j, c], 1.0, slope)
                constants[j, c] = value - dot(slope, at[j])


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
