"""RAGE-GLM and GLGapE: samples against another program, parts against other methods, refusals."""

import math
from functools import partial
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from logts import Arms, BestArm, TopM, simulate
from logts.evidence.tally import Tally
from logts.policies.gaussian_plug_in import GaussianPlugIn
from logts.policies.glgape import GLGapE, least_absolute
from logts.policies.rage import Rage
from logts.policies.rage_glm import RageGLM, RageGLMR
from logts.policies.staged import Staged, follow, narrowest, rounded
from tests.instances import soare
from tests.policies import play

SLOPE = float(expit(1.0) * expit(-1.0))  # the smallest mu' where theta = e_1


@pytest.mark.parametrize(
    ("angle", "reuse", "expected"),
    [(1.0, False, 52_100), (1.0, True, 33_900), (0.5, False, 101_000), (0.5, True, 100_000)],
)
def test_rage_glm_takes_as_many_samples_as_measured_elsewhere(
    angle: float, reuse: bool, expected: int
) -> None:
    """Means of three runs of another program, delta = 0.1.

    At 0.5 the gap is 2% below 2^-3: a run ends in round 3 or in round 4.
    """
    make = partial(RageGLM, slope=SLOPE, reuse=reuse)
    runs = simulate(make, Arms(soare(2, angle)), [1.0, 0.0], BestArm(), delta=0.1, runs=40, rng=1)
    assert 1 / 1.5 < np.mean([row.samples for row in runs]) / expected < 1.5
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 40, 0.1)
    assert all(row.proven != reuse and row.confidence == 0.9 and row.basis == "model" for row in runs)
    assert {row.rule for row in runs} == {"rage-glm-r" if reuse else "rage-glm"}


def test_glgape_takes_as_many_samples_as_measured_elsewhere() -> None:
    verdict = play(
        GLGapE(Arms(soare(2, 1.0)), BestArm(), delta=0.1, slope=SLOPE), expit(soare(2, 1.0)[:, 0]), 0
    )
    assert 0.5 < verdict.trials / 13.8e6 < 2.0
    assert (verdict.answer.items, verdict.proven, verdict.confidence, verdict.rule) == (
        (0,),
        True,
        0.9,
        "glgape",
    )


def test_glgape_stops_sooner_with_a_tolerance() -> None:
    arms = Arms(soare(2, 0.5))
    theta = [1.0, 0.0]
    runs = simulate(partial(GLGapE, slope=SLOPE), arms, theta, BestArm(3.0), delta=0.1, runs=6, rng=2)
    assert all(row.correct and row.proven and row.samples < 1e6 for row in runs)


def test_designs_agree_with_a_conic_solver() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        arms = Arms(rng.normal(size=(7, 3)))
        theta = rng.normal(size=3)
        vectors = np.vstack([rng.uniform(0.1, 1.0) * arms.points, arms.points[1:] - arms.points[0]])
        weights, width = narrowest(arms, theta, vectors)
        slopes = expit(arms.points @ theta) * expit(-arms.points @ theta)
        w = cp.Variable(7, nonneg=True)
        h = sum(w[k] * slopes[k] * np.outer(x, x) for k, x in enumerate(arms.points))
        widest = cp.max(cp.hstack([cp.matrix_frac(y, h) for y in vectors]))
        found = cp.Problem(cp.Minimize(widest), [cp.sum(w) == 1.0]).solve(solver=cp.CLARABEL)
        assert found * (1 - 1e-5) <= width <= found * (1 + 2e-3)
        inverse = np.linalg.inv((arms.points * (weights * slopes)[:, None]).T @ arms.points)
        assert np.einsum("jd,de,je->j", vectors, inverse, vectors).max() == pytest.approx(width, rel=1e-6)


def test_the_burn_in_has_the_stated_size() -> None:
    """By Kiefer and Wolfowitz the G-optimal value is d; the design may be a thousandth off."""
    policy = RageGLM(Arms(np.random.default_rng(0).normal(size=(8, 3))), BestArm(), delta=0.1, slope=0.05)
    gamma = 3 + math.log(6 * 10 / 0.1)
    expected = 3 * 1.1 * 3 * gamma * math.log(2 * 8 * 10 / 0.1) / 0.05
    assert policy.block == pytest.approx(expected, rel=2e-3)


def test_efficient_rounding_loses_little() -> None:
    """The bound of Pukelsheim and Rieder: every arm gets at least ``(1 - l/n) n w``."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        size = int(rng.integers(1, 9))
        n = int(rng.integers(0, 400))
        weights = np.append(rng.dirichlet(np.full(size, 0.5)), 0.0)
        plan = rounded(weights, n)
        assert plan.sum() == n
        assert plan[-1] == 0.0
        assert (plan >= (n - size) * weights - 1e-9).all()


def test_plans_are_followed_evenly_and_to_the_last_trial() -> None:
    plan = np.array([5.0, 0.0, 40.0, 1.0])
    made = np.zeros(4)
    arms = follow(46, made, plan)
    assert np.bincount(arms, minlength=4).tolist() == made.tolist() == plan.tolist()
    half = np.bincount(arms[:23], minlength=4)
    assert np.abs(half - plan / 2).max() <= 1.0


def test_the_smallest_combination_is_the_smallest_over_all_bases() -> None:
    """A linear program has its optimum at a vertex: here a combination of d arms."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        points = rng.normal(size=(6, 3))
        y = rng.normal(size=3)
        shares = least_absolute(points, y)
        vertices = {basis: np.linalg.solve(points[list(basis)].T, y) for basis in combinations(range(6), 3)}
        basis, w = min(vertices.items(), key=lambda vertex: np.abs(vertex[1]).sum())
        expected = np.zeros(6)
        expected[list(basis)] = np.abs(w) / np.abs(w).sum()
        assert shares == pytest.approx(expected, abs=1e-8)


def test_the_optimistic_gap_is_that_of_the_formula() -> None:
    arms = Arms(soare(2, 1.0))
    theta = np.array([1.0, 0.2])
    policy = GLGapE(arms, BestArm(), delta=0.1, slope=0.15)
    policy._tally = Tally.of_counts(np.array([400.0, 700.0, 300.0]), np.zeros(3))
    gap, pair, y = policy._hardest(arms.coordinates(theta))
    gram = (arms.features * policy._tally.trials[:, None]).T @ arms.features
    # mean(xx') = I, one trial of each arm.
    kappa = math.sqrt(3 + 2 * math.log(1 + 2 * (arms.points**2).sum(axis=1).max() / 3))
    radius = 2 * kappa / 0.15 * math.sqrt(4 * math.log(1400) * math.log(math.pi**2 * 2 * 1400**2 / 0.6))
    rates = expit(arms.features @ theta)
    x = arms.features
    ys = {(j, a, b): a * x[0] - b * x[j] for j in (1, 2) for a in (0.15, 0.25) for b in (0.15, 0.25)}
    gaps = {
        key: rates[key[0]] - rates[0] + radius * math.sqrt(v @ np.linalg.solve(gram, v))
        for key, v in ys.items()
    }
    hardest = max(gaps, key=lambda key: gaps[key])
    assert gap == pytest.approx(gaps[hardest], rel=1e-9)
    assert pair[:2] == (0, hardest[0])
    assert y @ arms.coordinates(theta) == pytest.approx(ys[hardest] @ theta)


def test_items_may_differ_from_arms() -> None:
    arms = Arms(np.eye(3), items=[[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    runs = simulate(partial(RageGLM, slope=0.1), arms, [1.5, -1.0, 0.5], BestArm(), runs=5, rng=0)
    assert all(row.correct and row.proven and row.answer == "best: item 2" for row in runs)


@pytest.mark.parametrize(
    "make",
    [
        partial(RageGLM, slope=SLOPE),
        partial(RageGLMR, slope=SLOPE),
        partial(GLGapE, slope=SLOPE),
        partial(Rage),
        partial(GaussianPlugIn),
    ],
)
def test_the_order_of_the_tells_does_not_matter(make: partial[Staged]) -> None:
    """Outcomes that return in another order, in three parts, lead to the same asks and the same verdict."""
    arms = Arms(soare(2, 1.0))
    rates = expit(soare(2, 1.0)[:, 0])
    straight, shuffled = (make(arms, BestArm(), delta=0.1, max_trials=20_000) for _ in range(2))
    rng = np.random.default_rng(7)
    while straight.verdict is None:
        asked = straight.ask(straight.block)
        twin = shuffled.ask(len(asked.ids))
        assert twin.arms.tolist() == asked.arms.tolist()
        outcomes = rng.random(len(asked.ids)) < rates[asked.arms]
        order = rng.permutation(len(asked.ids))
        straight.tell(asked.ids, outcomes)
        for part in np.array_split(order, min(3, len(order))):
            shuffled.tell(np.array(asked.ids)[part], outcomes[part])
    assert shuffled.verdict == straight.verdict


def test_abandoned_trials_are_made_again_and_surplus_ones_count_for_the_next_round() -> None:
    policy = RageGLM(Arms(soare(2, 1.0)), BestArm(), delta=0.1, slope=SLOPE)
    rng = np.random.default_rng(0)
    rates = expit(soare(2, 1.0)[:, 0])
    whole = policy._plan.copy()
    asked = policy.ask(policy.block)
    policy.abandon(asked.ids[::2])
    policy.tell(asked.ids[1::2], rng.random(len(asked.ids) // 2) < rates[asked.arms[1::2]])
    assert policy._round == 0
    assert policy.block == len(asked.ids[::2])
    again = policy.ask(policy.block)
    surplus = policy.ask(100)
    policy.tell(again.ids, rng.random(len(again.ids)) < rates[again.arms])
    assert policy._round == 1
    assert policy._tally.trials.tolist() == whole.tolist()
    assert (
        policy.block
        == policy._plan.sum() - np.minimum(np.bincount(surplus.arms, minlength=3), policy._plan).sum()
    )
    policy.tell(surplus.ids, rng.random(100) < rates[surplus.arms])
    assert play(policy, rates, 1).answer.items == (0,)


def test_a_budget_ends_with_a_guess_and_verdicts_stay() -> None:
    for policy in (
        RageGLM(Arms(soare(2)), BestArm(), slope=SLOPE, max_trials=3000),
        GLGapE(Arms(soare(2)), BestArm(), slope=SLOPE, max_trials=3000),
    ):
        verdict = play(policy, expit(soare(2)[:, 0]), 0)
        assert (verdict.trials, verdict.basis, verdict.proven, verdict.confidence) == (
            3000,
            "guess",
            False,
            0.0,
        )
        assert "budget of 3,000" in verdict.reason
        assert [rate.name for rate in verdict.rates()] == ["arm 0", "arm 1", "arm 2"]
        assert verdict.rates()[1].estimate == pytest.approx(0.5, abs=0.1)
        asked = policy.ask(2)
        policy.tell(asked.ids, [1, 0])
        assert policy.verdict is verdict


def test_separable_outcomes_are_no_proof() -> None:
    """No failure of an arm, whatever kappa promises: RAGE-GLM doubts its constant, GLGapE waits."""
    arms = Arms(names=["a", "b"])
    rates = np.array([1.0, 0.5])
    verdict = play(RageGLM(arms, BestArm(), delta=0.1, slope=0.25), rates, 0)
    assert verdict.answer.items == (0,)
    assert not verdict.proven
    assert "separable" in verdict.reason
    waiting = play(GLGapE(arms, BestArm(50.0), delta=0.1, slope=0.25, max_trials=5000), rates, 0)
    assert waiting.basis == "guess"


def test_more_arms_than_the_warm_up_has_trials() -> None:
    arms = Arms(np.random.default_rng(3).normal(size=(20, 2)))
    policy = GLGapE(arms, BestArm(6.0), delta=0.1, slope=0.2)
    assert policy.block == 6
    assert play(policy, expit(arms.features @ [0.3, 0.2]), 0).proven


def test_nothing_is_tried_for_an_answer_already_known() -> None:
    twins = Arms([[1.0, 0.0], [1.0, 0.0]])
    for policy in (RageGLM(twins, BestArm(), slope=0.2), GLGapE(twins, BestArm(), slope=0.2)):
        assert policy.verdict is not None
        assert (policy.verdict.trials, policy.verdict.confidence) == (0, 1.0)


BEYOND = Arms([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], items=[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arms: RageGLM(arms, BestArm(), delta=0.0, slope=0.2), "delta"),
        (lambda arms: RageGLM(arms, BestArm(), slope=0.3), "slope is the smallest"),
        (lambda arms: RageGLM(arms, BestArm(), slope=0.2, max_trials=0), "max_trials"),
        (lambda arms: RageGLM(arms, BestArm(0.1), slope=0.2), r"answers BestArm\(\)"),
        (lambda arms: RageGLM(arms, TopM(1), slope=0.2), r"answers BestArm\(\)"),
        (lambda arms: RageGLM(BEYOND, BestArm(), slope=0.2), "reach beyond"),
        (lambda arms: GLGapE(arms, BestArm(), slope=0.0), "slope is the smallest"),
        (lambda arms: GLGapE(arms, TopM(1), slope=0.2), r"answers BestArm\(epsilon\)"),
        (lambda arms: GLGapE(BEYOND, BestArm(), slope=0.2), "about the arms themselves"),
        (lambda arms: GLGapE(arms, BestArm(), slope=0.2).ask(0), "at least one trial"),
    ],
)
def test_what_is_not_covered_is_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make(Arms(names=["a", "b"]))
