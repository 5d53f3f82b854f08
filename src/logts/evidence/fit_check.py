"""Does the model fit? Two questions: is it refuted, and how likely is it that some option is off it?

*Refuted.* Forecasts that give options a rate of their own compete with those of the model. For every set S of
options there is a forecaster that forecasts those in S by themselves (Krichevsky and Trofimov, who know one
option only) and the others by the model. Each option belongs to S with a small probability p, and the mixture
over all sets earns

    log E = sum over the options of log((1 - p) exp(Q_k) + p exp(KT_k)) - sup L

more than any parameter of the model. If the model holds, E is at most what bets against the true parameter
have won, a martingale that starts at 1: it ever exceeds ``1/alpha`` with probability at most alpha, however
often one looks.

*Likely.* That an option is off by ``N(0, SPREAD^2)`` logits has, in the normal approximation, the Bayes
factor ``exp(z^2/2 s/(1 + s)) / sqrt(1 + s)``, with z the residual of its successes in standard errors and
``s = SPREAD^2 n mu' (1 - h)``, h its leverage: where the fit follows an option, nothing can be said about it.
"""

from dataclasses import dataclass

import numpy as np

from logts.evidence.sides import earned
from logts.evidence.tally import Tally
from logts.logistic.fit import Fit, information_factor
from logts.logistic.kernels import mean, slope
from logts.tools.algebra import Array, dot, squared_norms
from logts.tools.compiling import compiled

OFF = 0.1  # options that are expected to be off the model, before anything is known
SPREAD = 1.5  # by how many logits


@dataclass(frozen=True)
class FitCheck:
    """What the outcomes say about the model.

    Attributes
    ----------
    evidence
        ``log E`` against the model; minus infinity where the fit is not determined.
    off
        For each option the probability that it is off the model.
    """

    evidence: float
    off: Array

    @property
    def doubt(self) -> float:
        """The probability that some option is off the model."""
        return float(1.0 - np.prod(1.0 - self.off))


def check_fit(points: Array, tally: Tally, fit: Fit) -> FitCheck:
    """Weigh the model against options with rates of their own."""
    chance = OFF / len(points)
    if not fit.proven:
        return FitCheck(-np.inf, np.full(len(points), chance))
    won, off = _weigh(points, tally.trials, tally.successes, tally.scores, fit.theta, chance)
    return FitCheck(won - fit.log_likelihood - fit.shortfall, off)


@compiled
def _weigh(
    points: Array, trials: Array, successes: Array, scores: Array, theta: Array, chance: float
) -> tuple[float, Array]:
    """What the mixture of forecasters has earned, and for each option the probability that it is off.

    Nothing, where the information at the fit is singular. Options never tried say nothing.
    """
    off = np.full(trials.size, chance)
    factor, regular = information_factor(points, trials, theta)
    if not regular:
        return -np.inf, off
    tried = np.flatnonzero(trials)
    there = points[tried]
    own = earned(trials[tried], successes[tried])
    widths = squared_norms(there, factor)
    total = 0.0
    for i in range(tried.size):
        k = tried[i]
        total += np.logaddexp(np.log1p(-chance) + scores[k], np.log(chance) + own[i])
        logit = dot(there[i], theta)
        seen = trials[k] * slope(logit)
        spare = max(1.0 - seen * widths[i], 0.0)  # 1 - h
        free = seen * spare
        residual = successes[k] - trials[k] * mean(logit)
        s = SPREAD**2 * free if spare > 1e-6 else 0.0
        # the logarithm of the Bayes factor that this option is off
        factor_off = 0.5 * residual**2 / max(free, 1e-12) * s / (1.0 + s) - 0.5 * np.log1p(s)
        odds = chance / (1.0 - chance) * np.exp(min(factor_off, 700.0))
        off[k] = odds / (1.0 + odds)
    return total, off
