"""Options by name alone, as many as one likes: nothing is written out for every pair of them."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import betaln, expit, logit

import logts
from logts import Arms, BestArm, LogTS, Ranking, Rates, Threshold, TopM, VersusControl, lower_bound
from logts.alternatives import Comparisons
from logts.evidence.sides import Sides, scores
from logts.evidence.tally import Tally
from logts.planning import bounds, effect, world_with_effect
from logts.planning.unrelated import time_of
from logts.policies import Uniform
from logts.sampling import Duels
from logts.tools.algebra import Array

MANY = 10_000


@pytest.fixture
def no_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the coordinates of arms by name is told no."""

    def refuse(_: Any) -> Array:
        raise AssertionError("coordinates were written out")

    for name in ("features", "points"):
        monkeypatch.setattr(Arms, name, property(refuse))


@pytest.mark.parametrize("make", [LogTS, Uniform])
@pytest.mark.parametrize(
    "problem", [BestArm(), VersusControl(3), Threshold(0.4), Ranking(), TopM(3)], ids=repr
)
@pytest.mark.usefixtures("no_coordinates")
def test_ten_thousand_names(make: Any, problem: Any) -> None:
    """Asked, told, looked at and kept, without coordinates."""
    arms = Arms(names=[f"option {i}" for i in range(MANY)])
    policy = make(arms, problem, max_trials=2 * MANY + 3_000)
    rng = np.random.default_rng(0)
    rates = rng.uniform(0.1, 0.5, MANY)
    one = policy.ask()
    policy.tell(one.ids, [True])
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    assert policy.counts.min() >= 2
    assert len(policy.rates()) == MANY
    assert policy.progress.leader == policy.verdict.answer
    again = make(arms, problem, max_trials=2 * MANY + 3_000)
    again.restore(policy.state())
    assert again.ask(50).arms.tolist() == policy.ask(50).arms.tolist()


@pytest.mark.usefixtures("no_coordinates")
def test_a_best_of_many_is_found() -> None:
    rates = np.full(400, 0.2)
    rates[17] = 0.9
    arms = Arms(names=[f"option {i}" for i in range(400)])
    (run,) = logts.simulate("log-ts", arms, Rates(rates), BestArm(), runs=1, rng=0)
    assert run.correct
    assert run.proven
    assert run.answer == "best: option 17"


def test_the_heap_finds_the_hardest_comparison() -> None:
    """Trial by trial the same as by looking at all comparisons."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(3, 40))
        trials = rng.integers(1, 200, count).astype(float)
        tally = Tally.of_counts(trials, np.floor(trials * rng.random(count)))
        problem: Any = [BestArm(), TopM(2), Threshold(0.5)][seed % 3]
        items = logts.arms.Items(logit((tally.successes + 0.5) / (trials + 1.0))[:, None], tuple("x" * count))
        compared = problem.comparisons(items, problem.answer(items, np.ones(1)))
        duels = Duels(count, patrol=10**9)
        duels.correct(np.empty(0, dtype=np.intp), np.repeat(np.arange(count), trials.astype(int)))
        evidence = rng.normal(size=len(compared.high))
        duels.study(compared, tally, evidence)
        made = trials.copy()
        for _ in range(100):
            wide = np.append(1.0 / (duels._slopes * (made + 1.0)), 0.0)
            wide = wide[compared.high] + wide[compared.low]
            least = duels._before + 0.5 * duels._squares / wide - 1e-9 * wide
            (arm,) = duels.next(1)
            hardest = least <= least.min() + 1e-9
            assert arm in compared.high[hardest] or arm in compared.low[hardest]
            made[arm] += 1.0


def test_bets_are_found_again() -> None:
    rng = np.random.default_rng(0)
    for apart in (True, False):
        count = 12
        pairs = np.array([(i, k) for i in range(-1, count) for k in range(-1, count) if i != k])
        rng.shuffle(pairs)
        pairs = pairs[np.unique(pairs[:, 1], return_index=True)[1][1:]] if apart else pairs[:40]
        nothing = Sides.of_nothing(count)
        offsets = rng.integers(0, 2, len(pairs)).astype(float)
        bets = np.zeros((len(pairs), nothing.bets.shape[1]))
        ends = nothing.least, nothing.most, nothing.opened
        sides = Sides(pairs[:, 0], pairs[:, 1], offsets, bets, *ends)
        asked = np.array([(i, k) for i in range(-1, count) for k in range(count) if i != k])
        compared = Comparisons(asked[:, 0], asked[:, 1], np.zeros(len(asked)), 1, apart)
        for (i, k), row in zip(asked.tolist(), sides.find(compared).tolist(), strict=True):
            same = [
                j
                for j, (a, b) in enumerate(pairs.tolist())
                if b == k and (apart or (a == i and offsets[j] == 0.0))
            ]
            assert row == (same[0] if same else len(pairs))


def test_scores_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    n = np.floor(10.0 ** rng.uniform(0, 6, 5_000))
    r = np.floor(n * rng.random(5_000) ** 3)
    found = scores(Tally.of_counts(n, r))
    assert found == pytest.approx(betaln(r + 0.5, n - r + 0.5) - np.log(np.pi), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "problem", [BestArm(), BestArm(0.2), VersusControl(3), Threshold(0.4), TopM(3), Ranking()], ids=repr
)
def test_lower_bounds_agree_with_the_general_design(
    problem: logts.Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(5):
        theta = np.random.default_rng(seed).normal(size=7)
        arms = Arms(names=list("abcdefg"))
        known = lower_bound(arms, theta, problem)
        with monkeypatch.context() as patched:
            patched.setattr(bounds, "MANY", 2)
            found = lower_bound(arms, theta, problem)
        assert found.answer == known.answer
        if isinstance(problem, (TopM, Ranking)):  # of a part of the question
            assert 0.1 * known.characteristic_time < found.characteristic_time
            assert found.characteristic_time <= 1.0001 * known.characteristic_time
            assert found.gap == np.inf
        else:
            assert found.characteristic_time == pytest.approx(known.characteristic_time, rel=1e-5)
            assert found.weights == pytest.approx(known.weights, abs=1e-3)


def test_a_world_with_an_effect_agrees_with_the_general_one(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = Arms(names=list("abcdefg"))
    known = world_with_effect(arms, BestArm(), 0.05, 0.3)
    monkeypatch.setattr(effect, "MANY", 2)
    found = world_with_effect(arms, BestArm(), 0.05, 0.3)
    assert sorted(found) == pytest.approx(sorted(known))
    with pytest.raises(ValueError, match="give their rates"):
        world_with_effect(arms, Ranking(), 0.05)


def test_two_arms_cost_what_the_definition_says() -> None:
    """``max over w of min over z``, by brute force."""
    theta = np.array([0.4, -0.3])

    def divergence(a: float, b: float) -> float:
        p, q = float(expit(a)), float(expit(b))
        return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))

    def cost(w: float) -> float:
        at = minimize_scalar(
            lambda z: w * divergence(theta[0], z) + (1 - w) * divergence(theta[1], z), bounds=(-0.3, 0.4)
        )
        return float(at.fun)

    best = max(cost(w) for w in np.linspace(0.3, 0.7, 401))
    found, _ = time_of(BestArm().comparisons(Arms(names=["a", "b"]).items, (0,)), theta)
    assert found == pytest.approx(1.0 / best, rel=1e-3)
