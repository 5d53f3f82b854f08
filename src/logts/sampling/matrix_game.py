"""Small matrix games by the simplex method: one in each round of a sampling rule."""

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

GRAIN = 1e-11  # the game is scaled to values between 1 and 2


@compiled
def best_mixture(pay: Array, z: Array) -> None:
    """Overwrite ``z`` with a mixture of columns that maximises the least of ``pay @ z``.

    With the game scaled to values above 1, nature's side is: maximise ``sum p`` subject to ``pay' p <= 1``,
    ``p >= 0``. The tableau has a row for each column of ``pay`` and one for the objective, in which the
    duals, that is z, stand at the end.
    """
    rivals, arms = pay.shape
    low = least_of(pay.ravel())
    high = -least_of(-pay.ravel())
    z[:] = 0.0
    if rivals == 1 or not high > low:
        z[int(np.argmax(pay[0]))] = 1.0
        return
    table = np.ones((arms + 1, rivals + 1))
    table[arms, rivals] = 0.0
    for i in range(rivals):
        table[arms, i] = -1.0
        for k in range(arms):
            table[k, i] = 1.0 + (pay[i, k] - low) / (high - low)
    # variables: p first, then the slacks, one for each arm
    rows = np.arange(rivals, rivals + arms)
    columns = np.arange(rivals)
    for step in range(50 * (arms + rivals)):
        row, column = _choose(table, rows, columns, step > 10 * rivals)
        if row < 0:
            break
        _pivot(table, row, column)
        rows[row], columns[column] = columns[column], rows[row]
    for i in range(rivals):
        if columns[i] >= rivals:
            z[columns[i] - rivals] = max(table[arms, i], 0.0)
    z /= z.sum()


@compiled
def _choose(table: Array, rows: Indices, columns: Indices, slowly: bool) -> tuple[int, int]:
    """Which variables change places; -1 at the optimum.

    The steepest may enter, or ``slowly`` the first: that never cycles.
    """
    arms = table.shape[0] - 1
    rivals = table.shape[1] - 1
    column = -1
    for i in range(rivals):
        better = column < 0 or (
            columns[i] < columns[column] if slowly else table[arms, i] < table[arms, column]
        )
        if better and table[arms, i] < -GRAIN:
            column = i
    row = -1
    least = np.inf
    for k in range(arms if column >= 0 else 0):
        if table[k, column] > GRAIN:
            ratio = table[k, rivals] / table[k, column]
            if ratio < least - GRAIN or (ratio < least + GRAIN and rows[k] < rows[row]):
                row = k
                least = min(ratio, least)
    return row, column


@compiled
def _pivot(table: Array, row: int, column: int) -> None:
    """Exchange a basic and a nonbasic variable, in a tableau without the columns of the basic ones."""
    pivot = table[row, column]
    table[row, column] = 1.0
    for j in range(table.shape[1]):
        table[row, j] /= pivot
    for i in range(table.shape[0]):
        share = table[i, column]
        if i != row and share != 0.0:
            table[i, column] = 0.0
            for j in range(table.shape[1]):
                table[i, j] -= share * table[row, j]


@compiled
def least_of(values: Array) -> float:
    """The smallest value. NumPy's own takes most of a second to compile."""
    least = np.inf
    for value in values:
        least = min(least, value)
    return least
