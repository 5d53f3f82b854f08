"""When each option was settled."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy

import logts
from logts.evidence.pairs import FORECAST
from logts.evidence.tally import Tally
from tests.reference import log_likelihood
from tests.studies import X, carried_out

TRIALS = np.array([40.0, 35.0, 50.0, 60.0, 30.0])
SUCCESSES = np.array([12.0, 15.0, 24.0, 41.0, 21.0])
QUESTIONS = [logts.BestArm(), logts.TopM(2), logts.Threshold(0.45), logts.VersusControl(0), logts.Ranking()]
# Items concerned; "high beats low by more than c", -1 for nobody.
Statement = tuple[tuple[int, ...], int, int, float]


def statements(problem: logts.Problem, answer: tuple[int, ...], count: int) -> list[Statement]:
    """What an answer says, written down independently of the package."""
    others = [i for i in range(count) if i not in answer]
    if isinstance(problem, logts.BestArm | logts.TopM):
        return [((i, k), i, k, 0.0) for i in answer for k in others]
    if isinstance(problem, logts.Ranking):
        return [((i, k), i, k, 0.0) for i, k in itertools.pairwise(answer)]
    if isinstance(problem, logts.VersusControl):
        return [((i, 0), *((i, 0) if i in answer else (0, i)), 0.0) for i in range(1, count)]
    assert isinstance(problem, logts.Threshold)
    line = float(logit(problem.rate))
    return [((i,), *((i, -1, line) if i in answer else (-1, i, -line))) for i in range(count)]


def smallest(said: list[Statement], value: Callable[[int, int, float], float]) -> dict[int, float]:
    values = [(concerned, value(high, low, c)) for concerned, high, low, c in said]
    items = {i for concerned, _ in values for i in concerned}
    return {i: min(found for concerned, found in values if i in concerned) for i in items}


@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_what_is_settled_in_the_model_agrees_with_a_nonlinear_program(problem: Any) -> None:
    arms = logts.Arms(X)
    policy = logts.LogTS(arms, problem, stopping="forecast")
    score = -125.0
    best = minimize(lambda theta: -log_likelihood(X, TRIALS, SUCCESSES, theta), np.zeros(3), tol=1e-12).x
    answer = problem.answer(logts.arms.Items(X, arms.names), best)

    def against(high: int, low: int, c: float) -> float:
        y = (high >= 0) * X[high] - (low >= 0) * X[low]
        start = best - y * max(0.0, y @ best - c) / (y @ y)
        found = minimize(
            lambda theta: -log_likelihood(X, TRIALS, SUCCESSES, theta),
            start,
            jac=lambda theta: -X.T @ (SUCCESSES - TRIALS * expit(X @ theta)),
            constraints={"type": "ineq", "fun": lambda theta: c - y @ theta, "jac": lambda theta: -y},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return score + float(found.fun)

    expected = smallest(statements(problem, answer, len(X)), against)
    tally = Tally(TRIALS, SUCCESSES, np.full(5, score / 5))
    found = policy.judge.item_evidence(tally, logts.Answer(answer, ""), without_model=False)
    assert found.keys() == expected.keys()
    for item, value in expected.items():
        assert found[item] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_what_is_settled_without_a_model_agrees_with_the_definition(problem: Any) -> None:
    policy = logts.LogTS(logts.Arms(names=list("abcde")), problem)
    logits = logit(SUCCESSES / TRIALS)
    answer = problem.answer(logts.arms.Items(logits[:, None], tuple("abcde")), np.ones(1))

    def own(i: int) -> float:
        """The forecasts of an arm that know this arm only, one outcome after the other.

        The order does not matter.
        """
        outcomes = [1] * int(SUCCESSES[i]) + [0] * int(TRIALS[i] - SUCCESSES[i])
        seen = [sum(outcomes[:t]) for t in range(len(outcomes))]
        return sum(
            math.log(((s if yes else t - s) + 0.5) / (t + 1.0))
            for t, (s, yes) in enumerate(zip(seen, outcomes, strict=True))
        )

    def height(n: float, r: float, p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p))

    unions = {logts.BestArm: 4, logts.TopM: 6, logts.Threshold: 5, logts.VersusControl: 4, logts.Ranking: 10}
    union = unions[type(problem)]
    # The best has an account for each rival, which needs no union bound but for the forecasts of each leader.
    apart = isinstance(problem, logts.BestArm)
    capital = FORECAST / union if apart else FORECAST

    def against(high: int, low: int, c: float) -> float:
        chosen = [i for i in (high, low) if i >= 0]
        n = TRIALS[chosen]
        r = SUCCESSES[chosen]
        # On the boundary two arms share the pooled rate; one arm has the rate of the line.
        p = r.sum() / n.sum() if len(chosen) == 2 else float(expit(c if high >= 0 else -c))
        forecasts = sum(own(i) for i in chosen)
        heights = sum(height(a, b, p) for a, b in zip(n, r, strict=True))
        # No bet is placed yet: part of the capital is on these forecasts, the rest in cash.
        wealth = np.logaddexp(math.log(1.0 - FORECAST), math.log(capital) + forecasts - heights)
        return float(wealth) - (0.0 if apart else math.log(union))

    expected = smallest(statements(problem, answer, len(X)), against)
    found = policy.judge.item_evidence(
        Tally.of_counts(TRIALS, SUCCESSES), logts.Answer(answer, ""), without_model=True
    )
    assert found == pytest.approx(expected, abs=1e-7)


def test_the_hardest_comparison_is_what_the_study_waits_for() -> None:
    for arms in (logts.Arms(X), logts.Arms(names=list("abcde"))):
        policy = logts.LogTS(arms, logts.TopM(2))
        rng = np.random.default_rng(0)
        asked = policy.ask(400)
        policy.tell(asked.ids, rng.random(400) < np.array([0.2, 0.3, 0.4, 0.6, 0.7])[asked.arms])
        progress = policy.progress
        assert progress.leader is not None
        judge = policy.judge
        free = judge.trust.without_model
        evidence = judge.item_evidence(judge.tally, progress.leader, without_model=free)
        assert min(evidence.values()) == pytest.approx(progress.evidence, abs=1e-6)
        assert progress.threshold == pytest.approx(math.log(1 / judge.permitted(without_model=free)))


def test_nothing_is_settled_where_there_is_no_such_evidence() -> None:
    leader = logts.Answer((4,), "")
    tally = Tally(TRIALS, SUCCESSES, np.full(5, -25.0))
    no_score = logts.LogTS(logts.Arms(X), logts.BestArm(), stopping="paper-practical", radius=3.0)
    assert no_score.judge.item_evidence(tally, leader, without_model=False) == {}
    no_guard = logts.LogTS(logts.Arms(X), logts.BestArm(), guard=False)
    assert no_guard.judge.item_evidence(tally, leader, without_model=True) == {}
    default = logts.LogTS(logts.Arms(X), logts.BestArm())
    wrong = default.judge.item_evidence(tally, logts.Answer((0,), ""), without_model=False)
    assert set(wrong.values()) == {-math.inf}  # the fit says otherwise
    alone = logts.LogTS(logts.Arms(names=["only"]), logts.BestArm())
    for free in (False, True):
        few = Tally(np.array([5.0]), np.array([2.0]), np.array([-4.0]))
        assert alone.judge.item_evidence(few, logts.Answer((0,), ""), without_model=free) == {}
    many = np.random.default_rng(0).normal(size=(100, 3))
    half = logts.Answer(tuple(range(50)), "")
    tally = Tally(np.full(100, 5.0), np.full(100, 2.0), np.full(100, -3.0))
    policy = logts.LogTS(logts.Arms(many), logts.TopM(50))
    for free in (False, True):
        assert policy.judge.item_evidence(tally, half, without_model=free) == {}


def test_items_that_equal_the_answer_or_that_no_arm_measures() -> None:
    twins = logts.LogTS(logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]), logts.TopM(1))
    tally = Tally(np.array([90.0, 60.0, 60.0]), np.array([20.0, 45.0, 47.0]), np.full(3, -125.0 / 3))
    found = twins.judge.item_evidence(tally, logts.Answer((2,), ""), without_model=False)
    assert found.keys() == {0, 2}
    pairs = logts.LogTS(logts.Arms.pairwise(["a", "b", "c"]), logts.BestArm())
    tally = Tally(np.full(3, 50.0), np.array([40.0, 45.0, 30.0]), np.full(3, -80.0 / 3))
    evidence = pairs.judge.item_evidence(tally, logts.Answer((0,), ""), without_model=False)
    assert evidence.keys() == {0, 1, 2}
    assert all(math.isfinite(value) for value in evidence.values())


def test_settled_agrees_with_the_intervals(tmp_path: Path) -> None:
    """A rate above the line is settled exactly when its interval, at the same delta, is beyond it."""
    arms = logts.Arms(X)
    rates = expit(X @ [-1.0, 1.2, 0.9])
    forecast: dict[str, Any] = {"stopping": "forecast", "guard": False}  # bets settle more than intervals say
    with carried_out(tmp_path, arms, logts.Threshold(0.5), rates, most=800, **forecast) as study:
        at = study.standing()
        beyond = {i for i, rate in enumerate(at.rates) if rate.low > 0.5 or rate.high < 0.5}
        assert at.last.leader is not None
        evidence = study._read().policy.judge.item_evidence(
            at.last.tally, at.last.leader, without_model=False
        )
        assert {i for i, value in evidence.items() if value > math.log(1 / study.delta)} == beyond
        assert 0 < len(beyond) < 5
