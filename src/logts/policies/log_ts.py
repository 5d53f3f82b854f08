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
from logts.logistic.fit import maximum_likelihood
from logts.policies.allocation import LazyDesign
from logts.policies.base import Asked, Progress, Verdict
from logts.policies.ledger import Ledger
from logts.problems import Answer, Posed, Problem, pose
from logts.sampling.tracking import Tracker
from logts.status import Status
from logts.stopping import Forecaster, Rate, State, make_rule, nothing, rate


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
    max_trials
        Stop there at the latest, with the best guess and its honest confidence.

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
        max_trials: int | None = None,
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
        self._trials, self._successes = np.zeros(len(arms)), np.zeros(len(arms))  # over the prefix: the evidence
        self._past_trials, self._past_successes = np.zeros(len(arms)), np.zeros(len(arms))  # told without an ask
        self._estimate = np.zeros(arms.dimension)
        self._reading = nothing(math.log(1.0 / delta))
        self._least: dict[Answer, float] = {}  # smallest p-value at which each answer has led
        self._next_look = 2 * arms.dimension
        self._verdict: Verdict | None = None
        trial = pose(problem, arms, np.random.default_rng(0).normal(size=arms.items.points.shape[1:]))
        if trial.status is Status.NOT_IDENTIFIABLE:
            raise ValueError(f"{' and '.join(trial.rivals)}: {trial.status}")
        if trial.status is Status.ALREADY_KNOWN and trial.answer is not None:
            self._verdict = Verdict(trial.answer, 1.0, 0, "none", str(trial.status), "nothing", True, self.rates)

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
        return Progress(reading.answer, self._confidence(), reading.statistic, reading.threshold, rival, self._remaining())

    def rates(self) -> list[Rate]:
        """Estimated rates of all items now, with intervals that hold for all items and times at once."""
        return _rates(self.arms, self._trials, self._successes, self._forecaster.score - math.log(1.0 / self.delta))

    def _advance(self) -> None:
        arms, outcomes = self._ledger.advance()
        if len(arms) == 0:
            return
        self._forecaster.absorb(arms, outcomes)
        np.add.at(self._trials, arms, 1.0)
        np.add.at(self._successes, arms, outcomes)
        told = self._ledger.first
        spent = self.max_trials is not None and told >= self.max_trials
        if self._verdict is None and (told >= self._next_look or spent):
            self._verdict = self._look() or (self._give_up() if spent else None)

    def _look(self) -> Verdict | None:
        """Estimate, look at the evidence, adapt the weights, and decide when to look again."""
        fit = maximum_likelihood(self.arms.points, self._trials, self._successes, start=self._estimate)
        self._estimate = fit.theta if fit.proven else np.zeros(self.arms.dimension)
        self._forecaster.refit(self._trials + self._past_trials, self._successes + self._past_successes)
        state = State(self.arms.points, self._trials, self._successes, fit, self._forecaster.score, self.delta, self._question)
        reading = self._reading = self._rule.read(state)
        if reading.answer is not None:
            self._least[reading.answer] = min(self._least.get(reading.answer, 1.0), reading.p_value)
        if reading.enough:
            reason = "every alternative is refuted" if self._rule.proven else "its threshold, which is unproven, is passed"
            return self._decide(reading.answer, reason, proven=self._rule.proven)
        self._lazy.move(self._posed(self._forecaster.best if reading.estimate is None else reading.estimate))
        t, remaining = self._ledger.first, self._remaining()
        pause = 0.25 * t if remaining is None else min(max(0.01 * t, 0.15 * remaining), 0.25 * t)
        self._next_look = t + max(1, int(pause))
        return None

    def _question(self, theta: Array) -> tuple[Answer, Alternatives] | None:
        posed = self._posed(theta)
        return (posed.answer, posed.alternatives) if posed.status is Status.CONVERGED and posed.answer is not None else None

    def _posed(self, theta: Array) -> Posed:
        return pose(self.problem, self.arms, self._padded(theta))

    def _padded(self, theta: Array) -> Array:
        """With zeros where items have coordinates that no arm measures."""
        return np.concatenate([theta, np.zeros(self.arms.items.points.shape[1] - self.arms.dimension)])

    def _confidence(self) -> float:
        return 0.0 if self._reading.answer is None else 1.0 - self._least.get(self._reading.answer, 1.0)

    def _remaining(self) -> float | None:
        """Evidence still missing, at one unit for each characteristic time."""
        missing = self._reading.threshold - self._reading.statistic
        if not math.isfinite(missing) or not math.isfinite(self._lazy.characteristic_time):
            return None
        return max(0.0, missing) * self._lazy.characteristic_time

    def _decide(self, answer: Answer, reason: str, *, proven: bool) -> Verdict:
        confidence = 1.0 - self._least.get(answer, 1.0)
        line = self._forecaster.score - math.log(1.0 / self.delta)
        rates = partial(_rates, self.arms, self._trials.copy(), self._successes.copy(), line)
        return Verdict(answer, confidence, int(self._trials.sum()), self._rule.name, reason, self._rule.assumes, proven, rates)

    def _give_up(self) -> Verdict:
        found = self.problem.answer(self.arms.items, self._padded(self._forecaster.best))
        guess = Answer(found, self.problem.describe(self.arms.items, found))
        return self._decide(guess, f"the budget of {self.max_trials:,} trials is spent: a guess, not a proof", proven=False)


def _rates(arms: Arms, trials: Array, successes: Array, line: float) -> list[Rate]:
    fit = maximum_likelihood(arms.points, trials, successes)
    inside, beyond = np.split(arms.items.points, [arms.dimension], axis=1)
    return [
        Rate(name, 0.0, 0.5, 1.0) if unseen.any() else rate(arms.points, trials, successes, fit, line, z, name)
        for z, unseen, name in zip(np.ascontiguousarray(inside), beyond, arms.items.names, strict=True)
    ]
