"""Evidence without a model, the fit check, and what the guard does in a world where the model is wrong."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import logts
from logts import Arms, BestArm, LogTS, Ranking, Rates, Status, Threshold, TopM, VersusControl
from logts.judge import Trust
from logts.policies import Oracle
from logts.problems import Comparable, Question
from tests.instances import world

PROBLEMS: list[logts.Problem] = [
    BestArm(),
    BestArm(0.2),
    TopM(2),
    Threshold(0.4),
    VersusControl(1, 0.1),
    VersusControl(2),
    Ranking(),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_comparisons_are_the_half_spaces_of_arms_that_share_nothing(problem: logts.Problem) -> None:
    arms = Arms(names=list("abcde"))
    rng = np.random.default_rng(0)
    assert isinstance(problem, Comparable)
    for _ in range(20):
        posed = Question(problem, arms).pose(arms.coordinates(rng.normal(size=5)))
        assert posed.answer is not None
        rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
        told = problem.comparisons(arms.items, posed.answer.items)
        expected = np.zeros((len(told.high), 5))
        for row, high, low in zip(expected, told.high, told.low, strict=True):
            if high >= 0:
                row[high] += 1
            if low >= 0:
                row[low] -= 1
        written = {
            (*np.round(y * np.sqrt(5) / 5, 9), round(c, 9))
            for y, c in zip(rows.normals, rows.offsets, strict=True)
        }
        assert written == {(*np.round(y, 9), round(c, 9)) for y, c in zip(expected, told.offset, strict=True)}
        assert told.union >= 4


def test_guard_saves_what_the_model_alone_gets_wrong() -> None:
    arms, rates = world(2.0)
    assert np.argmax(rates) == 5
    trusting = logts.simulate(
        functools.partial(LogTS, guard=False), arms, Rates(rates), BestArm(), delta=0.1, runs=10, rng=0
    )
    guarded = logts.simulate(LogTS, arms, Rates(rates), BestArm(), delta=0.1, runs=10, rng=0)
    assert sum(not row.correct for row in trusting) >= 9
    # A study that ends after a few hundred trials may end before the misfit can be seen.
    assert sum(not row.correct for row in guarded) <= 1
    assert all(row.basis == "model-free" for row in guarded if row.correct)


def test_guard_does_not_disturb_a_right_model() -> None:
    arms, rates = world(0.0)
    runs = logts.simulate(LogTS, arms, Rates(rates), BestArm(), delta=0.1, runs=20, rng=0)
    assert sum(row.basis == "model" for row in runs) >= 19
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 20, 0.1)


def test_items_that_are_not_arms_get_advice_instead_of_a_verdict() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(12, 3))
    # No straight logit anywhere.
    rates = expit(x @ [0.3, 0.05, -0.2] + np.where(np.arange(12) % 2, 1.5, -1.5))
    items = np.random.default_rng(9).normal(size=(6, 3))
    policy = LogTS(Arms(x, items=items), BestArm(), delta=0.1, max_trials=20_000)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    assert policy.verdict.basis == "guess"
    assert not policy.verdict.proven
    assert policy.verdict.reason == str(Status.MODEL_DOUBTFUL)
    assert policy.verdict.confidence_without_model is None


def test_verdicts_tell_both_confidences() -> None:
    arms, rates = world(0.0)
    policy = LogTS(arms, BestArm(), delta=0.1)
    rng = np.random.default_rng(1)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    verdict = policy.verdict
    assert verdict.basis == "model"
    assert verdict.confidence > 0.9
    assert verdict.confidence_without_model is not None
    assert verdict.confidence_without_model < verdict.confidence
    one_hot = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.1)
    while one_hot.verdict is None:
        asked = one_hot.ask(one_hot.block)
        one_hot.tell(asked.ids, rng.random(len(asked.arms)) < np.array([0.8, 0.3])[asked.arms])
    assert one_hot.verdict.basis == "model-free"
    assert one_hot.verdict.confidence == one_hot.verdict.confidence_without_model
    assert 0.3 < one_hot.verdict.rates()[0].low < 0.8  # clear of the other
    assert one_hot.verdict.rates()[0].high > 0.8  # around its own


def test_features_that_leave_nothing_to_share_are_sampled_like_names() -> None:
    """As many features as options, but not one each: in rotated coordinates it took twice the trials."""
    rates = Rates([0.3, 0.45, 0.6, 0.5])
    crossed = Arms([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]])
    for policy in ("log-ts", "frank-wolfe", "top-two"):
        own, same = (
            logts.simulate(policy, arms, rates, BestArm(), delta=0.1, runs=4, rng=3)
            for arms in (Arms(names=list("abcd")), crossed)
        )
        assert [row.counts for row in own] == [row.counts for row in same]
        assert {row.basis for row in same} == {"model-free"}


def test_the_oracle_knows_the_truth_of_features_that_leave_nothing_to_share() -> None:
    crossed = Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1]])
    truth = np.array([-0.5, 0.3, 0.9])
    policy = Oracle(crossed, BestArm(), theta=truth)
    share = np.bincount(policy.ask(9_000).arms, minlength=3) / 9_000
    optimal = logts.lower_bound(Arms(names=list("abc")), crossed.features @ truth, BestArm()).weights
    assert share == pytest.approx(0.9 * optimal + 0.1 / 3, abs=0.02)  # one trial in ten goes to all in turn


def test_a_verdict_that_needed_no_trial_keeps_its_rates() -> None:
    policy = LogTS(Arms([[1.0], [1.0]], names=["a", "b"]), BestArm(), guard=False)
    assert policy.verdict is not None
    asked = policy.ask(50)
    policy.tell(asked.ids, np.arange(50) % 5 > 0)
    assert policy.verdict.trials == 0
    assert [(rate.low, rate.estimate, rate.high) for rate in policy.verdict.rates()] == [(0.0, 0.5, 1.0)] * 2
    assert policy.rates()[0].estimate == pytest.approx(0.8)


def test_trust_goes_only_from_watched_to_set_aside() -> None:
    arms, _ = world(0.0)
    apart = Arms(arms.features, items=arms.features[:3] + 0.1)
    at_first = {
        Trust.WATCHED: LogTS(arms, BestArm()),
        Trust.BLIND: LogTS(arms, BestArm(), guard=False),
        Trust.ALONE: LogTS(apart, BestArm()),
        Trust.NO_MODEL: LogTS(Arms(names=["a", "b"]), BestArm()),
    }
    for trust, policy in at_first.items():
        assert policy.judge.trust is trust
        parts = [policy.judge.permitted(without_model=free) for free in (False, True)]
        assert sum(parts) + 0.05 * trust.share_of_alarm == pytest.approx(0.05)
    arms, rates = world(2.0)
    policy = LogTS(arms, BestArm())
    rng = np.random.default_rng(0)
    seen = [policy.judge.trust]
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        seen.append(policy.judge.trust)
    assert [trust for trust, _ in itertools.groupby(seen)] == [Trust.WATCHED, Trust.SET_ASIDE]
    # Then evidence without the model may use all of delta.
    assert policy.verdict.threshold == pytest.approx(math.log(1 / 0.05))


def test_false_alarms_are_as_rare_as_promised() -> None:
    """With delta .05 at most one in 200, however long it takes; here delta is so small that it takes long."""
    arms, rates = world(0.0)
    policy = functools.partial(LogTS, max_trials=3_000)
    runs = logts.simulate(policy, arms, Rates(rates), BestArm(), delta=1e-30, runs=60, rng=5)
    assert {row.basis for row in runs} == {"guess"}
    assert sum(math.isclose(row.threshold, math.log(1e30)) for row in runs) == 0
