"""A guessed world: its rates, whether the model holds there, and what the question costs at least."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from logts.arms import Arms
from logts.logistic.fit import maximum_likelihood
from logts.planning.bounds import LowerBound, lower_bound
from logts.planning.simulate import Rates
from logts.problems import Problem
from logts.tools.algebra import Array


@dataclass(frozen=True)
class GuessedWorld:
    """A guessed world.

    Attributes
    ----------
    truth
        The parameter, or the rates where there is no such parameter.
    rates
        The success rate of each arm.
    misfit
        Their largest distance from a straight logit in the features.
    bound, free
        What the question costs with the model, and without it; the latter None where there is nothing to
        trust.
    """

    truth: ArrayLike | Rates
    rates: Array
    misfit: float
    bound: LowerBound
    free: LowerBound | None

    @property
    def least(self) -> float:
        """Trials that are needed at least, whether or not the model is trusted."""
        return min(self.bound.samples, np.inf if self.free is None else self.free.samples)


def look_at(arms: Arms, problem: Problem, truth: ArrayLike | Rates, delta: float) -> GuessedWorld:
    """A world that there is something to plan in."""
    own = arms.own_items
    misfit = 0.0
    if isinstance(truth, Rates):
        rates = np.asarray(truth.rates, dtype=float)
        if rates.shape != (len(arms),) or not ((rates > 0.0) & (rates < 1.0)).all():
            wanted = f"one rate strictly between 0 and 1 for each of {len(arms)} arms"
            raise ValueError(f"give {wanted}; got {rates.tolist()}")
        if not own:
            raise ValueError("rates of arms do not say how good items are that are not arms: give theta")
        if arms.by_name:
            theta = logit(rates)
        else:
            theta = arms.parameter(maximum_likelihood(arms.points, np.ones(len(arms)), rates).theta)
            misfit = float(np.abs(expit(arms.features @ theta) - rates).max())
        if misfit <= 1e-9:
            truth = theta
            misfit = 0.0
    else:
        theta = np.asarray(truth, dtype=float)
        at = arms.coordinates(theta)[: arms.dimension]
        rates = expit(np.sqrt(len(arms)) * at if arms.by_name else arms.points @ at)
    bound = lower_bound(arms, theta, problem, delta)
    free = None
    if own and arms.dimension < len(arms):
        logits = logit(np.clip(rates, 1e-12, 1.0 - 1e-12))
        free = lower_bound(Arms(names=arms.names), logits, problem, delta)
    decides = bound if free is None or misfit == 0.0 else free
    if not 0.0 < decides.characteristic_time < np.inf:
        raise ValueError(f"there is nothing to plan in this world. {decides.note}")
    return GuessedWorld(truth, rates, misfit, bound, free)
