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
from logts.evidence.fit_check import ALARM, misfit
from logts.evidence.tally import Tally
from logts.judge import Trust
from logts.logistic import maximum_likelihood
from logts.policies import Oracle
from logts.problems import Comparable, Question
from logts.tools.algebra import Array

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


def world(bent: float) -> tuple[Arms, Array]:
    """Twelve arms in two features; ``bent`` adds to two rates what no straight logit explains."""
    x = np.array([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
    logits = x @ [-0.5, 0.4, 0.3]
    logits[5] += bent
    logits[11] -= bent
    return Arms(x), expit(logits)


def test_fit_check_sees_a_wrong_model_and_spares_a_right_one() -> None:
    rng = np.random.default_rng(3)
    trials = np.full(12, 500.0)
    for bent, raised in ((0.0, False), (1.2, True)):
        arms, rates = world(bent)
        alarms = 0
        for _ in range(100):
            successes = rng.binomial(500, rates).astype(float)
            fit = maximum_likelihood(arms.points, trials, successes)
            alarms += misfit(arms.points, Tally.of_counts(trials, successes), fit, rng) > ALARM
        assert alarms == 100 if raised else alarms <= 2
    saturated = Arms(np.eye(3))
    fit = maximum_likelihood(saturated.points, np.full(3, 10.0), np.array([3.0, 5.0, 8.0]))
    assert (
        misfit(saturated.points, Tally.of_counts(np.full(3, 10.0), np.array([3.0, 5.0, 8.0])), fit, rng)
        == -math.inf
    )


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


def test_a_false_alarm_fades_and_a_true_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    arms, rates = world(0.0)
    for later, basis in ((0.0, "model"), (9.0, "model-free")):
        doubts: list[float] = []

        def doubt(
            _: Array, tally: Tally, *__: object, later: float = later, doubts: list[float] = doubts
        ) -> float:
            doubts.append(tally.total)
            return 9.0 if len(doubts) == 1 else later

        monkeypatch.setattr("logts.judge.witnesses.misfit", doubt)
        runs = logts.simulate(LogTS, arms, Rates(rates), BestArm(), delta=0.1, runs=1, rng=3)
        assert runs[0].basis == basis
        assert all(after >= 2 * before for before, after in itertools.pairwise(doubts[:2]))
        assert runs[0].samples >= 2 * doubts[0]


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
    policy = LogTS(Arms([[1.0], [1.0]], names=["a", "b"]), BestArm())
    assert policy.verdict is not None
    asked = policy.ask(50)
    policy.tell(asked.ids, np.arange(50) % 5 > 0)
    assert policy.verdict.trials == 0
    assert [(rate.low, rate.estimate, rate.high) for rate in policy.verdict.rates()] == [(0.0, 0.5, 1.0)] * 2
    assert policy.rates()[0].estimate == pytest.approx(0.8)


def test_trust_goes_only_between_watched_and_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    arms, rates = world(0.0)
    apart = Arms(arms.features, items=arms.features[:3] + 0.1)
    at_first = {
        Trust.WATCHED: LogTS(arms, BestArm()),
        Trust.BLIND: LogTS(arms, BestArm(), guard=False),
        Trust.ALONE: LogTS(apart, BestArm()),
        Trust.NO_MODEL: LogTS(Arms(names=["a", "b"]), BestArm()),
    }
    for trust, policy in at_first.items():
        assert policy.judge.trust is trust
        with_model = policy.judge.permitted(without_model=False)
        assert with_model + policy.judge.permitted(without_model=True) == pytest.approx(0.05)
    monkeypatch.setattr("logts.judge.witnesses.misfit", lambda *_: 9.0)
    policy = at_first[Trust.WATCHED]
    rng = np.random.default_rng(0)

    def go_on_while(trust: Trust) -> Trust:
        while policy.judge.trust is trust and policy.verdict is None:
            asked = policy.ask(policy.block)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        return policy.judge.trust

    assert go_on_while(Trust.WATCHED) is Trust.SET_ASIDE
    assert policy.judge.arms.by_name
    alarmed = policy.ledger.complete
    monkeypatch.setattr("logts.judge.witnesses.misfit", lambda *_: 0.0)
    assert go_on_while(Trust.SET_ASIDE) is Trust.WATCHED
    assert policy.judge.arms is arms
    assert policy.ledger.complete >= 2 * alarmed
