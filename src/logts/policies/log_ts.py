"""Logistic track-and-stop: Algorithm 1 of Ochoa Rivera and Tewari, stopping on evidence.

Until the evidence suffices: choose an arm (forced exploration, then tracking of the optimal weights), see its outcome, and every so
often estimate the parameter, look at the evidence and adapt the weights.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from logts.algebra import Array
from logts.arms import Arms
from logts.half_spaces import Alternatives
from logts.logistic.fit import Fit, maximum_likelihood
from logts.policies.allocation import LazyDesign
from logts.policies.base import Asked, Progress, Verdict
from logts.policies.guard import Guard
from logts.policies.ledger import Ledger
from logts.problems import Answer, Posed, Problem, pose
from logts.sampling.tracking import Tracker
from logts.status import Status
from logts.stopping import ALARM, Forecaster, Rate, Reading, State, make_rule, misfit, nothing, rate


class LogTS:
    """Log-TS: which arm to try next, when to stop, and what the answer is.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    delta
        Permitted probability of a wrong answer.
    stopping
        ``"evidence"``, proven and free of constants. For comparison ``"paper"`` and ``"paper-practical"`` (the rule as stated, and
        that of the experiments), ``"likelihood-ratio"`` (Lee, Yun and Jun 2024) and ``"stylized"`` (unproven).
    radius, kappa
        For the rules that need them: a bound on the norm of theta, and on ``1/mu'`` over the arms (``"paper"`` only).
    design
        ``"quadratic"`` or ``"kl"``: which characteristic time the allocation aims at.
    guard
        Watch the fit, and gather evidence that needs no model as well (``"evidence"`` only). Nine tenths of delta go to the model.
        False trusts the model and gives it all of delta.
    max_trials
        Stop there at the latest, with the best guess and its honest confidence.
    rng
        Seed or generator for the bootstrap of the fit check; nothing else is random. By default the same outcomes give the same
        verdict.

    Examples
    --------
    >>> import numpy as np, logts
    >>> rng, rates = np.random.default_rng(1), np.array([0.3, 0.5, 0.8])
    >>> policy = logts.LogTS(logts.Arms(names=["red", "green", "blue"]), logts.BestArm(), delta=0.05)
    >>> while policy.verdict is None:
    ...     asked = policy.ask()
    ...     policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    >>> policy.verdict.answer
    best: blue
    """

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        *,
        delta: float = 0.05,
        stopping: str = "evidence",
        radius: float | None = None,
        kappa: float | None = None,
        design: str = "quadratic",
        guard: bool = True,
        max_trials: int | None = None,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta is a probability, strictly between 0 and 1; got {delta!r}")
        if design not in ("quadratic", "kl"):
            raise ValueError(f"design must be 'quadratic' or 'kl'; got {design!r}")
        if max_trials is not None and max_trials < 1:
            raise ValueError(f"max_trials must be at least 1; got {max_trials!r}")
        self.arms, self.problem, self.delta, self.max_trials = arms, problem, delta, max_trials
        self._rule = make_rule(stopping, arms.metric, radius, kappa)
        self._ledger, self._forecaster = Ledger(), Forecaster(arms.points)
        self._tracker = Tracker(arms.points, arms.spanning)
        self._lazy = LazyDesign(arms, exact=design == "kl")
        self._guard = Guard(arms, problem, exact=design == "kl") if guard and stopping == "evidence" else None
        self._rng = np.random.default_rng(rng)
        self._alarm: float | None = None  # standard deviations of misfit, once the model is in doubt
        self._trials, self._successes = np.zeros(len(arms)), np.zeros(len(arms))  # over the prefix: the evidence
        self._past_trials, self._past_successes = np.zeros(len(arms)), np.zeros(len(arms))  # told without an ask
        self._estimate = np.zeros(arms.dimension)
        self._reading = nothing(math.log(1.0 / delta))
        # The smallest p-value at which each answer has led, with and without the model.
        self._least: dict[tuple[str, Answer], float] = {}
        self._next_look = 2 * arms.dimension
        self._verdict: Verdict | None = None
        trial = pose(problem, arms, np.random.default_rng(0).normal(size=arms.items.points.shape[1:]))
        if trial.status is Status.NOT_IDENTIFIABLE:
            raise ValueError(f"{' and '.join(trial.rivals)}: {trial.status}")
        if trial.status is Status.ALREADY_KNOWN and trial.answer is not None:
            self._verdict = Verdict(trial.answer, 1.0, 1.0, "model-free", 0, "none", str(trial.status), "nothing", True, self.rates)

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials; those not yet told count as made."""
        if n < 1:
            raise ValueError(f"ask for at least one trial; got {n!r}")
        arms = self._tracker.next(n, self._lazy.weights)
        return Asked(self._ledger.ask(arms), arms)

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
        self._lazy.move(self._posed(self._forecaster.best))

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        return self._verdict

    @property
    def block(self) -> int:
        """How many trials may be asked for before the evidence is looked at again."""
        end = self._next_look if self.max_trials is None else min(self._next_look, self.max_trials)
        return max(1, end - self._ledger.asked)

    @property
    def progress(self) -> Progress:
        """How far the study is, as of its last look at the evidence."""
        rival: tuple[str, ...] = ()
        if self._reading.rival is not None:
            rival = tuple(self.arms.items.names[i] for i in self._reading.rival.about[0])
        reading = self._reading
        confidence = self._confidence("model" if self._free is None else "model-free", reading.answer)
        return Progress(reading.answer, confidence, reading.statistic, reading.threshold, rival, self._remaining())

    def rates(self) -> list[Rate]:
        """Estimated rates of all items now, with intervals that hold for all items and times at once."""
        return self._rates_at(self._trials.copy(), self._successes.copy(), self._forecaster.score, self._free is not None)

    def _advance(self) -> None:
        arms, outcomes = self._ledger.advance()
        self._forecaster.absorb(arms, outcomes)
        np.add.at(self._trials, arms, 1.0)
        np.add.at(self._successes, arms, outcomes)
        told = self._ledger.first
        spent = self.max_trials is not None and told >= self.max_trials
        if self._verdict is None and (told >= self._next_look or spent):
            self._verdict = self._look() or (self._give_up() if spent else None)

    @property
    def _free(self) -> Guard | None:
        """The guard, where only evidence without the model counts: arms that share nothing, or after the alarm."""
        guard = self._guard
        return guard if guard is not None and guard.possible and (guard.model_share == 0.0 or self._alarm is not None) else None

    def _look(self) -> Verdict | None:
        """Estimate, look at the evidence, adapt the weights, and decide when to look again."""
        fit = maximum_likelihood(self.arms.points, self._trials, self._successes, start=self._estimate)
        self._estimate = fit.theta if fit.proven else np.zeros(self.arms.dimension)
        self._forecaster.refit(self._trials + self._past_trials, self._successes + self._past_successes)
        decided = self._look_without_model() or (self._look_with_model(fit) if self._free is None else None)
        if decided is not None:
            return decided
        if self._free is None:
            estimate = self._reading.estimate
            self._lazy.move(self._posed(self._forecaster.best if estimate is None else estimate))
        else:
            self._lazy.move(self._free.posed(self._trials, self._successes))
        t, remaining = self._ledger.first, self._remaining()
        pause = 0.25 * t if remaining is None else min(max(0.01 * t, 0.15 * remaining), 0.25 * t)
        self._next_look = t + max(1, int(pause))
        return None

    def _look_without_model(self) -> Verdict | None:
        if self._guard is None or not self._guard.possible:
            return None
        reading = self._guard.read(self._trials, self._successes, self.delta)
        self._note("model-free", reading)
        if self._free is not None:
            self._reading = reading
        if reading.enough:
            return self._decide(reading.answer, "model-free", "every rival is refuted by the arms' own outcomes", proven=True)
        return None

    def _look_with_model(self, fit: Fit) -> Verdict | None:
        share = 1.0 if self._guard is None else self._guard.model_share
        score, counts = self._forecaster.score, (self._trials, self._successes)
        reading = self._reading = self._rule.read(State(self.arms.points, *counts, fit, score, share * self.delta, self._question))
        self._note("model", reading)
        if not reading.enough:
            return None
        if self._guard is not None and (doubt := misfit(self.arms.points, *counts, fit, self._rng)) > ALARM:
            self._alarm = doubt
            if self._free is None:  # no evidence without the model is to be had: no number of trials would make it a proof
                return self._decide(reading.answer, "guess", f"{Status.MODEL_DOUBTFUL}", proven=False)
            self._lazy = self._free.design()
            return None
        reason = "every alternative is refuted" if self._rule.proven else "its threshold, which is unproven, is passed"
        return self._decide(reading.answer, "model", reason, proven=self._rule.proven)

    def _note(self, basis: str, reading: Reading) -> None:
        if reading.answer is not None:
            self._least[basis, reading.answer] = min(self._least.get((basis, reading.answer), 1.0), reading.p_value)

    def _question(self, theta: Array) -> tuple[Answer, Alternatives] | None:
        posed = self._posed(theta)
        return (posed.answer, posed.alternatives) if posed.status is Status.CONVERGED and posed.answer is not None else None

    def _posed(self, theta: Array) -> Posed:
        return pose(self.problem, self.arms, self._padded(theta))

    def _padded(self, theta: Array) -> Array:
        """With zeros where items have coordinates that no arm measures."""
        return np.concatenate([theta, np.zeros(self.arms.items.points.shape[1] - self.arms.dimension)])

    def _confidence(self, basis: str, answer: Answer | None) -> float:
        return 0.0 if answer is None else 1.0 - self._least.get((basis, answer), 1.0)

    def _remaining(self) -> float | None:
        """Evidence still missing, at one unit for each characteristic time."""
        missing = self._reading.threshold - self._reading.statistic
        if not math.isfinite(missing) or not math.isfinite(self._lazy.characteristic_time):
            return None
        return max(0.0, missing) * self._lazy.characteristic_time

    def _decide(self, answer: Answer, basis: str, reason: str, *, proven: bool) -> Verdict:
        free = self._confidence("model-free", answer) if self._guard is not None and self._guard.possible else None
        model = free if self._free is not None and self._alarm is None else self._confidence("model", answer)
        assumes = "independent outcomes, each arm with a rate of its own" if basis == "model-free" else self._rule.assumes
        snapshot = (
            self._trials.copy(),
            self._successes.copy(),
            self._forecaster.score,
            self._free is not None or basis == "model-free",
        )
        return Verdict(
            answer,
            model if model is not None else 0.0,
            free,
            basis,
            int(self._trials.sum()),
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
        return self._decide(
            guess, "guess", f"the budget of {self.max_trials:,} trials is spent: a guess, not a proof", proven=False
        )

    def _rates_at(self, trials: Array, successes: Array, score: float, free: bool) -> list[Rate]:
        if free and self._guard is not None:
            return self._guard.rates(trials, successes, self.delta)
        arms, line = self.arms, score - math.log(1.0 / self.delta)
        fit = maximum_likelihood(arms.points, trials, successes)
        inside, beyond = np.split(arms.items.points, [arms.dimension], axis=1)
        return [
            Rate(name, 0.0, 0.5, 1.0) if unseen.any() else rate(arms.points, trials, successes, fit, line, z, name)
            for z, unseen, name in zip(np.ascontiguousarray(inside), beyond, arms.items.names, strict=True)
        ]
