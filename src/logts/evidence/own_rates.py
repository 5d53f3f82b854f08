"""Rates of the arms by their own outcomes, with intervals that hold for all of them and at all times.

The forecasts of Krichevsky and Trofimov, which know one arm only, earn ``KT = log B(r + 1/2, n - r + 1/2) /
B(1/2, 1/2)``. At the true rate p ``exp(KT - l(p))`` is a martingale: the rates at which it has not reached
``K/delta`` contain the true ones of all K arms, at all times.

The lower end is where ``l(p) = r log p + (n - r) log(1 - p)`` comes up to ``line = KT - log(K/delta)``. In
``u = log p`` it lies between ``line / r``, where the first term alone is at the line, and ``log(r/n)``, where
l is largest. The upper end is the lower one of the failures, so that a rate next to 1 is told as well as one
next to 0.
"""

import math
from collections.abc import Sequence

import numpy as np

from logts.evidence.intervals import Rate, RateList
from logts.evidence.sides import earned
from logts.evidence.tally import Tally
from logts.tools.algebra import Array
from logts.tools.compiling import compiled

STEPS = 200  # halvings: each takes one bit, and a float has 53


def own_rates(names: Sequence[str], tally: Tally, delta: float) -> RateList:
    """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
    price = math.log(len(names) / delta)
    found = _intervals(tally.trials, tally.successes, price)
    return RateList(Rate(name, *ends) for name, ends in zip(names, found.tolist(), strict=True))


@compiled
def _intervals(trials: Array, successes: Array, price: float) -> Array:
    """For each arm the ends of the rates at which its log-likelihood is still above the line, and between."""
    lines = earned(trials, successes) - price
    out = np.empty((trials.size, 3))
    for k in range(trials.size):
        n = trials[k]
        r = successes[k]
        out[k, 0] = _low(n, r, lines[k]) if n > 0.0 else 0.0
        out[k, 1] = r / n if n > 0.0 else 0.5
        out[k, 2] = 1.0 - _low(n, n - r, lines[k]) if n > 0.0 else 1.0
    return out


@compiled
def _low(n: float, r: float, line: float) -> float:
    """The smallest of these rates, from below: too small by a rounding at most."""
    if r == 0.0:
        return 0.0
    below = line / r
    above = np.log(r / n)
    if r == n or not below < above:
        return np.exp(min(below, above))
    for _ in range(STEPS):
        u = 0.5 * (below + above)
        if not below < u < above:
            break
        if r * u + (n - r) * np.log(-np.expm1(u)) < line:
            below = u
        else:
            above = u
    return np.exp(below)
