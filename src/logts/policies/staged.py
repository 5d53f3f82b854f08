"""Policies in stages: a plan of trials, an estimate at its end, and then a verdict or the next plan."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from logts.alternatives import Answer, HalfSpaces
from logts.arms import Arms
from logts.design import Game, solve
from logts.evidence.intervals import Rate
from logts.evidence.tally import Tally
from logts.judge import Verdict
from logts.logistic.fit import maximum_likelihood
from logts.policies.base import Asked, checked_settings
from logts.policies.ledger import Ledger
from logts.problems import BestArm, Problem
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.status import Status

MOST = 1_000_000  # trials to ask for at once, for the sake of memory
STEEPEST = 0.25  # the largest mu'
TOLERANCE = 1e-3  # of designs
WEAK = 0.01  # precision of the prior for separable outcomes: its deviation is ten logits

Found = tuple[tuple[int, ...], Array]  # an answer, as numbers of items, and the rate of every item


class Staged(ABC):
    """Trials by a plan that stands for a stage; at its end an estimate, and then a verdict or the next plan.

    A plan is a number of trials for each arm. Trials asked for beyond it keep its proportions and count for
    the next stage; what is abandoned is made again.
    """

    rule = ""
    assumes = ""

    def __init__(self, arms: Arms, problem: Problem, *, delta: float, max_trials: int | None) -> None:
        checked_settings(delta, max_trials)
        self.arms = arms
        self.problem = problem
        self.delta = delta
        self.max_trials = max_trials
        self._ledger = Ledger()
        self._tally = Tally.of_nothing(len(arms))  # over the prefix
        self._begun = self._tally  # the same, when the stage began
        self._made = np.zeros(len(arms))  # of this stage, told or not
        # Items with equal features are interchangeable: the first stands for all.
        self._left: Indices = np.sort(np.unique(arms.items.points, axis=0, return_index=True)[1])
        self._verdict: Verdict | None = None
        if isinstance(problem, BestArm) and len(self._left) == 1:
            rates = np.full(len(arms.items), 0.5)
            found = (int(self._left[0]),), rates
            self._verdict = self._decide(found, 1.0, str(Status.ALREADY_KNOWN), proven=True)
        self._begin(self.first_plan())

    @abstractmethod
    def first_plan(self) -> Array:
        """Trials of each arm before there is an estimate.

        Returns
        -------
        Array
            A number for each arm.
        """

    @abstractmethod
    def conclude(self) -> Verdict | None:
        """A verdict at the end of a stage, or None and another stage begun.

        Returns
        -------
        Verdict or None
            None if another stage has begun.
        """

    def guess(self) -> Found:
        """The answer by all outcomes so far, for when the budget is spent.

        Returns
        -------
        tuple
            The items in the answer, and the rates behind it.
        """
        return self._best(estimate(self.arms.points, self._tally)[0])

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials; those not yet told count as made.

        Parameters
        ----------
        n
            How many.

        Returns
        -------
        Asked
            Their ids, and the arm to try in each.
        """
        if n < 1:
            raise ValueError(f"ask for at least one trial; got {n!r}")
        arms = follow(n, self._made, self._plan)
        return Asked(self._ledger.ask(arms), arms)

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them.
        outcomes
            1 or True for yes, 0 or False for no, one for each id.
        """
        self._ledger.tell(ids, outcomes)
        self._advance()

    def abandon(self, ids: Sequence[int] | ArrayLike) -> None:
        """Give up trials that will never come back.

        Their loss must not depend on the outcome they would have had.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them.
        """
        self._made -= np.bincount(self._ledger.abandon(ids), minlength=len(self._made))
        self._advance()

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        return self._verdict

    @property
    def block(self) -> int:
        """How many trials of the stage are left, a million at the most."""
        left = int(min(np.maximum(self._plan - self._made, 0.0).sum(), MOST))
        return max(1, left if self.max_trials is None else min(left, self.max_trials - self._ledger.asked))

    @property
    def _of_this_stage(self) -> Tally:
        begun = self._begun
        return Tally.of_counts(self._tally.trials - begun.trials, self._tally.successes - begun.successes)

    def _advance(self) -> None:
        self._tally = self._tally.after(*self._ledger.advance())
        while self._verdict is None and (self._of_this_stage.trials >= self._plan).all():
            self._verdict = self.conclude()
        if self._verdict is None and self.max_trials is not None and self._ledger.complete >= self.max_trials:
            reason = f"the budget of {self.max_trials:,} trials is spent: a guess, not a proof"
            self._verdict = self._decide(self.guess(), 0.0, reason, proven=False)

    def _begin(self, plan: Array) -> None:
        """Begin a stage. Trials still out count for it."""
        self._made -= self._of_this_stage.trials
        self._begun = self._tally
        self._plan = plan

    def _best(self, theta: Array) -> Found:
        """The best item that is left, where the logit is linear."""
        logits = self.arms.items.points[:, : len(theta)] @ theta
        return (int(self._left[np.argmax(logits[self._left])]),), expit(logits)

    def _decide(self, found: Found, confidence: float, reason: str, *, proven: bool) -> Verdict:
        """No interval holds at all times by these rules, so rates have the trivial one."""
        items = self.arms.items
        answer, estimates = found
        rates = [
            Rate(name, 0.0, rate, 1.0) for name, rate in zip(items.names, estimates.tolist(), strict=True)
        ]
        return Verdict(
            answer=Answer(answer, self.problem.describe(items, answer)),
            confidence=confidence,
            confidence_without_model=None,
            basis="model" if confidence > 0.0 else "guess",
            counts=tuple(int(n) for n in self._tally.trials),
            threshold=math.nan,
            rule=self.rule,
            reason=reason,
            assumes=self.assumes,
            proven=proven,
            find_rates=lambda: rates,
        )


def estimate(points: Array, tally: Tally) -> tuple[Array, bool]:
    """The maximum-likelihood estimate and True.

    Where there is none, the mode under a weak prior and False.
    """
    fit = maximum_likelihood(points, tally.trials, tally.successes)
    if fit.proven:
        return fit.theta, True
    weak = WEAK * np.eye(points.shape[1])
    return maximum_likelihood(points, tally.trials, tally.successes, precision=weak).theta, False


@compiled
def follow(n: int, made: Array, plan: Array) -> Indices:
    """The next ``n`` arms, each the one of which the smallest part of the plan is made; ``made`` grows.

    A plan of whole numbers is met exactly: while it is not met some ``made / plan`` is below one, and so is
    the smallest.
    """
    support = np.flatnonzero(plan)
    out = np.empty(n, dtype=np.intp)
    for s in range(n):
        least = np.inf
        chosen = support[0]
        for k in support:
            if made[k] / plan[k] < least:
                least = made[k] / plan[k]
                chosen = k
        made[chosen] += 1.0
        out[s] = chosen
    return out


def checked_slope(slope: float) -> float:
    """A lower bound on ``mu'``, or a sentence that says what is wrong with it."""
    if not 0.0 < slope <= STEEPEST:
        raise ValueError(f"slope is the smallest mu' of the arms, above 0 and at most 1/4; got {slope!r}")
    return slope


def narrowest(arms: Arms, theta: Array, vectors: Array) -> tuple[Array, float]:
    """The weights w with the smallest ``max |y|^2`` in ``H(w, theta)^-1`` over rows y, and that number.

    Half-spaces ``y.lambda <= y.theta - 1`` have margin one, hence distance ``1 / (2 |y|^2)``: the
    characteristic time is twice it.
    """
    half_spaces = HalfSpaces(vectors, vectors @ theta - 1.0, [(j,) for j in range(len(vectors))])
    design = solve(Game(arms.points, theta, half_spaces, "quadratic"), arms.spanning, tolerance=TOLERANCE)
    return design.weights, 0.5 * design.characteristic_time


def rounded(weights: Array, n: int) -> Array:
    """Pukelsheim's efficient rounding: each of l arms gets ``ceil((n - l/2) w)``, then one more or less."""
    support = np.flatnonzero(weights)
    w = weights[support]
    counts = np.ceil(max(0.0, n - 0.5 * len(w)) * w)
    while counts.sum() < n:
        counts[np.argmin(counts / w)] += 1.0
    while counts.sum() > n:
        counts[np.argmax((counts - 1.0) / w)] -= 1.0
    plan = np.zeros(len(weights))
    plan[support] = counts
    return plan
