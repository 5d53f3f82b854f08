"""Trials shared between the model, the second opinion and duels without the model."""

import json
from dataclasses import astuple

import numpy as np
import pytest
from scipy.special import expit

import logts
from logts import Arms, BestArm, LogTS, Ranking, Threshold, TopM, VersusControl, lower_bound
from logts.evidence.tally import Tally
from logts.judge import Finding
from logts.policies import Uniform
from logts.policies.sharing import Sharing
from logts.problems import Comparable, Question
from logts.sampling import Duels
from logts.tools.algebra import Array
from tests.instances import world


@pytest.mark.parametrize(
    "problem", [BestArm(), TopM(2), Threshold(0.5), VersusControl(1), Ranking()], ids=repr
)
def test_duels_settle_near_the_optimal_weights(problem: logts.Problem) -> None:
    logits = np.array([1.0, 0.6, 0.2, -0.3, -1.0])
    arms = Arms(names=list("abcde"))
    bound = lower_bound(arms, logits, problem)
    answer = Question(problem, arms).pose(arms.coordinates(logits)).answer
    assert isinstance(problem, Comparable)
    assert answer is not None
    duels = Duels(5, patrol=10**9)
    many = Tally.of_counts(np.full(5, 1e9), 1e9 * expit(logits))
    told = problem.comparisons(arms.items, answer.items)
    padded = np.append(logits, 0.0)  # the last one is that of a threshold
    margins = padded[told.high] - padded[told.low] - told.offset
    slopes = expit(logits) * expit(-logits)

    def evidence(trials: Array) -> Array:
        widths = np.append(1.0 / (trials * slopes), 0.0)
        return np.asarray(margins**2 / (widths[told.high] + widths[told.low]) / 2.0)

    duels.study(told, many, evidence(many.trials))
    share = np.bincount(duels.next(40_000), minlength=5) / 40_000
    least = evidence(share).min()
    assert 0.999 * bound.characteristic_time <= 1.0 / least <= 1.1 * bound.characteristic_time
    assert duels.characteristic_time == pytest.approx(1.0 / evidence(np.full(5, 0.2)).min())


def test_duels_count_what_others_tried() -> None:
    problem = BestArm()
    duels = Duels(3)
    tally = Tally.of_counts(np.full(3, 100.0), np.array([60.0, 50.0, 50.0]))
    duels.study(problem.comparisons(Arms(names=list("abc")).items, (0,)), tally, np.zeros(2))
    duels.correct(np.empty(0, dtype=np.intp), np.repeat([0, 1], 500))
    assert np.mean(duels.next(100) == 2) > 0.85


def followed(policy: logts.LogTS, rates: np.ndarray, seed: int = 0) -> list[tuple[float, ...]]:
    """The shares of a whole study."""
    seen = []
    rng = np.random.default_rng(seed)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        seen.append(astuple(policy._sampler._shares))
    return seen


def test_nobody_starves_and_the_likelier_gets_more() -> None:
    for bent in (0.0, 2.0):
        arms, rates = world(bent)
        policy = LogTS(arms, BestArm())
        shares = np.array(followed(policy, rates))
        assert shares.sum(axis=1) == pytest.approx(1.0)
        watched = shares[shares[:, 0] > 0.0][1:]  # before there was a look the model has all
        assert watched[:, 2].min() >= 0.05
        if bent:
            assert policy.judge.alarmed
            assert shares[-2].tolist() == pytest.approx([0.0, 0.1, 0.9])
        else:
            assert watched[:, 2].mean() < 0.5


def test_shares_follow_needs_and_doubt() -> None:
    arms, rates = world(0.0)
    policy = LogTS(arms, BestArm())
    rng = np.random.default_rng(0)
    for _ in range(6):
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    sharing: Sharing = policy._sampler
    found = policy.judge.look(policy.ledger.complete)
    assert found.opinion is not None
    by_doubt = [
        sharing._share(Finding(found.reading, found.estimate, None, found.opinion, doubt), found.opinion)
        for doubt in (0.0, 0.2, 0.45, 0.9)
    ]
    duels = [shares.duels for shares in by_doubt]
    assert duels == sorted(duels)
    assert duels[0] < duels[-1]
    assert duels[-1] >= 0.5


def test_uniform_stays_uniform_under_guard() -> None:
    arms, rates = world(2.0)
    policy = Uniform(arms, BestArm(), delta=0.05)
    rng = np.random.default_rng(0)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    assert policy.verdict.basis == "model-free"
    assert np.ptp(policy.counts) <= 1


@pytest.mark.parametrize("bent", [0.0, 2.0])
def test_trials_that_others_chose_count_as_they_were_made(bent: float) -> None:
    """Somebody else tries other arms than those chosen, all the time: each sampler counts what was tried."""
    arms, rates = world(bent)
    policy = LogTS(arms, BestArm(), delta=1e-6)
    rng = np.random.default_rng(0)
    for begin in range(0, 2_000, 20):
        tried = rng.integers(0, 12, size=20)
        policy.replay(tried)
        policy.tell(range(begin, begin + 20), rng.random(20) < rates[tried])
    assert policy._sampler._duels.made.tolist() == policy.counts.tolist()
    assert policy._sampler._sampler._tracker._made.tolist() == policy.counts.tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize("bent", [0.0, 2.0])
def test_a_policy_goes_on_from_its_state(bent: float) -> None:
    arms, rates = world(bent)
    rng = np.random.default_rng(1)
    policy = LogTS(arms, BestArm(), delta=1e-9)
    for _ in range(12):
        asked = policy.ask(100)
        policy.tell(asked.ids, rng.random(100) < rates[asked.arms])
    other = LogTS(arms, BestArm(), delta=1e-9)
    other.restore(json.loads(json.dumps(policy.state())))
    assert policy.judge.alarmed == other.judge.alarmed == (bent > 0)
    for _ in range(5):
        asked, again = policy.ask(100), other.ask(100)
        assert asked.arms.tolist() == again.arms.tolist()
        told = rng.random(100) < rates[asked.arms]
        policy.tell(asked.ids, told)
        other.tell(again.ids, told)
    assert json.dumps(policy.state()) == json.dumps(other.state())
