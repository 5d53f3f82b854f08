"""Rates of the arms by their own outcomes, with intervals that hold for all of them and at all times.

The forecasts of Krichevsky and Trofimov, which know one arm only, earn ``KT = log B(r + 1/2, n - r + 1/2) /
B(1/2, 1/2)``. At the true rate p ``exp(KT - l(p))`` is a martingale: the rates at which it has not reached
``K/delta`` contain the true ones of all K arms, at all times.
"""

import math

from scipy.optimize import brentq
from scipy.special import xlog1py, xlogy

from logts.evidence.intervals import Rate
from logts.evidence.sides import scores
from logts.evidence.tally import Tally


def own_rates(names: tuple[str, ...], tally: Tally, delta: float) -> list[Rate]:
    """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
    lines = scores(tally) - math.log(len(names) / delta)
    return [
        _rate(name, trials, successes, line)
        for name, trials, successes, line in zip(names, tally.trials, tally.successes, lines, strict=True)
    ]


def _rate(name: str, n: float, r: float, line: float) -> Rate:
    """The rates of one arm at which its log-likelihood is still above the line."""
    if n == 0.0:
        return Rate(name, 0.0, 0.5, 1.0)

    def height(p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p) - line)

    low = brentq(height, 1e-300, r / n) if r > 0.0 else 0.0
    high = brentq(height, r / n, 1.0 - 1e-16) if r < n else 1.0
    return Rate(name, low, r / n, high)
