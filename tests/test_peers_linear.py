"""RAGE and MELK, whose rules are linear, and the Gaussian plug-in rule, against their definitions."""

import math

import cvxpy as cp
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from logts import Arms, BestArm, Rates, Threshold, TopM, simulate
from logts.policies.gaussian_plug_in import GaussianPlugIn, lead, optimal, ratios
from logts.policies.linear_rounds import LinearRounds
from logts.policies.melk import Melk
from logts.policies.rage import Rage
from logts.tools.algebra import Array
from tests.instances import soare
from tests.policies import play


def rho(points: Array, rows: Array) -> float:
    """``min_w max_y |y|^2`` in the inverse information of a linear model, by a conic solver."""
    w = cp.Variable(len(points), nonneg=True)
    a = sum(w[k] * np.outer(x, x) for k, x in enumerate(points))
    widest = cp.max(cp.hstack([cp.matrix_frac(y, a) for y in rows]))
    return float(cp.Problem(cp.Minimize(widest), [cp.sum(w) == 1.0]).solve(solver=cp.CLARABEL))


def one_round(policy: LinearRounds, rates: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Play one round; its trials as rows of features, and their outcomes as +1 and -1."""
    asked = policy.ask(policy.block)
    yes = rng.random(len(asked.arms)) < rates[asked.arms]
    policy.tell(asked.ids, yes)
    return policy.arms.features[asked.arms], np.where(yes, 1.0, -1.0)


@pytest.mark.parametrize("seed", range(4))
def test_rounds_of_rage_by_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    rates = 0.5 + 0.5 * np.clip(0.25 * x @ rng.normal(size=3), -1.0, 1.0)
    policy = Rage(Arms(x, items=z), BestArm(), delta=0.2)
    left = list(range(5))
    k = 0
    while policy.verdict is None:
        k += 1
        differences = [z[j] - z[i] for j in left for i in left if i < j]
        log = math.log(2 * 5**2 * k**2 / 0.2)
        wanted = 8 * 4 ** (k - 1) * 1.1 * rho(x, np.array(differences)) * log
        support = np.count_nonzero(policy._plan)
        assert policy.block == pytest.approx(max(wanted, 20 * support), rel=2e-3, abs=1.0)
        tried, outcomes = one_round(policy, rates, rng)
        theta = np.linalg.lstsq(tried, outcomes)[0]
        inverse = np.linalg.inv(tried.T @ tried)
        reach = {
            (i, j): math.sqrt(2 * (z[i] - z[j]) @ inverse @ (z[i] - z[j]) * log) for i in left for j in left
        }
        assert max(reach.values()) <= 2.0**-k * 1.001
        left = [i for i in left if all((z[j] - z[i]) @ theta < reach[i, j] for j in left if j != i)]
        assert policy._left.tolist() == left
    assert policy.verdict.answer.items == tuple(left)
    assert not policy.verdict.proven


@pytest.mark.parametrize("seed", range(4))
def test_rounds_of_melk_settle_what_is_beyond_their_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(7, 3))
    rates = 0.5 + 0.5 * np.clip(0.3 * x @ rng.normal(size=3), -1.0, 1.0)
    policy = Melk(Arms(x), Threshold(0.6), delta=0.2)
    left = list(range(7))
    above = set()
    k = 0
    while policy.verdict is None:
        k += 1
        log = math.log(2 * 7 * 2 * k**2 / 0.2)
        wanted = 8 * 4 ** (k - 1) * 1.1 * rho(x, x[left]) * log
        support = np.count_nonzero(policy._plan)
        assert policy.block == pytest.approx(max(wanted, 20 * support), rel=2e-3, abs=1.0)
        tried, outcomes = one_round(policy, rates, rng)
        beyond = x @ np.linalg.lstsq(tried, outcomes)[0] - 0.2
        reach = np.sqrt(2 * log * np.einsum("kd,de,ke->k", x, np.linalg.inv(tried.T @ tried), x))
        above |= {i for i in left if beyond[i] >= reach[i]}
        left = [i for i in left if abs(beyond[i]) < reach[i]]
        if left:
            assert policy._left.tolist() == left
    assert set(policy.verdict.answer.items) == above


def test_where_every_arm_has_a_rate_of_its_own_the_linear_rules_are_proven_and_err_within_delta() -> None:
    arms = Arms(names=["a", "b", "c"])
    rates = np.array([0.85, 0.7, 0.3])
    for make, problem in ((Rage, BestArm()), (Melk, Threshold(0.75))):
        runs = simulate(make, arms, Rates(rates), problem, delta=0.2, runs=300, rng=0)
        assert all(row.proven and row.confidence == 0.8 and row.basis == "model" for row in runs)
        assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 300, 0.2)


def test_where_the_rate_is_linear_they_err_within_delta() -> None:
    arms = Arms(soare(3, 0.8))
    rates = 0.5 + 0.5 * arms.features @ [0.6, 0.1, -0.2]
    for make, problem in ((Rage, BestArm()), (Melk, Threshold(0.6))):
        runs = simulate(make, arms, Rates(rates), problem, delta=0.2, runs=200, rng=0)
        assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 200, 0.2)
        assert not any(row.proven for row in runs)


def test_where_the_logit_is_linear_they_may_always_err_and_say_that_nothing_is_proven() -> None:
    """The last arm's logit follows from the others; its rate is not what a linear model makes of theirs."""
    steep = Arms([[1.0, 0.0], [0.0, 1.0], [1.6, -1.4]]), np.array([4.0, 1.5])
    both = Arms([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])
    assert np.argmax(steep[0].features @ steep[1]) == 2
    assert expit(both[0].features @ both[1]).min() > 0.88
    for make, world, problem in ((Rage, steep, BestArm()), (Melk, both, Threshold(0.85))):
        runs = simulate(make, *world, problem, delta=0.1, runs=20, rng=0)
        assert sum(not row.correct for row in runs) > binom.ppf(0.999999, 20, 0.1)
        assert not any(row.proven for row in runs)
        assert "no guarantee" in make(world[0], problem).assumes


def test_weights_of_the_plug_in_rule_agree_with_a_conic_solver() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        means = np.linspace(0.2, 0.8, 5) + rng.uniform(-0.06, 0.06, 5)
        variances = rng.uniform(0.02, 0.25, 5)
        w = cp.Variable(5, nonneg=True)
        cost = cp.multiply(variances, cp.inv_pos(w))
        gaps = (means[4] - means[:4]) ** 2 / 0.01
        worst = cp.max(cp.multiply(1.0 / gaps, cost[:4] + cost[4]))
        found = cp.Problem(cp.Minimize(worst), [cp.sum(w) == 1.0]).solve(solver=cp.CLARABEL)
        weights = optimal(means, variances, 4)
        assert weights.sum() == pytest.approx(1.0)
        assert 0.5 / ratios(means, variances / weights, 4)[:4].min() == pytest.approx(found / 0.01, rel=1e-5)


def test_an_arm_without_variance_is_hardly_tried_again() -> None:
    weights = optimal(np.array([1.0, 0.9]), np.array([1e-12, 0.1]), 0)
    assert weights[0] == pytest.approx(math.sqrt(1e-12 / 0.1), rel=1e-4)
    assert lead(np.array([0.5, 0.5, 0.2]), np.array([0.02, 0.01, 0.0])) == 1


def test_the_plug_in_rule_stops_when_its_statistic_says_so() -> None:
    policy = GaussianPlugIn(Arms(names=["a", "b"]), BestArm(), rng=0)
    rng = np.random.default_rng(3)
    seen: dict[int, list[float]] = {0: [], 1: []}
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        yes = rng.random(len(asked.arms)) < np.array([0.7, 0.4])[asked.arms]
        for arm, outcome in zip(asked.arms.tolist(), yes.tolist(), strict=True):
            seen[arm].append(float(outcome))
        policy.tell(asked.ids, yes)
        error = sum(np.var(outcomes, ddof=1) / len(outcomes) for outcomes in seen.values())
        gap = np.mean(seen[0]) - np.mean(seen[1])
        enough = math.log((1.0 + math.log(len(seen[0]) + len(seen[1]))) / 0.05)
        assert (policy.verdict is not None) == (gap**2 / (2.0 * error) > enough)
    assert (policy.verdict.proven, policy.verdict.rule) == (False, "gaussian-plug-in")


def test_the_plug_in_rule_is_wrong_far_more_often_than_delta() -> None:
    runs = simulate(
        GaussianPlugIn, Arms(names=["a", "b"]), Rates([0.95, 0.9]), BestArm(), delta=0.05, runs=200, rng=0
    )
    assert sum(not row.correct for row in runs) > binom.ppf(0.999999, 200, 0.05)
    assert not any(row.proven for row in runs)


def test_items_with_equal_features_share_their_side() -> None:
    arms = Arms(np.eye(2), items=[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    assert play(Melk(arms, Threshold(0.5)), np.array([0.9, 0.1]), 0).answer.items == (0, 2)


def test_items_that_are_equal_in_the_linear_model_end_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logts.policies.linear_rounds.FURTHEST", 4)
    verdict = play(Rage(Arms(names=["a", "b"]), BestArm()), np.array([0.5, 0.5]), 0)
    assert (verdict.basis, verdict.proven) == ("guess", False)
    assert "4 rounds settled nothing" in verdict.reason


@pytest.mark.parametrize(
    ("make", "problem"), [(Rage, BestArm()), (Melk, Threshold(0.6)), (GaussianPlugIn, BestArm())]
)
def test_a_budget_ends_with_a_guess(make: type[LinearRounds], problem: BestArm | Threshold) -> None:
    arms = Arms(soare(2, 0.3))
    verdict = play(make(arms, problem, max_trials=300), expit(arms.features[:, 0]), 0)
    assert (verdict.trials, verdict.basis, verdict.proven, verdict.confidence) == (300, "guess", False, 0.0)
    assert verdict.rates()[1].estimate == pytest.approx(0.5, abs=0.15)


PART = Arms([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], items=[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
TWO = Arms(names=["a", "b"])


@pytest.mark.parametrize(
    ("make", "arms", "problem", "message"),
    [
        (Rage, TWO, BestArm(0.1), r"answers BestArm\(\)"),
        (Rage, TWO, TopM(1), r"answers BestArm\(\)"),
        (Rage, PART, BestArm(), "reach beyond"),
        (Melk, TWO, BestArm(), r"answers Threshold\(rate\)"),
        (Melk, PART, Threshold(0.5), "reach beyond"),
        (GaussianPlugIn, TWO, BestArm(0.1), r"answers BestArm\(\)"),
        (GaussianPlugIn, PART, BestArm(), "about the arms themselves"),
    ],
)
def test_what_is_not_covered_is_refused(make: type[Rage], arms: Arms, problem: BestArm, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(arms, problem)
