"""A study: arms chosen by any sampling rule, outcomes in any order, a stopping rule, and the guard against a wrong model.

Until the evidence suffices: choose arms, see their outcomes, and every so often estimate the parameter, look at the evidence and
let the sampling rule learn.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from logts.alternatives import Alternatives, HalfSpaces
from logts.arms import Arms, Items
from logts.evidence.likelihood import each_alternative
from logts.evidence.model_free import each_comparison
from logts.logistic.fit import Fit, maximum_likelihood
from logts.policies.base import Asked, Progress, Verdict
from logts.policies.guard import FREE_PATROL, PATROL, Guard
from logts.policies.ledger import Ledger
from logts.problems import Answer, Comparable, Posed, Problem, Question
from logts.sampling import Lasting, Patrol, Sampler
from logts.stopping import ALARM, CALM, Forecaster, Rate, Reading, State, make_rule, misfit, nothing, rate
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status

LONGEST = 1_000_000  # trials in a block, so that a simulation of many millions keeps to little memory
MOST_WEIGHED = 2_000  # alternatives that are weighed one by one


class Settings(TypedDict, total=False):
    """What every sequential policy can be told; see :class:`logts.LogTS`."""

    delta: float
    stopping: str
    radius: float | None
    kappa: float | None
    guard: bool
    max_trials: int | None
    rng: np.random.Generator | int | None


class Sequential(Stateful, ABC):
    """A sampling rule with any stopping rule. A policy of its own is a subclass that says how to make the sampler."""

    kept = (
        "_ledger",
        "_forecaster",
        "_sampler",
        "_set_aside",
        "_alarm",
        "_trials",
        "_successes",
        "_past_trials",
        "_past_successes",
        "_estimate",
        "_reading",
        "_least",
        "_next_look",
        "_verdict",
        "_rng",
    )

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        *,
        delta: float = 0.05,
        stopping: str = "evidence",
        radius: float | None = None,
        kappa: float | None = None,
        guard: bool = True,
        max_trials: int | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta is a probability, strictly between 0 and 1; got {delta!r}")
        if max_trials is not None and max_trials < 1:
            raise ValueError(f"max_trials must be at least 1; got {max_trials!r}")
        self.arms, self.problem, self.delta, self.max_trials = arms, problem, delta, max_trials
        self._rule = make_rule(stopping, arms.metric, radius, kappa)
        self._ledger, self._forecaster = Ledger(), Forecaster(arms.points)
        self._question = Question(problem, arms)
        self._guard = Guard(arms, problem) if guard and stopping == "evidence" else None
        self._rng = np.random.default_rng(rng)
        self._sampler = self._sampler_for(arms)
        self._alarm: int | None = None  # trials when the model was last found not to fit
        self._set_aside: Sampler | None = None  # meanwhile
        self._trials, self._successes = np.zeros(len(arms)), np.zeros(len(arms))  # over the prefix: the evidence
        self._past_trials, self._past_successes = np.zeros(len(arms)), np.zeros(len(arms))  # told without an ask
        self._estimate = np.zeros(arms.dimension)
        self._reading = nothing(math.log(1.0 / delta))
        # The smallest p-value at which each answer has led, with and without the model.
        self._least: dict[tuple[str, Answer], float] = {}
        self._next_look = max(2 * arms.dimension, 16)
        self._verdict: Verdict | None = None
        trial = self._question.pose(np.random.default_rng(0).normal(size=arms.items.points.shape[1:]))
        if trial.status is Status.NOT_IDENTIFIABLE:
            raise ValueError(f"{' and '.join(trial.rivals)}: {trial.status}")
        if trial.status is Status.ALREADY_KNOWN and trial.answer is not None:
            none = (0,) * len(arms)
            self._verdict = Verdict(
                trial.answer, 1.0, 1.0, "model-free", none, math.nan, "none", str(trial.status), "nothing", True, self.rates
            )

    @abstractmethod
    def make_sampler(self, arms: Arms) -> Sampler:
        """The rule that chooses among these arms. It is asked for again, for arms that share nothing, should the model fail."""

    def _sampler_for(self, arms: Arms) -> Sampler:
        """The sampler; with the guard on, no arm goes unseen."""
        sampler = self.make_sampler(arms)
        every = PATROL if len(arms) > arms.dimension else FREE_PATROL
        return sampler if self._guard is None else Patrol(sampler, len(arms), every)

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials; those not yet told count as made."""
        if n < 1:
            raise ValueError(f"ask for at least one trial; got {n!r}")
        arms = self._sampler.next(n)
        return Asked(self._ledger.ask(arms), arms)

    def repeat(self, arms: Indices) -> None:
        """Ask for trials that were asked for before, in another process or by another version of this program."""
        chosen = self._sampler.next(len(arms))
        if not np.array_equal(chosen, arms) and isinstance(self._sampler, Lasting):
            self._sampler.correct(chosen, arms)
        self._ledger.ask(arms)

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once."""
        self._ledger.tell(ids, outcomes)
        self._advance()

    def abandon(self, ids: Sequence[int] | ArrayLike) -> None:
        """Give up trials that will never come back. Their loss must not depend on the outcome they would have had."""
        self._ledger.abandon(ids)
        self._advance()

    def tell_history(self, trials: Array, successes: Array) -> None:
        """Counts for each arm from before the study: they sharpen the forecasts and stay out of the evidence."""
        maximum_likelihood(self.arms.points, trials, successes, precision=np.eye(self.arms.dimension))  # refuses impossible counts
        self._past_trials = self._past_trials + trials
        self._past_successes = self._past_successes + successes
        self._forecaster.refit(self._trials + self._past_trials, self._successes + self._past_successes)
        if self._free is None:
            self._sampler.learn(self._posed(self._forecaster.best), self._trials + self._past_trials)

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        return self._verdict

    @property
    def block(self) -> int:
        """How many trials may be asked for before the evidence is looked at again."""
        end = self._next_look if self.max_trials is None else min(self._next_look, self.max_trials)
        return max(1, min(end - self._ledger.asked, LONGEST))

    @property
    def progress(self) -> Progress:
        """How far the study is. To ask changes nothing: the study looks at its evidence at moments of its own choosing."""
        free = self._free
        if free is not None:
            reading = free.read(self._trials, self._successes, self.delta)
        else:
            reading = self._read(maximum_likelihood(self.arms.points, self._trials, self._successes, start=self._estimate))
        rival = tuple(self.arms.items.names[i] for i in reading.rival)
        noted = self._confidence("model" if free is None else "model-free", reading.answer)
        confidence = max(noted, 1.0 - reading.p_value if reading.answer is not None else 0.0)
        return Progress(reading.answer, confidence, reading.statistic, reading.threshold, rival, self._remaining(reading))

    @property
    def counts(self) -> Array:
        """Outcomes that count as evidence, for each arm."""
        return self._trials.copy()

    @property
    def successes(self) -> Array:
        """How many of them were successes."""
        return self._successes.copy()

    @property
    def told(self) -> int:
        """Trials that are settled, with all before them: the prefix that evidence rests on, with those abandoned."""
        return self._ledger.first

    @property
    def score(self) -> float:
        """What the forecasts of these outcomes have earned, in logs."""
        return self._forecaster.score

    @property
    def free(self) -> bool:
        """Whether only evidence without the model counts: arms that share nothing, or after the alarm."""
        return self._free is not None

    def rates(self) -> list[Rate]:
        """Estimated rates of all items now, with intervals that hold for all items and times at once."""
        return self._rates_at(self._trials.copy(), self._successes.copy(), self._forecaster.score, self._free is not None)

    def permitted(self, free: bool) -> float:
        """The part of delta that evidence without the model, or with it, may use: ``log(1/permitted)`` is what it has to exceed."""
        share = 1.0 if self._guard is None else self._guard.model_share
        return self.delta * (1.0 - share if free else share)

    def settled(self, trials: Array, successes: Array, score: float, free: bool, answer: Answer) -> dict[int, float]:
        """How much log evidence there is, at these counts, that an answer has the place of each item right.

        An item is settled once this exceeds ``log(1/permitted(free))``. That holds for all items and times at once, whatever the
        answer: all of it is read off one set, ``L >= Q - log(1/delta)``, which contains the truth at all times.

        Parameters
        ----------
        trials, successes, score
            Counts over a prefix of the asks, and what the forecasts of these outcomes have earned.
        free
            Whether the items are compared by their own outcomes (union bound in place of that set) or within the model.
        answer
            The answer in question.

        Returns
        -------
        dict
            For each item number the smallest evidence against an alternative that concerns it. Items that no alternative concerns
            are left out; empty where there is no such evidence, or more than 2,000 alternatives.
        """
        items, d = self.arms.items, self.arms.dimension
        if free:
            if self._guard is None or not self._guard.possible or not isinstance(self.problem, Comparable):
                return {}
            compared = self.problem.comparisons(Items(np.empty((len(items), 0)), items.names), answer.items)
            if not 0 < len(compared.high) <= MOST_WEIGHED:
                return {}
            pairs = zip(compared.high.tolist(), compared.low.tolist(), strict=True)
            return _smallest([tuple(i for i in pair if i >= 0) for pair in pairs], each_comparison(compared, trials, successes))
        alternatives = self.problem.alternatives(items, answer.items)
        if not self._rule.forecasts or len(alternatives) > MOST_WEIGHED:
            return {}
        whole = np.eye(items.points.shape[1])
        # All but pairs with equal features, which lie infinitely far away.
        listed = alternatives.take(alternatives.within(0.0 * whole[0], whole, np.finfo(float).max))
        unseen = listed.normals[:, d:].any(axis=1)  # no arm measures these: they cannot be refuted
        seen = listed.take(np.flatnonzero(~unseen))
        fit, evidence = maximum_likelihood(self.arms.points, trials, successes), np.full(len(listed), -math.inf)
        heights = each_alternative(
            self.arms.points, trials, successes, fit, HalfSpaces(seen.normals[:, :d], seen.offsets, seen.about)
        )
        evidence[~unseen] = score - heights
        return _smallest(listed.about, evidence)

    def _advance(self) -> None:
        arms, outcomes = self._ledger.advance()
        if self._rule.forecasts and not self._saturated:
            self._forecaster.absorb(arms, outcomes)
        self._trials += np.bincount(arms, minlength=len(self._trials))
        self._successes += np.bincount(arms[outcomes > 0], minlength=len(self._trials))
        told = self._ledger.first
        spent = self.max_trials is not None and told >= self.max_trials
        if self._verdict is None and (told >= self._next_look or spent):
            self._verdict = self._look() or (self._give_up() if spent else None)

    @property
    def _saturated(self) -> bool:
        """Whether the arms share nothing: then their own outcomes are all the evidence there is, and forecasts are not needed."""
        return self._guard is not None and self._guard.model_share == 0.0

    @property
    def _free(self) -> Guard | None:
        """The guard, where only evidence without the model counts: arms that share nothing, or after the alarm."""
        guard = self._guard
        return guard if guard is not None and guard.possible and (self._saturated or self._alarm is not None) else None

    def _look(self) -> Verdict | None:
        """Estimate, look at the evidence, adapt the weights, and decide when to look again."""
        if self._saturated:
            decided = self._look_without_model()
        else:
            fit = maximum_likelihood(self.arms.points, self._trials, self._successes, start=self._estimate)
            self._estimate = fit.theta if fit.proven else np.zeros(self.arms.dimension)
            self._forecaster.refit(self._trials + self._past_trials, self._successes + self._past_successes)
            self._reconsider(fit)
            decided = self._look_without_model() or (self._look_with_model(fit) if self._free is None else None)
        if decided is not None:
            return decided
        if self._free is None:
            estimate = self._reading.estimate
            self._sampler.learn(self._posed(self._forecaster.best if estimate is None else estimate), self._trials)
        else:
            self._sampler.learn(self._free.posed(self._trials, self._successes), self._trials)
        t, remaining = self._ledger.first, self._remaining(self._reading)
        pause = t if remaining is None else min(max(0.01 * t, 0.3 * remaining), t)
        self._next_look = t + max(1, int(min(pause, self._sampler.patience(t))))
        return None

    def _look_without_model(self) -> Verdict | None:
        if self._guard is None or not self._guard.possible:
            return None
        reading = self._guard.read(self._trials, self._successes, self.delta)
        self._note("model-free", reading)
        if self._free is not None:
            self._reading = reading
        if reading.enough:
            reason = "every rival is refuted by the arms' own outcomes"
            return self._decide(reading.answer, "model-free", reading.threshold, reason, proven=True)
        return None

    def _look_with_model(self, fit: Fit) -> Verdict | None:
        reading = self._reading = self._read(fit)
        self._note("model", reading)
        if not reading.enough:
            return None
        if self._guard is not None and self._misfit(fit) > ALARM:
            self._alarm = self._ledger.first
            if self._free is None:  # no evidence without the model is to be had: no number of trials would make it a proof
                return self._decide(reading.answer, "guess", math.nan, f"{Status.MODEL_DOUBTFUL}", proven=False, doubtful=True)
            self._go_without_model(self._free)
            return None
        reason = "every alternative is refuted" if self._rule.proven else "its threshold, which is unproven, is passed"
        return self._decide(reading.answer, "model", reading.threshold, reason, proven=self._rule.proven)

    def _go_without_model(self, guard: Guard) -> None:
        self._set_aside, self._sampler = self._sampler, self._sampler_for(guard.arms)

    def restore(self, state: dict[str, Any]) -> None:
        if state["_set_aside"] is not None and self._guard is not None:
            self._go_without_model(self._guard)
        super().restore(state)

    def _misfit(self, fit: Fit) -> float:
        return misfit(self.arms.points, self._trials, self._successes, fit, self._rng)

    def _reconsider(self, fit: Fit) -> None:
        """A true misfit shows ever more clearly, a false alarm fades: after twice the trials the model may be trusted again."""
        if self._alarm is not None and self._ledger.first >= 2 * self._alarm:
            if fit.proven and self._misfit(fit) < CALM:
                self._alarm, self._sampler, self._set_aside = None, self._set_aside or self._sampler, None
            else:
                self._alarm = self._ledger.first

    def _read(self, fit: Fit) -> Reading:
        share = 1.0 if self._guard is None else self._guard.model_share
        state = State(
            self.arms.points, self._trials, self._successes, fit, self._forecaster.score, share * self.delta, self._answered
        )
        return self._rule.read(state)

    def _note(self, basis: str, reading: Reading) -> None:
        if reading.answer is not None:
            self._least[basis, reading.answer] = min(self._least.get((basis, reading.answer), 1.0), reading.p_value)

    def _answered(self, theta: Array) -> tuple[Answer, Alternatives] | None:
        posed = self._posed(theta)
        return (posed.answer, posed.alternatives) if posed.status is Status.CONVERGED and posed.answer is not None else None

    def _posed(self, theta: Array) -> Posed:
        return self._question.pose(self._padded(theta))

    def _padded(self, theta: Array) -> Array:
        """With zeros where items have coordinates that no arm measures."""
        beyond = self.arms.items.points.shape[1] - self.arms.dimension
        return np.concatenate([theta, np.zeros(beyond)]) if beyond else theta

    def _confidence(self, basis: str, answer: Answer | None) -> float:
        return 0.0 if answer is None else 1.0 - self._least.get((basis, answer), 1.0)

    def _remaining(self, reading: Reading) -> float | None:
        """Evidence still missing, at one unit for each characteristic time."""
        missing = reading.threshold - reading.statistic
        if not math.isfinite(missing) or not math.isfinite(self._sampler.characteristic_time):
            return None
        return max(0.0, missing) * self._sampler.characteristic_time

    def _decide(
        self, answer: Answer, basis: str, threshold: float, reason: str, *, proven: bool, doubtful: bool = False
    ) -> Verdict:
        free = self._confidence("model-free", answer) if self._guard is not None and self._guard.possible else None
        sure = (
            0.0
            if doubtful
            else self._confidence(basis if basis != "guess" else "model" if self._free is None else "model-free", answer)
        )
        assumes = "independent outcomes, each arm with a rate of its own" if basis == "model-free" else self._rule.assumes
        snapshot = (
            self._trials.copy(),
            self._successes.copy(),
            self._forecaster.score,
            self._free is not None or basis == "model-free",
        )
        return Verdict(
            answer,
            sure,
            free,
            basis,
            tuple(int(n) for n in self._trials),
            threshold,
            self._rule.name,
            reason,
            assumes,
            proven,
            partial(self._rates_at, *snapshot),
        )

    def _give_up(self) -> Verdict:
        guess = None if self._free is None else self._free.guess(self._trials, self._successes)
        if guess is None:
            found = self.problem.answer(self.arms.items, self._padded(self._forecaster.best))
            guess = Answer(found, self.problem.describe(self.arms.items, found))
        reason = f"the budget of {self.max_trials:,} trials is spent: a guess, not a proof"
        return self._decide(guess, "guess", math.nan, reason, proven=False)

    def _rates_at(self, trials: Array, successes: Array, score: float, free: bool) -> list[Rate]:
        if free and self._guard is not None:
            return self._guard.rates(trials, successes, self.delta)
        # Without forecasts there is no line that the likelihood of the truth stays above: anything is possible.
        arms, line = self.arms, score - math.log(1.0 / self.delta) if self._rule.forecasts else -math.inf
        fit = maximum_likelihood(arms.points, trials, successes)
        inside, beyond = np.split(arms.items.points, [arms.dimension], axis=1)
        return [
            Rate(name, 0.0, 0.5, 1.0) if unseen.any() else rate(arms.points, trials, successes, fit, line, z, name)
            for z, unseen, name in zip(np.ascontiguousarray(inside), beyond, arms.items.names, strict=True)
        ]


def _smallest(about: Sequence[tuple[int, ...]], values: Array) -> dict[int, float]:
    """For each item the smallest value of what is about it."""
    least: dict[int, float] = {}
    for concerned, value in zip(about, values.tolist(), strict=True):
        for item in concerned:
            least[item] = min(least.get(item, math.inf), value)
    return least
