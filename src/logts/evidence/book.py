"""The bets of a wealth as compiled code reads them: which of them serve a half-space, and what they prove."""

from typing import NamedTuple

import numpy as np

from logts.alternatives.half_spaces import distances_to
from logts.evidence.least import Centre, Seen, least_wealth, log_wealth, projection
from logts.evidence.screening import surely_more
from logts.evidence.shift import Bets, Since, Stakes, stakes_of
from logts.logistic.fit import information
from logts.logistic.newton import reach, screening_distance
from logts.tools.algebra import Array, Indices, cholesky
from logts.tools.compiling import compiled


class Book(NamedTuple):
    """The bets of a wealth for compiled code; behind the cash of each row that of an account without any."""

    accounts: Indices
    cash: Array
    normals: Array
    offsets: Array
    constants: Array
    slopes: Array
    shifts: Array
    low: Array
    high: Array


class Asked(NamedTuple):
    """Half-spaces for compiled code; ``accounts`` is empty where all share one."""

    normals: Array
    offsets: Array
    accounts: Indices


@compiled
def _row(book: Book, asked: Asked, j: int) -> int:
    """The row of the bets that serve a half-space, one past the last if there are none.

    In an account of its own these are all that it has; in a shared one those on that half-space.
    """
    rows = book.offsets.size
    for row in range(rows):
        if asked.accounts.size > 0:
            if book.accounts[row] == asked.accounts[j]:
                return row
        elif alike(book, row, asked, j):
            return row
    return rows


@compiled
def alike(book: Book, row: int, asked: Asked, j: int) -> bool:
    """Whether the half-space of a row is that one."""
    same = book.offsets[row] == asked.offsets[j]
    for i in range(book.normals.shape[1]):
        same &= book.normals[row, i] == asked.normals[j, i]
    return same


@compiled
def _stakes(seen: Seen, since: Since, book: Book, asked: Asked, j: int) -> tuple[Stakes, float]:
    """The bets that serve a half-space, and the logarithm of the cash beside them."""
    rows = book.offsets.size
    row = _row(book, asked, j)
    cash = book.cash[row if row < rows or asked.accounts.size > 0 or rows == 0 else 0]
    if row < rows:
        bets = Bets(book.constants[row], book.slopes[row], book.shifts[row], book.low, book.high)
    else:
        none = np.empty((0, seen.points.shape[1]))
        bets = Bets(np.empty(0), none, none, book.low, book.high)
    return stakes_of(seen.points, since, bets), cash


@compiled
def _least(seen: Seen, since: Since, book: Book, asked: Asked, j: int, centre: Centre, goal: float) -> float:
    """A proven lower bound on log M over one half-space, by the bets that serve it."""
    stakes, cash = _stakes(seen, since, book, asked, j)
    return least_wealth(seen, stakes, cash, asked.normals[j], asked.offsets[j], centre, goal)


@compiled
def glances(
    seen: Seen, since: Since, book: Book, asked: Asked, theta: Array, factor: Array, enough: float
) -> tuple[float, int]:
    """Log M where the boundary of a half-space is nearest to the fit, and which: the first with too little.

    The least there is not more. If all have enough, that of the first.
    """
    first = np.inf
    for j in range(asked.offsets.size):
        stakes, cash = _stakes(seen, since, book, asked, j)
        at = projection(theta, factor, asked.normals[j], asked.offsets[j])
        value = log_wealth(seen, stakes, cash, at, at[:0], np.empty((0, 0)))
        if value < enough:
            return value, j
        first = value if j == 0 else first
    return first, 0


@compiled
def least_each(
    seen: Seen, since: Since, book: Book, asked: Asked, centre: Centre, ends: tuple[float, float]
) -> Array:
    """Proven lower bounds on log M over half-spaces, one after the other.

    ``ends`` are what is enough, and a goal: see :meth:`logts.evidence.wealth.Wealth.weigh`.
    """
    enough, goal = ends
    only_least = goal < np.inf
    out = np.full(asked.offsets.size, np.inf)
    for j in range(asked.offsets.size):
        if only_least and surely_more(seen, asked.normals[j], asked.offsets[j], centre, goal):
            continue
        out[j] = _least(seen, since, book, asked, j, centre, goal)
        if out[j] < enough:
            break
        if only_least:
            goal = min(goal, out[j])
    return out


@compiled
def least_of_all(
    seen: Seen, since: Since, book: Book, asked: Asked, theta: Array, alone: float, enough: float
) -> tuple[float, int, bool]:
    """A proven lower bound on log M over all of a few half-spaces, and where it lies; -1 without proof.

    All in one call, for looks that come often. The nearest first: if a glance at it shows that there is less
    than enough, that is what comes back, with False. When the forecast alone proves that one has more than
    the least so far, so have those behind it.
    """
    points = seen.points
    factor = information(points, seen.trials, theta)
    if not cholesky(factor):
        return -np.inf, -1, False
    distances = distances_to(asked.normals, asked.offsets, theta, factor)
    if enough < np.inf:
        nearest = int(np.argmin(distances))
        one = slice(nearest, nearest + 1)
        first = Asked(asked.normals[one], asked.offsets[one], asked.accounts[one])
        value, _ = glances(seen, since, book, first, theta, factor, enough)
        if value < enough:
            return value, nearest, False
    centre = Centre(theta, factor, reach(points, seen.trials, factor), alone)
    least = np.inf
    limit = np.inf
    at = -1
    for _ in range(distances.size):
        j = int(np.argmin(distances))  # of those left the nearest
        if distances[j] > limit:
            break
        distances[j] = np.inf
        value = _least(seen, since, book, asked, j, centre, least)
        if value < least:
            least = value
            at = j
            limit = screening_distance(max(least - alone, 0.0), centre.reach)
    return least, at, True
