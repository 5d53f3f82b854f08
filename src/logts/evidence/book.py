"""The bets of a wealth as compiled code reads them: which of them serve a half-space, and what they prove."""

from typing import NamedTuple

import numpy as np

from logts.evidence.least import Centre, Seen, least_wealth
from logts.evidence.shift import Bets, Since, stakes_of
from logts.tools.algebra import Array, Indices
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
        elif book.offsets[row] == asked.offsets[j]:
            same = True
            for i in range(book.normals.shape[1]):
                same &= book.normals[row, i] == asked.normals[j, i]
            if same:
                return row
    return rows


@compiled
def least_each(
    seen: Seen, since: Since, book: Book, asked: Asked, centre: Centre, ends: tuple[float, float]
) -> Array:
    """Proven lower bounds on log M over half-spaces, one after the other, by the bets that serve them.

    ``ends`` are what is enough, and a goal: see :meth:`logts.evidence.wealth.Wealth.weigh`.
    """
    enough, goal = ends
    only_least = goal < np.inf
    rows = book.offsets.size
    none = np.empty((0, centre.theta.size))
    out = np.full(asked.offsets.size, np.inf)
    for j in range(asked.offsets.size):
        row = _row(book, asked, j)
        cash = book.cash[row if row < rows or asked.accounts.size > 0 or rows == 0 else 0]
        if row < rows:
            chosen = book.constants[row], book.slopes[row], book.shifts[row]
        else:
            chosen = none[:, 0].copy(), none, none
        bets = Bets(chosen[0], chosen[1], chosen[2], book.low, book.high)
        stakes = stakes_of(seen.points, since, bets)
        out[j] = least_wealth(seen, stakes, cash, asked.normals[j], asked.offsets[j], centre, goal)
        if out[j] < enough:
            break
        if only_least:
            goal = min(goal, out[j])
    return out
