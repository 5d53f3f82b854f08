"""Which term would mend a model that does not fit: score tests of terms that are not in it.

A term adds columns G to the features X. If it were needless, ``U = G'(r - n mu)`` would be normal around zero
with the variance ``G'WG - G'WX (X'WX)^-1 X'WG``, ``W = n mu'``, and ``U'V^-1 U`` chi-squared. Of the terms
that explain nearly as much as the best one, that with the fewest columns is suggested.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import chdtrc, expit

from logts.arms import Arms
from logts.evidence.tally import Tally
from logts.tools.algebra import Array

WIDEST = 12  # features of which products are tried
CLEAR = 0.01  # the p-value above which no term is suggested
NEARLY = 0.9  # of the largest statistic


def mending_term(arms: Arms, tally: Tally, theta: Array) -> str | None:
    """The term that would explain most of the misfit at a fit, as a formula writes it; None if none does."""
    rates = expit(arms.points @ theta)
    weights = tally.trials * rates * (1.0 - rates)
    residual = tally.successes - tally.trials * rates
    root = np.sqrt(weights)[:, None]
    inside, _ = np.linalg.qr(root * arms.points)
    found: list[tuple[float, int, str]] = []
    for label, columns in _terms(arms):
        beyond = root * columns
        beyond = beyond - inside @ (inside.T @ beyond)
        parts, sizes, _ = np.linalg.svd(beyond, full_matrices=False)
        parts = parts[:, sizes > 1e-8 * max(1.0, float(np.linalg.norm(root * columns)))]
        width = parts.shape[1]
        if width:
            pulled = parts.T @ (residual / np.maximum(root[:, 0], 1e-300))
            statistic = float(pulled @ pulled)
            if chdtrc(width, statistic) < CLEAR:
                found.append((statistic, width, label))
    if not found:
        return None
    most = max(statistic for statistic, _, _ in found)
    near = [(width, -statistic, label) for statistic, width, label in found if statistic >= NEARLY * most]
    return min(near)[2]


def _terms(arms: Arms) -> Iterator[tuple[str, Array]]:
    """Terms that a formula could have: columns, their squares and categories, and products of two."""
    table = {name: [row.get(name) for row in arms.columns] for name in arms.columns[0]}
    single: dict[str, Array] = {}
    for name, values in table.items():
        if None in values or not 1 < len(set(values)) < len(arms):
            continue
        if all(isinstance(value, (int, float)) for value in values):
            number = np.array(values, dtype=float)[:, None]
            single[name] = number
            yield name, number
            if len(set(values)) > 2:
                yield f"I({name}**2)", number**2
                yield f"C({name})", _levels(values)
        else:
            single[name] = _levels(values)
            yield name, single[name]
    if not single and arms.features.shape[1] <= WIDEST:
        single = {f"feature {i}": column[:, None] for i, column in enumerate(arms.features.T, start=1)}
        for label, column in single.items():
            yield f"the square of {label}", column**2
    for (a, first), (b, second) in itertools.combinations(single.items(), 2):
        joined = (first[:, :, None] * second[:, None, :]).reshape(len(arms), -1)
        yield f"{a}:{b}" if arms.columns[0] else f"{a} times {b}", joined


def _levels(values: Sequence[object]) -> Array:
    """A column of zeros and ones for each level."""
    _, at = np.unique([str(value) for value in values], return_inverse=True)
    return np.eye(at.max() + 1)[at]
