"""Evidence item by item: how sure it is that an answer has the place of each item right.

It holds for all items and times at once, whatever the answer: within the model all of it is read off one set,
``M < 1/delta``, which contains the truth at all times; without the model by a union bound, or accounts.
"""

import math
from collections.abc import Sequence

import numpy as np

from logts.alternatives import Alternatives, Comparisons, HalfSpaces
from logts.evidence.pairs import Pairs
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic.fit import maximum_likelihood
from logts.tools.algebra import Array

MOST = 2_000  # alternatives that are weighed one by one


def within_model(
    points: Array, tally: Tally, wealth: Wealth, alternatives: Alternatives, width: int
) -> dict[int, float]:
    """For each item the smallest log evidence against an alternative that concerns it.

    Empty if they are too many.

    ``alternatives`` live in all ``width`` coordinates of the items, of which the arms measure the first ones.
    """
    if len(alternatives) > MOST:
        return {}
    measured = points.shape[1]
    whole = np.eye(width)
    # All but pairs with equal features, which lie infinitely far away.
    listed = alternatives.take(alternatives.within(0.0 * whole[0], whole, np.finfo(float).max))
    unseen = listed.normals[:, measured:].any(axis=1)  # no arm measures these: they cannot be refuted
    seen = listed.take(np.flatnonzero(~unseen))
    fit = maximum_likelihood(points, tally.trials, tally.successes)
    half_spaces = HalfSpaces(seen.normals[:, :measured], seen.offsets, seen.about, seen.apart)
    evidence = np.full(len(listed), -math.inf)
    evidence[~unseen] = wealth.each(points, tally, fit, half_spaces)
    return _smallest(listed.about, evidence)


def without_model(compared: Comparisons, tally: Tally, bets: Pairs) -> dict[int, float]:
    """The same by the arms' own outcomes."""
    if not 0 < len(compared.high) <= MOST:
        return {}
    pairs = zip(compared.high.tolist(), compared.low.tolist(), strict=True)
    concerned = [tuple(i for i in pair if i >= 0) for pair in pairs]
    return _smallest(concerned, bets.evidence(compared, tally) - compared.price)


def _smallest(about: Sequence[tuple[int, ...]], values: Array) -> dict[int, float]:
    """For each item the smallest value of what is about it."""
    least: dict[int, float] = {}
    for concerned, value in zip(about, values.tolist(), strict=True):
        for item in concerned:
            least[item] = min(least.get(item, math.inf), value)
    return least
