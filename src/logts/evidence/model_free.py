"""Evidence that needs no model: items compared by their own outcomes.

For arm i with n trials and r successes let ``KT_i = log B(r + 1/2, n - r + 1/2) / B(1/2, 1/2)`` (Krichevsky and Trofimov), the
score of forecasts that know this arm only. For a comparison of i with k, ``exp(KT_i + KT_k - l_i(a) - l_k(b))`` is a martingale
at the true logits a, b; so ``KT_i + KT_k - sup of l_i + l_k over the alternative`` is evidence against it, and a union bound over
the comparisons that could be true makes it hold for all of them.
"""

import math

import numpy as np
from scipy.special import betaln

from logts.alternatives import Comparisons
from logts.logistic.kernels import damping, log1pexp, mean, shortfall, slope
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled


def evidence(comparisons: Comparisons, trials: Array, successes: Array) -> tuple[float, int]:
    """Evidence against all alternatives at once (stop above ``log(1/delta)``), and the comparison that is hardest to settle."""
    values = _each(comparisons, trials, successes)
    hardest = int(np.argmin(values))
    return float(values[hardest]) - math.log(comparisons.union), hardest


def each_comparison(comparisons: Comparisons, trials: Array, successes: Array) -> Array:
    """Evidence against each alternative, valid for all of them at once: :func:`evidence` is the smallest."""
    return _each(comparisons, trials, successes) - math.log(comparisons.union)


def _each(comparisons: Comparisons, trials: Array, successes: Array) -> Array:
    scores = betaln(successes + 0.5, trials - successes + 0.5) - math.log(math.pi)
    return _against(comparisons.high, comparisons.low, comparisons.offset, trials, successes, scores)


@compiled
def _log_likelihood(n: float, r: float, x: float) -> float:
    return -(r * log1pexp(-x) + (n - r) * log1pexp(x)) if n > 0.0 else 0.0


@compiled
def _against(high: Indices, low: Indices, offset: Array, trials: Array, successes: Array, scores: Array) -> Array:
    out = np.empty(high.size)
    for j in range(high.size):
        i, k, c = high[j], low[j], offset[j]
        if k < 0:
            rises, best = trials[i] > 0.0 and successes[i] / trials[i] > mean(c), _log_likelihood(trials[i], successes[i], c)
            out[j] = scores[i] - best if rises else 0.0
        elif i < 0:
            rises, best = trials[k] > 0.0 and successes[k] / trials[k] < mean(-c), _log_likelihood(trials[k], successes[k], -c)
            out[j] = scores[k] - best if rises else 0.0
        else:
            out[j] = scores[i] + scores[k] - _boundary(trials[i], successes[i], trials[k], successes[k], c)
    return out


@compiled
def _boundary(n: float, r: float, m: float, s: float, c: float) -> float:
    """Proven bound on the log-likelihood of two arms over ``logit_i - logit_k <= c``; zero, the trivial one, if they lie inside."""
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
