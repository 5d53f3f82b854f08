"""Is there an estimate? Not if a direction separates the outcomes (Albert and Anderson 1984)."""

import numpy as np

from logts.tools.algebra import Array


def separating_direction(
    points: Array, trials: Array, successes: Array, normal: Array | None = None
) -> Array | None:
    """A direction along which the likelihood never falls and some outcome gets ever likelier, or None.

    The direction ``v`` has ``x.v >= 0`` for arms with successes only, ``x.v <= 0`` for arms with failures
    only, ``x.v = 0`` for arms with both (and ``normal.v = 0``), and is not zero on every arm tried. Found by
    a linear program, then checked.
    """
    from scipy.optimize import linprog  # takes a while, and is seldom needed

    tried = trials > 0
    x = points[tried]
    share = successes[tried] / trials[tried]
    mixed = (share > 0.0) & (share < 1.0)
    held = x[mixed] if normal is None else np.vstack([x[mixed], normal])
    free = _null_space(held, points.shape[1])
    signed = np.where(share[~mixed] == 1.0, 1.0, -1.0)[:, None] * x[~mixed] @ free
    size = np.linalg.norm(signed, axis=1)
    signed = signed[size > 1e-10 * np.linalg.norm(x[~mixed], axis=1)]
    if signed.size == 0:
        return None
    signed = signed / np.linalg.norm(signed, axis=1, keepdims=True)
    found = linprog(
        -signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1.0, 1.0), method="highs"
    )
    if found.status != 0:
        return None
    gains = signed @ found.x
    return np.asarray(free @ found.x) if gains.max() > 1e-6 and gains.min() >= -1e-8 else None


def _null_space(rows: Array, dimension: int) -> Array:
    if len(rows) == 0:
        return np.eye(dimension)
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    _, singular, right = np.linalg.svd(rows / np.where(size > 0, size, 1.0), full_matrices=True)
    rank = int((singular > 1e-10 * singular[0]).sum()) if singular[0] > 0 else 0
    return np.asarray(right[rank:].T)
