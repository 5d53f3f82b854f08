"""The second opinion: exact tests of single options, and where an option would change the answer."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

import logts
from logts import Arms, BestArm, LogTS, Ranking, Rates, Threshold, TopM, VersusControl
from logts.evidence.tally import Tally
from logts.judge import second_opinion as module
from logts.judge.second_opinion import EQUAL, LEVEL, TOLERANCE, Opinion, bounds, second_opinion
from logts.judge.with_model import WithModel
from logts.problems import Comparable, Question
from logts.tools.algebra import Array

PROBLEMS: list[logts.Problem] = [BestArm(), TopM(2), Threshold(0.45), VersusControl(1), Ranking()]


def test_every_option_is_tested_exactly_at_both_ends() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        trials = rng.integers(0, 60, size=6).astype(float)
        successes = np.floor(trials * rng.random(6))
        low, high = np.sort(rng.normal(size=(2, 6)), axis=0)
        low[:2] = -math.inf
        high[1:3] = math.inf
        fitted = rng.normal(size=6)
        found = second_opinion(Tally.of_counts(trials, successes), low, high, fitted)
        still = []
        for k in range(6):
            r, n = int(successes[k]), int(trials[k])
            ends = [(low[k], "greater"), (high[k], "less")]
            passed = [
                n > 0 and binomtest(r, n, expit(end), alternative=side).pvalue <= LEVEL
                for end, side in ends
                if math.isfinite(end)
            ]
            if not all(passed):
                still.append(k)
        assert found.open.tolist() == still
        assert (found.missing > 0) == bool(still)


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_no_single_option_within_its_bounds_changes_the_answer(
    problem: logts.Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By brute force: each option is moved alone, the others stay where the model puts them."""
    monkeypatch.setattr(module, "TOLERANCE", 0.0)
    arms = Arms(names=list("abcde"))
    question = Question(problem, arms)
    rng = np.random.default_rng(1)
    assert isinstance(problem, Comparable)
    for _ in range(20):
        fitted = rng.normal(size=5)
        answer = question.pose(arms.coordinates(fitted)).answer
        assert answer is not None
        compared = problem.comparisons(arms.items, answer.items)
        least, most = bounds(compared, fitted, fitted, np.arange(5))
        for k in range(5):
            for end, inward in ((least[k], 1), (most[k], -1)):
                if math.isfinite(end):
                    moved = fitted.copy()
                    moved[k] = end + 1e-6 * inward
                    inside = question.pose(arms.coordinates(moved)).answer
                    moved[k] = end - 1e-6 * inward
                    outside = question.pose(arms.coordinates(moved)).answer
                    assert inside == answer
                    assert outside != answer


def test_bounds_leave_room_for_the_tolerance() -> None:
    problem = BestArm()
    fitted = np.array([1.0, 0.9, -2.0])
    compared = problem.comparisons(Arms(names=list("abc")).items, (0,))
    least, most = bounds(compared, fitted, fitted, np.arange(3))
    assert least.tolist() == [pytest.approx(1.0 - TOLERANCE), -math.inf, -math.inf]
    assert most.tolist() == [math.inf, pytest.approx(0.9 + TOLERANCE), 1.0]
    own = np.array([0.2, 1.5, -2.0])  # a and b have equal features: each is held against the other's outcomes
    least, most = bounds(compared, fitted, own, np.array([0, 0, 1]))
    assert least[0] == pytest.approx(1.5 - EQUAL)
    assert most[1] == pytest.approx(0.2 + EQUAL)


def study(arms: Arms, rates: Array, runs: int = 20) -> logts.Runs:
    policy = partial(LogTS, max_trials=50_000)
    return logts.simulate(policy, arms, Rates(rates), BestArm(), delta=0.05, runs=runs, rng=0)


@pytest.mark.parametrize(
    ("features", "logits", "most"),
    [
        # 45 of 600 were wrong in the first of these worlds, in the others one in a hundred or none
        ([[1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5]], [-1.5, -1.0, 1.6, 0.0, 0.5, 1.0], 15),
        ([[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]], [-3.2, -1.2, 0.4, -0.2, -1.2], 3),
        ([[1, 0], [0, 1], [1, 1]], [0.2, 0.1, -0.5], 3),
        ([[1, 0], [1, 0], [1, 1], [1, 2]], [0.0, 1.2, -0.4, -0.8], 4),
    ],
    ids=["best predicted mediocre", "peak under a line", "three in two dimensions", "equal features"],
)
def test_a_wrong_model_does_not_give_a_wrong_verdict(
    features: list[list[int]], logits: list[float], most: int
) -> None:
    arms = Arms(np.array(features, dtype=float))
    rates = expit(np.array(logits))
    trusting = logts.simulate(
        partial(LogTS, guard=False, max_trials=50_000), arms, Rates(rates), BestArm(), runs=20, rng=0
    )
    assert sum(not row.correct for row in trusting) >= 8
    assert sum(not row.correct for row in study(arms, rates, runs=100)) <= most


def test_options_with_equal_features_are_not_already_known() -> None:
    arms = Arms([[1.0], [1.0]], names=["a", "b"])
    assert LogTS(arms, BestArm()).verdict is None
    runs = study(arms, np.array([0.3, 0.6]))
    assert {row.basis for row in runs} == {"model-free"}
    assert sum(not row.correct for row in runs) <= 4
    trusting = LogTS(arms, BestArm(), guard=False).verdict
    assert trusting is not None
    assert (trusting.basis, trusting.trials) == ("model", 0)
    assert trusting.assumes == "that options with equal features have equal rates"
    assert trusting.confidence_without_model is None
    alone = LogTS(Arms([[1.0]], names=["a"]), BestArm()).verdict  # whatever its rate
    assert alone is not None
    assert (alone.basis, alone.assumes) == ("model-free", "nothing")


def test_a_verdict_waits_for_options_that_were_hardly_tried() -> None:
    """Six options on a line, far apart: the model is sure long before each of them has been seen."""
    arms = Arms(np.column_stack([np.ones(6), np.arange(6.0)]))
    rates = expit(np.linspace(-3.0, 2.0, 6))
    trusting = logts.simulate(partial(LogTS, guard=False), arms, Rates(rates), BestArm(), runs=10, rng=1)
    watched = study(arms, rates, runs=10)
    assert min(min(row.counts) for row in trusting) == 0
    assert min(min(row.counts) for row in watched) >= 1
    assert {row.basis for row in watched} == {"model"}


def test_many_options_do_not_keep_a_verdict_waiting_for_ever() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(2_000), rng.normal(size=2_000)])
    policy = LogTS(Arms(x), BestArm(0.5), delta=0.1)
    rates = expit(x @ [-1.0, 0.3])
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    assert policy.verdict.trials < 8_000
    assert "have too few to say" in policy.verdict.reason


def test_of_equal_features_the_one_that_did_best_is_named() -> None:
    """The model cannot tell a and b apart; their own outcomes can."""
    arms = Arms([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], names=list("abcd"))
    rates = expit(np.array([0.0, 0.9, -0.4, -0.8]))
    runs = logts.simulate(LogTS, arms, Rates(rates), BestArm(), delta=0.2, runs=100, rng=0)
    assert sum(not row.correct for row in runs) <= 5
    assert {row.answer for row in runs if row.correct} == {"best: b"}


def test_who_makes_the_model_look_wrong_is_tried() -> None:
    """One of many options had bad luck: left alone it would hold the verdict for ever."""
    tally = Tally.of_counts(np.array([400.0, 30.0, 20.0]), np.array([200.0, 2.0, 10.0]))
    found = Opinion(np.array([2]), 5.0).and_of(np.array([1, 2]), tally)
    assert found.open.tolist() == [1, 2]
    assert found.missing == 5.0 + (1 + 15) + (1 + 10)


def _looks_until_the_verdict(many: int, monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """The answer, and how often all alternatives were weighed, if so many options count as many."""
    read = WithModel.read
    looks = 0

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal looks
        looks += 1
        return read(*given, **more)

    monkeypatch.setattr("logts.judge.judge.MANY", many)
    monkeypatch.setattr(WithModel, "read", counted)
    arms = Arms(np.array([[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]], dtype=float))
    (run,) = logts.simulate("log-ts", arms, [-2.0, 0.5], BestArm(), delta=0.05, runs=1, rng=3)
    assert run.proven
    return run.answer, looks


def test_a_proof_that_waits_is_not_sought_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, looks = _looks_until_the_verdict(2048, monkeypatch)
    same, fewer = _looks_until_the_verdict(2, monkeypatch)
    assert same == answer
    assert fewer < looks


def test_a_proof_that_waits_for_the_opinion_is_not_said_to_end_at_once() -> None:
    """What remains counts the trials that options need to be tried themselves."""
    arms = Arms([[1, 0], [0, 1], [math.cos(0.3), math.sin(0.3)]])
    waited = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        policy = LogTS(arms, BestArm(), delta=0.1, max_trials=20_000)
        while policy.verdict is None:
            progress = policy.progress
            opinion = policy.judge.opinion(policy.judge.tally, progress.leader) if progress.leader else None
            if opinion is not None and progress.evidence > progress.threshold:
                waited += 1
                assert progress.remaining == pytest.approx(opinion.missing)
                assert opinion.missing >= 1.0
            asked = policy.ask(policy.block)
            rates = expit(arms.features[asked.arms] @ [1.0, 0.0])
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates)
    assert waited > 5
