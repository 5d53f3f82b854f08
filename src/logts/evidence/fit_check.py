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
from scipy.special import expit

from logts.evidence.sides import scores
from logts.evidence.tally import Tally
from logts.logistic.fit import Fit, information_factor
from logts.tools.algebra import Array, squared_norms

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
    off = np.full(len(points), chance)
    tried = np.flatnonzero(tally.trials)  # the others say nothing, and among very many these are most
    points, seen = points[tried], Tally(tally.trials[tried], tally.successes[tried], tally.scores[tried])
    factor, regular = information_factor(points, seen.trials, fit.theta)
    if not fit.proven or not regular:
        return FitCheck(-np.inf, off)
    mixed = np.logaddexp(np.log1p(-chance) + seen.scores, np.log(chance) + scores(seen))
    evidence = float(mixed.sum()) - fit.log_likelihood - fit.shortfall
    odds = chance / (1.0 - chance) * np.exp(_log_factors(points, seen, fit.theta, factor))
    off[tried] = odds / (1.0 + odds)
    return FitCheck(evidence, off)


def _log_factors(points: Array, tally: Tally, theta: Array, factor: Array) -> Array:
    """The logarithm of the Bayes factor that an option is off, for each."""
    rates = expit(points @ theta)
    seen = tally.trials * rates * (1.0 - rates)
    spare = np.maximum(1.0 - seen * squared_norms(points, factor), 0.0)  # 1 - h
    free = seen * spare
    squares = (tally.successes - tally.trials * rates) ** 2 / np.maximum(free, 1e-12)
    s = np.where(spare > 1e-6, SPREAD**2 * free, 0.0)
    return np.minimum(0.5 * squares * s / (1.0 + s) - 0.5 * np.log1p(s), 700.0)
