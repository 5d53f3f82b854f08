"""Track and stop: Algorithm 1 of the paper, with any sampling rule and any stopping rule.

    Ochoa Rivera and Tewari, "Near Optimal Pure Exploration in Logistic Bandits", Algorithm 1.

    Algorithm 1                                                  here
    while t not in B or Z(t) < beta(delta, t):            (7)    until a look gives a verdict
        if lambda_min(A_t) < f(t):  x = x_0(i_t)          (9)    Sampler.next: forced exploration
        else:                       x = b_t              (13)    Sampler.next: tracking
        t = t + 1, sample x                                      ask, try, tell
        update N(t), theta_t, theta^(1)_t, Z(t), A_t, H_t (1-5)  Judge.hear, Judge.look
        w(t) = argmax_w psi(theta^(1)_t, w)              (14)    Sampler.learn
    return i*(theta^(1)_tau)                                     verdict.answer

Numbers are those of the paper's equations.

Between two looks at the evidence arms are chosen and outcomes counted; estimates, weights and the evidence
are brought up to date at a look.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.evidence.intervals import RateTable
from logts.judge import Judge, Progress, Verdict
from logts.logistic.fit import checked_counts
from logts.policies.base import Asked, checked_settings
from logts.policies.ledger import AT_ONCE, Counts, History, Ledger, checked_counts_of
from logts.policies.sharing import MakeSampler, Sharing
from logts.problems import Problem
from logts.stopping import Reading, make_rule
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful

LONGEST = 1_000_000  # trials in a block, so that a simulation of many millions keeps to little memory
FIRST_LOOK = 16  # trials before the first look at the least
PAUSE = 0.03  # of the trials made, until the next look,
LONGER = 0.1  # and when a verdict is not near,
LEAST = 8  # though so many at the least


class Settings(TypedDict, total=False):
    """What every policy of this kind can be told; see :class:`logts.LogTS`."""

    delta: float
    stopping: str
    guard: bool
    max_trials: int | None
    rng: np.random.Generator | int | None
    radius: float | None
    kappa: float | None


class TrackAndStop(Stateful):
    """A sampling rule and a stopping rule, made into a policy.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    make_sampler
        Makes the rule that chooses among arms, given these and a source of randomness.
    alone
        Whether that rule chooses every trial, even those that the guard would choose.
    duels
        Whether, where arms share nothing, duels take the place of that rule.
    delta, stopping, guard, max_trials, rng, **constants
        See :class:`logts.LogTS`.

    Examples
    --------
    >>> import logts
    >>> from logts.policies import TrackAndStop
    >>> from logts.sampling import Even
    >>> arms = logts.Arms(names=["red", "green"])
    >>> policy = TrackAndStop(arms, logts.BestArm(), lambda among, rng: Even(among), alone=True)
    >>> policy.ask(4).arms.tolist()
    [0, 1, 0, 1]
    """

    _kept = ("judge", "ledger", "_sampler", "_between", "_chance", "counted", "_next_look", "_verdict")

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        make_sampler: MakeSampler,
        *,
        alone: bool = False,
        duels: bool = False,
        delta: float = 0.05,
        stopping: str = "evidence",
        guard: bool = True,
        max_trials: int | None = None,
        rng: np.random.Generator | int | None = 0,
        **constants: Any,
    ) -> None:
        checked_settings(delta, max_trials, guard)
        self.arms = arms
        self.problem = problem
        self.delta = delta
        self.max_trials = max_trials
        rule = make_rule(stopping, constants)
        self.judge = Judge(arms, problem, rule, delta=delta, guard=guard)
        self.ledger = Ledger()
        source = np.random.default_rng(rng)
        self._sampler = Sharing(make_sampler, self.judge, source, alone=alone, duels=duels)
        self._between: list[History | Counts] = []  # told between asks, and not heard yet
        self._chance = source.spawn(1)[0]  # for the order of outcomes of which only the numbers are told
        self.counted = 0  # trials that were told as numbers
        self._next_look = max(2 * arms.dimension, FIRST_LOOK)
        self._verdict = self.judge.known_beforehand()

    # The loop: ask, tell, look.

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
        arms = self._sampler.next(n)  # x_{t+1}: eq. (9), forced exploration, or eq. (13), tracking
        return Asked(self.ledger.ask(arms), arms)

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them.
        outcomes
            1 or True for yes, 0 or False for no, one for each id.
        """
        self.ledger.tell(ids, outcomes)
        self._advance()

    def abandon(self, ids: Sequence[int] | ArrayLike) -> None:
        """Give up trials that will never come back.

        Their loss must not depend on the outcome they would have had.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them.
        """
        self.ledger.abandon(ids)
        self._advance()

    def tell_counts(self, arm: int, successes: int, trials: int) -> None:
        """Report trials of one arm of which only the numbers are known, as if asked for and told now.

        They are evidence like all others. Which arm, and how many trials, must have been settled before their
        outcomes were seen, and the outcomes of an arm must be independent and alike: see ``docs/studies.md``.

        Parameters
        ----------
        arm
            The number of the arm.
        successes, trials
            How many of how many trials said yes.
        """
        if isinstance(arm, bool) or not 0 <= operator.index(arm) < len(self.arms):
            raise ValueError(f"arm {arm!r} does not exist: there are {len(self.arms)} arms, numbered from 0")
        told = Counts(self.ledger.asked, int(arm), *checked_counts_of(successes, trials))
        for begin in range(0, told.trials, AT_ONCE):
            tried = np.full(min(AT_ONCE, told.trials - begin), told.arm, dtype=np.intp)
            self._sampler.correct(tried[:0], tried)
        self.counted += told.trials
        self._between.append(told)
        self._advance()

    @property
    def complete(self) -> int:
        """Trials that are heard, in the order of the asks."""
        waiting = sum(told.trials for told in self._between if isinstance(told, Counts))
        return self.ledger.complete + self.counted - waiting

    def _advance(self) -> None:
        """Count what is complete (N(t), A_t, H_t are sums over it), and look if it is time."""
        self._hear()
        t = self.complete
        spent = self.max_trials is not None and t >= self.max_trials
        if self._verdict is None and (t >= self._next_look or spent):
            self._verdict = self._look(t) or (self._give_up() if spent else None)

    def _look(self, t: int) -> Verdict | None:
        """Stop if the evidence suffices; otherwise adapt the weights, and decide when to look again."""
        found = self.judge.look(t)  # theta_t, theta^(1)_t, and whether Z(t) > beta(delta, t): eq. (5), (7)
        if found.verdict is not None:
            return found.verdict  # i*(theta^(1)_tau)
        self._sampler.learn(found)  # w(t) = argmax_w psi(theta^(1)_t, w): eq. (14)
        remaining = self._remaining(found.reading)
        far = max(LONGER * t, LEAST)
        pause = far if remaining is None else max(PAUSE * t, min(0.3 * remaining, far))
        self._next_look = t + max(1, int(min(pause, self._sampler.patience(t))))
        return None

    def _give_up(self) -> Verdict:
        return self.judge.give_up(f"the budget of {self.max_trials:,} trials is spent: a guess, not a proof")

    # What is known.

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""
        return self._verdict

    @property
    def progress(self) -> Progress:
        """How far the study is. To ask changes nothing: it looks when it chooses."""
        reading, confidence = self.judge.standing()
        return Progress(
            leader=reading.answer,
            confidence=confidence,
            evidence=reading.statistic,
            threshold=reading.threshold,
            rival=tuple(self.arms.items.names[i] for i in reading.rival),
            remaining=self._remaining_with_opinion(reading),
        )

    @property
    def counts(self) -> Array:
        """Outcomes that count as evidence, for each arm."""
        return self.judge.tally.trials.copy()

    @property
    def weights(self) -> Array | None:
        """The shares of the trials that are tracked within the model; None if there are none."""
        return self._sampler.weights

    def rates(self) -> RateTable:
        """Estimated rates of all items now, with intervals that hold for all items and times at once.

        Returns
        -------
        Sequence of Rate
            One for each item.
        """
        return self.judge.rates()

    @property
    def block(self) -> int:
        """How many trials may be asked for before the evidence is looked at again."""
        end = self._next_look if self.max_trials is None else min(self._next_look, self.max_trials)
        return max(1, min(end - self.ledger.asked - self.counted, LONGEST))

    def _remaining_with_opinion(self, reading: Reading) -> float | None:
        """What the evidence needs, and then the second opinion."""
        remaining = self._remaining(reading)
        if remaining is None or reading.answer is None:
            return remaining
        opinion = self.judge.opinion(self.judge.tally, reading.answer)
        return remaining if opinion is None else remaining + opinion.missing

    def _remaining(self, reading: Reading) -> float | None:
        """Evidence still missing, at one unit for each characteristic time."""
        missing = reading.threshold - reading.statistic
        if not math.isfinite(missing) or not math.isfinite(self._sampler.characteristic_time):
            return None
        return max(0.0, missing) * self._sampler.characteristic_time

    # Before the study, and beyond this process.

    def tell_history(self, trials: Array, successes: Array) -> None:
        """Counts from before the study: they sharpen the forecasts and are no evidence.

        They inform the forecasts of trials that are asked for from now on. Of those still out they might hold
        the outcomes already, and a forecast must not know what it forecasts.

        Parameters
        ----------
        trials, successes
            Counts, one for each arm.
        """
        counts = checked_counts(self.arms, trials, successes)
        self._between.append(History(self.ledger.asked, *counts))
        self._advance()

    def inherit(self, arms: Indices, outcomes: Array) -> None:
        """Go on from an earlier study of the same arms under another model: its outcomes, by its asks.

        Parameters
        ----------
        arms, outcomes
            What was tried there, in the order of its asks, and what came of it.
        """
        if self.ledger.asked:
            raise ValueError("a study goes on from another one before its first trial")
        known = self.judge.inherit(arms, outcomes)
        self._sampler.inherit(arms)
        if not self.judge.trust.without_model:
            self._sampler.prepare(self.judge.pose(), known.trials)

    def _hear(self) -> None:
        """Hear what has become complete, in the order of the asks, and what was told between at its place."""
        while self._between:
            told = self._between[0]
            self.judge.hear(*self.ledger.advance(told.place))
            if self.ledger.complete < told.place:
                return
            del self._between[0]
            if isinstance(told, Counts):
                for outcomes in told.in_some_order(self._chance):
                    self.judge.hear(np.full(len(outcomes), told.arm), outcomes)
                continue
            known = self.judge.hear_history(told.trials, told.successes)
            if not self.judge.trust.without_model:
                self._sampler.prepare(self.judge.pose(), known.trials)
        self.judge.hear(*self.ledger.advance())

    def mark(self) -> tuple[int, dict[str, Any]]:
        """Where it stands before an ask that may have to be forgotten.

        Returns
        -------
        tuple
            What ``unask`` wants to be given.
        """
        return self.ledger.asked, self._sampler.saved()

    def unask(self, mark: tuple[int, dict[str, Any]]) -> None:
        """Forget what was asked since then: somebody else was faster.

        Parameters
        ----------
        mark
            What ``mark`` gave.
        """
        asked, sampler = mark
        self.ledger.unask(asked)
        self._sampler.put_back(sampler)

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        if self._verdict is not None:
            self._verdict = replace(self._verdict, find_rates=self.judge.rates_at_stop)

    def replay(self, arms: Indices) -> None:
        """Ask for trials that were asked for before, in another process or by another version.

        Parameters
        ----------
        arms
            The arms that were tried.
        """
        chosen = self._sampler.next(len(arms))
        if not np.array_equal(chosen, arms):
            self._sampler.correct(chosen, arms)
        self.ledger.ask(arms)

    @property
    def lasting(self) -> bool:
        """Whether its state can be kept, so that it may run a study that outlives its process."""
        return self._sampler.lasts
