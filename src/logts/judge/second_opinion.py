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
from logts.tools.algebra import Array, Indices

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
    n = tally.trials
    too_high = np.isfinite(high)
    too_low = np.isfinite(low)
    tried = np.flatnonzero(n)  # of the others nothing can be rejected, and among very many these are most
    above, below = _chances(n[tried], tally.successes[tried], low[tried], high[tried])
    too_high[tried] &= above > LEVEL
    too_low[tried] &= below > LEVEL
    still = np.flatnonzero(too_high | too_low)
    nearer = np.where(too_high, high, low)[still]
    ends, rates = expit(nearer), expit(fitted[still])
    need = POWER * ends * (1.0 - ends) / np.maximum((ends - rates) ** 2, 1e-12)
    missing = np.maximum(need - n[still], 1.0 + 0.1 * n[still])
    return Opinion(still, float(missing.sum()))


def _chances(n: Array, r: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The probability of at most ``r`` successes at the upper ends, and of at least as many at the lower."""
    above = np.where(r < n, betainc(np.maximum(n - r, 1e-9), r + 1.0, expit(-high)), 1.0)
    below = np.where(r > 0, betainc(np.maximum(r, 1e-9), n - r + 1.0, expit(low)), 1.0)
    return above, below


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
    high, low, offset = compared.high, compared.low, compared.offset
    most = np.full(len(fitted), np.inf)
    least = np.full(len(fitted), -np.inf)
    equal = (high >= 0) & (low >= 0) & (group[high] == group[low])
    above = np.where(high < 0, 0.0, fitted[high])
    below = np.where(low < 0, 0.0, fitted[low])
    up = np.where(equal, own[high] + EQUAL, np.maximum(above - offset, below + TOLERANCE))
    down = np.where(equal, own[low] - EQUAL, np.minimum(below + offset, above - TOLERANCE))
    np.minimum.at(most, low[low >= 0], up[low >= 0])
    np.maximum.at(least, high[high >= 0], down[high >= 0])
    return least, most
