"""A second opinion before a verdict by the model: what every option's own outcomes say.

The answer would be wrong if an option were so much better (or worse) than the model says that it changed the
place it has in the answer. So for each option there is a dangerous side: for a rival of the best, logits that
reach the leader's; for the leader, those that fall to its nearest rival. An option passes when an exact
binomial test by its own outcomes rejects a logit there that is off the fitted one by the tolerance at the
least: where the fitted margin is smaller than that, nobody's own outcomes could tell.

Where options have equal features the model assumes them to be equal. Then the outcomes of the one that leads
take the place of the fit.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, expit, logit

from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.logistic.kernels import mean
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

TOLERANCE = 0.5  # logits
EQUAL = 0.15  # the same for options with equal features, of which the model says nothing
# The tolerance on both sides where it is not the options themselves that are compared: so many logits, or
# that much of a rate, whichever is more. Near 0 and 1 a logit is next to nothing.
UNCOMPARED = 1.0
UNCOMPARED_RATE = 0.1
LEVEL = 0.1  # of the test of each option
POWER = 4.5  # (1.282 + 0.842)^2: so many standard errors, squared, and four tests in five reject


@dataclass(frozen=True)
class Opinion:
    """Which options have not passed, and about how many trials of their own that takes."""

    open: Indices
    missing: float

    def and_of(self, suspects: Indices, tally: Tally) -> "Opinion":
        """The same, with these options to be tried as well: by half as often again as they were."""
        wanted = float((1.0 + 0.5 * tally.trials[suspects]).sum())
        return Opinion(np.union1d(self.open, suspects), self.missing + wanted)


def second_opinion(tally: Tally, low: Array, high: Array, fitted: Array) -> Opinion:
    """Test every option against both ends of where its logit should lie; infinite ends need no test."""
    tried, shapes = _to_test(tally.trials, tally.successes, low, high)
    chances = betainc(*shapes) if len(tried) else np.empty(0)
    return Opinion(*_not_passed(tally.trials, tally.successes, low, high, fitted, tried, chances))


@compiled
def _to_test(n: Array, r: Array, low: Array, high: Array) -> tuple[Indices, Array]:
    """The options that were tried, and what to ask the incomplete beta function for.

    Of the others nothing can be rejected, and among very many these are most. First for all the probability
    of at most ``r`` successes at the upper end, then of at least as many at the lower one.
    """
    tried = np.flatnonzero(n)
    shapes = np.empty((3, 2 * tried.size))
    for i, k in enumerate(tried):
        failures = n[k] - r[k]
        shapes[0, i], shapes[1, i], shapes[2, i] = max(failures, 1e-9), r[k] + 1.0, mean(-high[k])
        j = tried.size + i
        shapes[0, j], shapes[1, j], shapes[2, j] = max(r[k], 1e-9), failures + 1.0, mean(low[k])
    return tried, shapes


@compiled
def _not_passed(
    n: Array, r: Array, low: Array, high: Array, fitted: Array, tried: Indices, chances: Array
) -> tuple[Indices, float]:
    """The options that have not passed, and about how many trials they need."""
    above = np.empty(n.size, dtype=np.bool_)  # whether it may lie beyond its upper end,
    below = np.empty(n.size, dtype=np.bool_)  # and beyond the lower one
    for j in range(n.size):
        above[j] = high[j] < np.inf
        below[j] = low[j] > -np.inf
    for i, k in enumerate(tried):
        above[k] &= r[k] == n[k] or chances[i] > LEVEL
        below[k] &= r[k] == 0.0 or chances[tried.size + i] > LEVEL
    missing = 0.0
    still = np.flatnonzero(above | below)
    for k in still:
        end = mean(high[k] if above[k] else low[k])
        need = POWER * end * (1.0 - end) / max((end - mean(fitted[k])) ** 2, 1e-12)
        missing += max(need - n[k], 1.0 + 0.1 * n[k])
    return still, missing


def around(fitted: Array) -> tuple[Array, Array]:
    """Between which logits each option has to lie where it is not the options that are compared."""
    rates = expit(fitted)
    low = np.minimum(fitted - UNCOMPARED, logit(np.maximum(rates - UNCOMPARED_RATE, 0.0)))
    high = np.maximum(fitted + UNCOMPARED, logit(np.minimum(rates + UNCOMPARED_RATE, 1.0)))
    return low, high


def bounds(compared: Comparisons, fitted: Array, own: Array, group: Indices) -> tuple[Array, Array]:
    """Between which logits each option has to lie, so that the answer holds within the tolerance.

    Parameters
    ----------
    compared
        The alternatives to the answer.
    fitted, own
        The logits of the options by the model, and by their own outcomes.
    group
        Equal numbers for options with equal features.
    """
    return _bounds(compared.high, compared.low, compared.offset, fitted, own, group, TOLERANCE)


@compiled
def _bounds(
    high: Indices,
    low: Indices,
    offset: Array,
    fitted: Array,
    own: Array,
    group: Indices,
    tolerance: float,
) -> tuple[Array, Array]:
    least = np.full(fitted.size, -np.inf)
    most = np.full(fitted.size, np.inf)
    for j in range(offset.size):
        i = high[j]
        k = low[j]
        above = fitted[i] if i >= 0 else 0.0
        below = fitted[k] if k >= 0 else 0.0
        equal = i >= 0 and k >= 0 and group[i] == group[k]
        if k >= 0:
            up = own[i] + EQUAL if equal else max(above - offset[j], below + tolerance)
            most[k] = min(most[k], up)
        if i >= 0:
            down = own[k] - EQUAL if equal else min(below + offset[j], above - tolerance)
            least[i] = max(least[i], down)
    return least, most
