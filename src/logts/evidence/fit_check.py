"""Does the model fit? Forecasts that give an option a rate of its own compete with those of the model.

For every set S of options there is a forecaster that forecasts the options in S by themselves (Krichevsky and
Trofimov, who know one option only) and the others by the model. Each belongs to S with a small probability;
the mixture over all sets earns

    log E = sum over the options of log((1 - p) exp(Q_k) + p exp(KT_k)) - sup L

more than any parameter of the model could. If the model holds, E is at most what a bet against the true
parameter has won, a martingale that starts at 1: it ever exceeds ``1/alpha`` with probability at most alpha,
however often one looks. The posterior probability that an option is off the model comes with it.
"""

from dataclasses import dataclass

import numpy as np

from logts.evidence.sides import scores
from logts.evidence.tally import Tally
from logts.logistic.fit import Fit
from logts.tools.algebra import Array

OFF = 0.5  # options that are expected to be off the model, before anything is known


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
        return float(-np.expm1(np.log1p(-np.minimum(self.off, 1.0 - 1e-12)).sum()))


def check_fit(tally: Tally, fit: Fit) -> FitCheck:
    """Weigh forecasts by the model against forecasts of single options by themselves."""
    chance = OFF / len(tally.trials)
    alone = np.log(chance) + scores(tally)
    mixed = np.logaddexp(np.log1p(-chance) + tally.scores, alone)
    most = fit.log_likelihood + fit.shortfall
    evidence = float(mixed.sum() - most) if fit.proven else -np.inf
    return FitCheck(evidence, np.exp(alone - mixed))
