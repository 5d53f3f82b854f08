"""Evidence that needs no model: items compared by their own outcomes.

For arm i with n trials and r successes let ``KT_i = log B(r + 1/2, n - r + 1/2) / B(1/2, 1/2)`` (Krichevsky
and Trofimov), the score of forecasts that know this arm only. For a comparison of i with k, ``exp(KT_i + KT_k
- l_i(a) - l_k(b))`` is a martingale at the true logits a, b; so ``KT_i + KT_k - sup of l_i + l_k over the
alternative`` is evidence against it, and a union bound over the comparisons that could be true makes it hold
for all of them.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, xlog1py, xlogy

from logts.alternatives import Comparisons
from logts.evidence.intervals import Rate
from logts.evidence.tally import Tally
from logts.logistic.kernels import damping, log1pexp, mean, shortfall, slope
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled


def evidence(comparisons: Comparisons, tally: Tally) -> tuple[float, int]:
    """Evidence against all alternatives (stop above ``log(1/delta)``), and the hardest comparison."""
    values = _each(comparisons, tally)
    hardest = int(np.argmin(values))
    return float(values[hardest]) - math.log(comparisons.union), hardest


def each_comparison(comparisons: Comparisons, tally: Tally) -> Array:
    """Evidence against each alternative, valid for all of them at once: :func:`evidence` is the smallest."""
    return _each(comparisons, tally) - math.log(comparisons.union)


def own_rates(names: tuple[str, ...], tally: Tally, delta: float) -> list[Rate]:
    """Rates of the arms with intervals that hold for all of them and at all times, without the model."""
    lines = _scores(tally) - math.log(len(names) / delta)
    return [
        _rate(name, trials, successes, line)
        for name, trials, successes, line in zip(names, tally.trials, tally.successes, lines, strict=True)
    ]


def _scores(tally: Tally) -> Array:
    """``KT`` of every arm."""
    return betaln(tally.successes + 0.5, tally.trials - tally.successes + 0.5) - math.log(math.pi)


def _rate(name: str, n: float, r: float, line: float) -> Rate:
    """The rates of one arm at which its log-likelihood is still above the line."""
    if n == 0.0:
        return Rate(name, 0.0, 0.5, 1.0)

    def height(p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p) - line)

    low = brentq(height, 1e-300, r / n) if r > 0.0 else 0.0
    high = brentq(height, r / n, 1.0 - 1e-16) if r < n else 1.0
    return Rate(name, low, r / n, high)


def _each(comparisons: Comparisons, tally: Tally) -> Array:
    compared = comparisons.high, comparisons.low, comparisons.offset
    return _against(*compared, tally.trials, tally.successes, _scores(tally))


@compiled
def _log_likelihood(n: float, r: float, x: float) -> float:
    return -(r * log1pexp(-x) + (n - r) * log1pexp(x)) if n > 0.0 else 0.0


@compiled
def _against(
    high: Indices, low: Indices, offset: Array, trials: Array, successes: Array, scores: Array
) -> Array:
    out = np.empty(high.size)
    for j in range(high.size):
        i = high[j]
        k = low[j]
        c = offset[j]
        if k < 0:
            rises = trials[i] > 0.0 and successes[i] / trials[i] > mean(c)
            out[j] = scores[i] - _log_likelihood(trials[i], successes[i], c) if rises else 0.0
        elif i < 0:
            rises = trials[k] > 0.0 and successes[k] / trials[k] < mean(-c)
            out[j] = scores[k] - _log_likelihood(trials[k], successes[k], -c) if rises else 0.0
        else:
            out[j] = scores[i] + scores[k] - _boundary(trials[i], successes[i], trials[k], successes[k], c)
    return out


@compiled
def _boundary(n: float, r: float, m: float, s: float, c: float) -> float:
    """Proven bound on the log-likelihood of two arms over ``logit_i - logit_k <= c``.

    Zero, the trivial one, if inside.
    """
    if n == 0.0 or m == 0.0 or r + s == 0.0 or r + s == n + m:
        return 0.0
    start = (r + s) / (n + m)
    x = np.log(start / (1.0 - start)) - 0.5 * c  # the logit of k; that of i is x + c
    reached = np.inf
    for _ in range(100):
        pull = r + s - n * mean(x + c) - m * mean(x)
        curvature = n * slope(x + c) + m * slope(x)
        reached = shortfall(abs(pull) / np.sqrt(curvature), 1.0 / np.sqrt(curvature))
        if reached <= 1e-9:
            break
        move = pull / curvature
        x += np.sign(move) * damping(abs(move)) * abs(move)
    outward = r - n * mean(x + c)  # the likelihood rises across the boundary, out of the alternative
    if not reached <= 1e-9 or outward < 0.0:
        return 0.0
    return min(0.0, _log_likelihood(n, r, x + c) + _log_likelihood(m, s, x) + reached)
