"""What each rival has against it, and where the trials should go: numbers behind a verdict."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from logts.arms import Items
from logts.evidence.intervals import estimates_of
from logts.planning.unrelated import time_of
from logts.problems import BestArm, Comparable
from logts.reports.standing import Standing
from logts.tools.algebra import Array

NEAREST = 1e-6  # a rate is at least that far from 0 and 1


@dataclass(frozen=True)
class Rival:
    """How much log evidence there is that the answer has the place of an item right, and whether it suffices.

    ``settled`` stays true once it was: then ``evidence`` may be less than ``needed`` again.
    """

    item: int
    name: str
    evidence: float
    needed: float
    settled: bool


def rivals_of(at: Standing) -> list[Rival]:
    """All that has a place to be settled, what is hardest first; empty where there is no such evidence.

    Of the best option only the others: evidence against them is evidence for it.
    """
    if at.answer is None or at.doubtful or not at.trials:
        return []
    tally, free = at.last.tally, at.free
    found = at.policy.judge.item_evidence(tally, at.answer, without_model=free)
    permitted = at.permitted(free)
    if not found or not permitted:
        return []
    needed = math.log(1.0 / permitted)
    names = at.arms.items.names
    best = at.answer.items if isinstance(at.policy.problem, BestArm) else ()
    rivals = [
        Rival(item, names[item], value, needed, at.settled.get(item) is not None)
        for item, value in found.items()
        if item not in best
    ]
    return sorted(rivals, key=lambda rival: (rival.settled, rival.evidence))


def target_of(at: Standing) -> Array | None:
    """The shares of the trials that would settle the question soonest if the estimates were right.

    With the model those that are tracked; without it the optimum at the options' own rates. None where
    neither is known.
    """
    if not at.trials or at.doubtful:
        return None
    if not at.free:
        return at.policy.weights
    problem = at.policy.problem
    if at.answer is None or not at.own or not isinstance(problem, Comparable):
        return None
    items = Items(np.empty((len(at.arms), 0)), at.arms.items.names)
    compared = problem.comparisons(items, at.answer.items)
    if not len(compared.high):
        return None
    logits = logit(np.clip(estimates_of(at.rates), NEAREST, 1.0 - NEAREST))
    high = np.where(compared.high >= 0, logits[compared.high], 0.0)
    low = np.where(compared.low >= 0, logits[compared.low], 0.0)
    if (high - low - compared.offset).min() <= 0.0:  # a tie: it would take for ever
        return None
    return time_of(compared, logits)[1]
