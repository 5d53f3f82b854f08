"""The wealth within the model: against its derivation, and what it promises."""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import expit, log_expit

from logts import Arms, BestArm, LogTS, Problem, Ranking, Threshold, TopM, VersusControl
from logts.alternatives import HalfSpaces
from logts.evidence.least import Seen
from logts.evidence.least import log_wealth as compiled_log_wealth
from logts.evidence.placing import Placing
from logts.evidence.shift import Bets, stakes_of
from logts.evidence.tally import Tally
from logts.evidence.wealth import FORECAST, Wealth
from logts.logistic import Fit, maximum_likelihood
from logts.problems import Question
from logts.tools.algebra import Array
from logts.tools.status import Status
from tests.instances import soare
from tests.wealth import Account, accounts, gain, least, log_wealth, whole

PROBLEMS: list[Problem] = [BestArm(), BestArm(0.2), TopM(2), Threshold(0.45), Ranking(), VersusControl(0)]


@dataclass(frozen=True)
class State:
    """A study at some time."""

    problem: Problem
    arms: Arms
    tally: Tally
    wealth: Wealth
    fit: Fit
    half_spaces: HalfSpaces

    @property
    def points(self) -> Array:
        return self.arms.points


@functools.cache
def states() -> list[State]:
    """Studies of all kinds, played for some time."""
    found: list[State] = []
    seed = 0
    while len(found) < 200:
        rng = np.random.default_rng(seed)
        problem = PROBLEMS[seed % len(PROBLEMS)]
        seed += 1
        d = int(rng.integers(2, 5))
        arms = Arms(rng.normal(size=(int(rng.integers(d + 1, 8)), d)))
        rates = expit(arms.features @ rng.normal(size=d) * rng.choice([0.3, 0.8]))
        most = int(np.exp(rng.uniform(3.5, 7.5)))
        policy = LogTS(arms, problem, delta=1e-12, guard=False, max_trials=10_000)
        while policy.ledger.complete < most and policy.verdict is None:
            asked = policy.ask(min(policy.block, most - policy.ledger.complete))
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        tally = policy.judge.tally
        fit = maximum_likelihood(arms.points, tally.trials, tally.successes)
        posed = Question(problem, arms).pose(fit.theta)
        if fit.proven and posed.status is Status.CONVERGED:
            rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
            wealth = policy.judge._model._placing.wealth
            found.append(State(problem, arms, tally, wealth, fit, rows))
    return found


def test_the_least_wealth_agrees_with_general_solvers() -> None:
    """200 states, all half-spaces: the bound is the least log M there, and never more."""
    tight = 0
    for state in states():
        rng = np.random.default_rng(1)
        found = state.wealth.each(state.points, state.tally, state.fit, state.half_spaces)
        ends = []
        each = accounts(state.points, state.wealth, state.tally, state.half_spaces)
        rows = state.half_spaces
        for j, account in enumerate(each):
            theta = state.fit.theta
            starts = [theta, theta + 0.5 * rng.normal(size=len(theta))]
            ends.append(least(account, rows.normals[j], float(rows.offsets[j]), starts))
            assert found[j] <= ends[j] + 1e-6
            alone = account.forecast - state.fit.log_likelihood
            if found[j] > max(account.cash, alone) + 1e-6:
                assert found[j] == pytest.approx(ends[j], abs=1e-6)
                tight += 1
        weighed = state.wealth.weigh(state.points, state.tally, state.fit, state.half_spaces)
        assert weighed is not None
        assert weighed.whole
        assert found.min() - 1e-6 <= weighed.least <= min(ends) + 1e-6
        some = state.wealth.weigh(state.points, state.tally, state.fit, state.half_spaces, math.log(20.0))
        assert some is not None
        assert (some.least > math.log(20.0)) == (weighed.least > math.log(20.0))
    assert tight > 300


def bets_of(account: Account) -> Bets:
    return Bets(account.constants, account.slopes, account.shifts, account.low, account.high)


def compiled(account: Account, at: Array) -> float:
    """Log M as the package has it."""
    seen = Seen(account.points, account.trials, account.successes, account.since[0], account.forecast)
    d = len(at)
    stakes = stakes_of(account.points, account.since, bets_of(account))  # type: ignore[arg-type]  # a tuple does
    return float(compiled_log_wealth(seen, stakes, account.cash, at, np.empty(d), np.empty((d, d))))


def some_accounts() -> list[tuple[State, Account]]:
    """Of each state one that has bets."""
    pairs = []
    for state in states():
        each = accounts(state.points, state.wealth, state.tally, state.half_spaces)
        pairs += [(state, account) for account in each if len(account.constants)][:1]
    assert len(pairs) > 150
    return pairs


def test_a_bet_is_never_worth_more_than_it_earned() -> None:
    """The minorant against F, as it is earned outcome by outcome, and the same where that is meant."""
    for number, (state, account) in enumerate(some_accounts()):
        rng = np.random.default_rng(number)
        n, r, q = account.since
        for scale in (0.1, 1.0, 4.0):
            at = state.fit.theta + scale * rng.normal(size=len(state.fit.theta))
            z = account.points @ at
            for c, shift in enumerate(account.shifts):
                h = account.points @ shift
                b = np.where(h > 0.0, account.low, -account.high) - np.abs(h)
                w = 1.0 - (1.0 - np.exp(-np.abs(h))) * expit(-b)
                assert ((w >= 0.0) & (w <= 1.0)).all()
                raised = r * log_expit(z + h) + (n - r) * log_expit(-z - h)
                plain = r * log_expit(z) + (n - r) * log_expit(-z)
                exact = float((w * raised + (1.0 - w) * q - plain).sum())
                assert gain(account, shift, z, minorant=False)[0] == pytest.approx(exact, rel=1e-9, abs=1e-8)
                one = account._replace(
                    forecast=-math.inf,
                    cash=-math.inf,
                    constants=np.zeros(1),
                    slopes=np.zeros((1, len(at))),
                    shifts=account.shifts[c : c + 1],
                )
                value = compiled(one, at)
                assert value <= exact + 1e-8 * (1.0 + abs(exact))
                assert value == pytest.approx(gain(account, shift, z)[0], rel=1e-9, abs=1e-8)
                if (np.where(h > 0.0, z, -z) >= b).all():
                    assert value == pytest.approx(exact, rel=1e-9, abs=1e-8)


def test_a_bet_is_fair_or_worse_at_every_parameter() -> None:
    """The mean of what one outcome multiplies it by, whatever the shift, the share and the forecast."""
    rng = np.random.default_rng(0)
    z, h = 3.0 * rng.normal(size=(2, 100_000))
    w, q = rng.random((2, 100_000))
    yes = expit(z) * (expit(z + h) / expit(z)) ** w * (q / expit(z)) ** (1.0 - w)
    no = expit(-z) * (expit(-z - h) / expit(-z)) ** w * ((1.0 - q) / expit(-z)) ** (1.0 - w)
    assert (yes + no).max() <= 1.0 + 1e-12


def test_log_wealth_is_convex() -> None:
    for number, (state, account) in enumerate(some_accounts()):
        rng = np.random.default_rng(number)
        for scale in (0.3, 2.0):
            a, b = state.fit.theta + scale * rng.normal(size=(2, len(state.fit.theta)))
            t = rng.random()
            between = compiled(account, t * a + (1.0 - t) * b)
            assert between <= t * compiled(account, a) + (1.0 - t) * compiled(account, b) + 1e-9
            assert between == pytest.approx(log_wealth(t * a + (1.0 - t) * b, account)[0], rel=1e-9, abs=1e-8)


def test_all_capital_is_one() -> None:
    for bets in (True, False):
        first = Wealth.at_first(3, 2, bets=bets)
        assert math.exp(first.forecast) + math.exp(first.saved) == pytest.approx(1.0)
    for problem in PROBLEMS:
        arms = Arms(soare(3))
        placing = Placing(arms.points, bets=True)
        posed = Question(problem, arms).pose(np.array([0.5, -0.3, 0.2]))
        placing.place(Tally.of_counts(np.full(4, 9.0), np.full(4, 4.0)), posed.theta, posed.alternatives)
        made = placing.wealth
        in_bets = np.exp(made.constants).sum(axis=1)
        assert not made.slopes.any()
        apart = isinstance(problem, BestArm)
        assert np.exp(made.cash) + (in_bets if apart else in_bets.sum()) == pytest.approx(1.0 - FORECAST)


def test_closing_bets_and_opening_them_anew_gains_nothing() -> None:
    """At every parameter, for each account: M after is at most M before."""
    moved = 0
    for number, state in enumerate(states()):
        rng = np.random.default_rng(number)
        d = len(state.fit.theta)
        placing = Placing(state.points, bets=True)
        placing.wealth = state.wealth
        # Posed at another parameter, where rivals may be others.
        guess = state.fit.theta + rng.choice([0.0, 0.3, 1.0]) * rng.normal(size=d)
        posed = Question(state.problem, state.arms).pose(guess)
        placing.place(state.tally, guess, posed.alternatives)
        apart = state.half_spaces.apart
        for item in range(len(state.points)) if apart else (0,):
            before = whole(state.points, state.wealth, state.tally, item, apart=apart)
            after = whole(state.points, placing.wealth, state.tally, item, apart=apart)
            for scale in (0.1, 1.0, 3.0):
                at = state.fit.theta + scale * rng.normal(size=d)
                assert log_wealth(at, after)[0] <= log_wealth(at, before)[0] + 1e-9
        moved += placing.wealth is not state.wealth
    assert moved > 150
