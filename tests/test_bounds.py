"""Lower bounds: published and closed-form values, invariance, the paper's constant, hard cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import logts
from logts import Arms, BestArm, Status, Threshold, TopM, VersusControl, lower_bound
from logts.design import Game, solve
from logts.design.remainder import paper_constant
from logts.planning.bounds import Divergence
from logts.problems import Question
from tests import reference
from tests.instances import Instance, make, soare
from tests.test_design import check_certificate

DIVERGENCES: tuple[Divergence, ...] = ("kl", "quadratic")


@pytest.mark.parametrize(
    ("d", "size", "quadratic", "exact"),
    [(2, 1, 479.78, 478.57), (2, 3, 71.505, 67.827), (6, 1, 517.117, 517.03)],
)
def test_known_characteristic_times(d: int, size: float, quadratic: float, exact: float) -> None:
    arms = Arms(soare(d))
    theta = size * np.eye(d)[0]
    assert lower_bound(arms, theta, BestArm(), divergence="quadratic").characteristic_time == pytest.approx(
        quadratic, rel=1e-4
    )
    bound = lower_bound(arms, theta, BestArm(), delta=0.01)
    assert bound.characteristic_time == pytest.approx(exact, rel=1e-4)
    assert bound.samples == pytest.approx(np.log(1 / 0.024) * bound.characteristic_time)
    assert bound.proven
    jun = lower_bound(arms, theta, BestArm(), divergence="jun")
    assert jun.characteristic_time == pytest.approx(bound.characteristic_time, rel=1e-6)


def test_jun_et_al_is_the_exact_bound_on_every_kind_of_instance() -> None:
    for seed, kind in enumerate(["best", "top", "threshold", "control", "ranking"]):
        instance = make(kind, 4, 15, False, seed)
        exact = lower_bound(instance.arms, instance.theta, instance.problem)
        jun = lower_bound(instance.arms, instance.theta, instance.problem, divergence="jun")
        assert jun.characteristic_time == pytest.approx(exact.characteristic_time, rel=2e-6)


def test_unrelated_arms_in_closed_form() -> None:
    # Two unrelated arms: min over w of 1/(w s_1) + 1/((1-w) s_2) = (1/sqrt(s_1) + 1/sqrt(s_2))^2. The third
    # arm is no rival.
    theta = np.array([0.7, -0.2, 0.1])
    slopes = expit(theta) * expit(-theta)
    arms = Arms(np.eye(3), items=np.eye(3)[:2])
    bound = lower_bound(arms, theta, BestArm(), divergence="quadratic")
    expected = 2 * (slopes[:2] ** -0.5).sum() ** 2 / 0.9**2
    assert bound.characteristic_time == pytest.approx(expected, rel=1e-5)
    assert bound.weights[2] < 1e-5


def test_frank_wolfe_agrees_within_its_own_certificate() -> None:
    arms = Arms(soare(3))
    theta = [1.0, 0.0, 0.0]
    for divergence in DIVERGENCES:
        best = lower_bound(arms, theta, BestArm(), divergence=divergence)
        slow = lower_bound(
            arms, theta, BestArm(), divergence=divergence, solver="frank-wolfe", tolerance=0.01
        )
        assert slow.status is Status.CONVERGED
        assert slow.design is not None
        assert (
            slow.design.at_least
            <= best.characteristic_time
            <= slow.characteristic_time
            <= 1.0101 * best.characteristic_time
        )
        instance = make("best", 3, 12, False, 3)
        check_certificate(
            instance,
            lower_bound(
                instance.arms, instance.theta, instance.problem, divergence=divergence, solver="frank-wolfe"
            ),
        )


@settings(max_examples=40)
@given(
    st.integers(2, 6),
    st.integers(7, 30),
    st.sampled_from(["best", "top", "threshold", "control", "ranking"]),
    st.integers(0, 10**6),
)
def test_a_linear_change_of_the_features_changes_nothing(d: int, count: int, kind: str, seed: int) -> None:
    instance = make(kind, d, count, False, seed)
    rng = np.random.default_rng(seed)
    change = rng.normal(size=(d, d)) + 2 * np.eye(d)
    units = 10.0 ** rng.integers(-4, 5, d)
    x = instance.x @ change * units
    theta = np.linalg.solve(change * units, instance.theta)
    for divergence in DIVERGENCES:
        before = lower_bound(instance.arms, instance.theta, instance.problem, divergence=divergence)
        after = lower_bound(Arms(x), theta, instance.problem, divergence=divergence)
        assert after.answer == before.answer
        assert after.characteristic_time == pytest.approx(before.characteristic_time, rel=2e-6)
        assert after.weights == pytest.approx(before.weights, abs=2e-3)


def test_paper_constant_against_a_grid() -> None:
    """Slip 6: C(theta) is a number to show, found by search.

    On a grid of the alternative nothing lies lower.
    """
    for size in (0.5, 1.0, 3.0):
        x = soare(2)
        theta = np.array([size, 0.0])
        bound = lower_bound(Arms(x), theta, BestArm(), divergence="quadratic")
        axis = np.linspace(-3, 3, 1201)
        grid = theta + np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        logits = grid @ x.T
        grid = grid[logits[:, 0] <= logits[:, 1:].max(axis=1)]
        eta = x @ theta
        steps = (grid - theta) @ x.T
        remainder = np.abs(
            reference.kl(np.broadcast_to(eta, steps.shape), eta + steps)
            - 0.5 * expit(eta) * expit(-eta) * steps**2
        )
        assert bound.paper_constant is not None
        assert bound.paper_constant <= remainder.max(axis=1).min() * (1 + 1e-6)
        assert bound.paper_constant >= 0.5 * remainder.max(axis=1).min()
        assert bound.paper_samples is not None
        assert bound.paper_samples < bound.samples
        assert not bound.proven
        assert "not proven" in bound.note


def test_paper_constant_of_a_flat_instance_is_small() -> None:
    arms = Arms(soare(2, 0.01))
    posed = Question(BestArm(), arms).pose(arms.coordinates([1.0, 0.0]))
    assert paper_constant(Game(arms.points, posed.theta, posed.alternatives, "quadratic")) < 1e-8


@pytest.mark.parametrize("size", [5.0, 12.0, 20.0, 30.0])
def test_rates_near_zero_and_one(size: float) -> None:
    for divergence in DIVERGENCES:
        bound = lower_bound(Arms(soare(2, 0.5)), [size, 0.0], BestArm(), divergence=divergence)
        assert bound.status is Status.CONVERGED
        assert bound.gap <= 1e-6
        assert bound.characteristic_time > 0


def test_saturated_rates_break_the_quadratic_but_not_the_exact_bound() -> None:
    """Near rate 1 there is no local information, yet a single failure refutes a far alternative."""
    x = soare(2, 0.5)
    order = np.array([x[0] - x[1], x[0] - x[2]])
    for size in (12.0, 20.0):
        exact = lower_bound(Arms(x), [size, 0.0], BestArm())
        instance = Instance(Arms(x), x, np.array([size, 0.0]), BestArm(), order, np.zeros(2))
        assert exact.characteristic_time == pytest.approx(reference.nonlinear_time(instance), rel=1e-4)
    for size in (50.0, 800.0, 1e4):
        exact = lower_bound(Arms(x), [size, 0.0], BestArm())
        assert exact.status is Status.CONVERGED
        assert exact.characteristic_time == pytest.approx(16.3766, rel=1e-4)  # the limit, approached above
        local = lower_bound(Arms(x), [size, 0.0], BestArm(), divergence="quadratic")
        assert local.status is Status.SATURATED
        assert local.characteristic_time == np.inf


def test_near_ties_are_expensive_but_certified() -> None:
    for gap in (1e-2, 1e-4, 1e-6):
        bound = lower_bound(Arms(soare(2)), [1.0, (1 - np.cos(0.3)) / np.sin(0.3) - gap], BestArm())
        assert bound.status is Status.CONVERGED
        assert bound.characteristic_time > 10 / gap**2


def test_large_sets_are_certified_in_few_scans() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(20_000, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    theta = np.array([1.0, 0.3, -0.2, 0.1])
    for problem in (BestArm(), TopM(5), VersusControl(17)):
        for divergence in DIVERGENCES:
            bound = lower_bound(Arms(x), theta, problem, divergence=divergence, tolerance=1e-3)
            assert bound.status is Status.CONVERGED
            assert bound.design is not None
            assert bound.design.scans <= 25


def test_warm_start_is_certified_and_takes_fewer_scans() -> None:
    rng = np.random.default_rng(6)
    arms = Arms(rng.normal(size=(3000, 5)))
    theta = arms.coordinates(rng.normal(size=5) / 3)
    first = Question(BestArm(), arms).pose(theta)
    cold = solve(
        Game(arms.points, first.theta, first.alternatives, "quadratic"), arms.spanning, tolerance=1e-4
    )
    second = Question(BestArm(), arms).pose(theta * 1.001)
    game = Game(arms.points, second.theta, second.alternatives, "quadratic")
    warm = solve(game, arms.spanning, tolerance=1e-4, start=cold.weights)
    assert warm.status is Status.CONVERGED
    assert warm.characteristic_time == pytest.approx(
        solve(game, arms.spanning, tolerance=1e-6).characteristic_time, rel=1e-4
    )
    assert warm.scans <= cold.scans


def test_large_delta_needs_nothing() -> None:
    assert lower_bound(Arms(np.eye(2)), [1.0, 0.0], BestArm(), delta=0.5).samples == 0.0


def test_a_single_arm_is_known() -> None:
    bound = lower_bound(Arms([[1.0]]), [1.0], BestArm())
    assert bound.status is Status.ALREADY_KNOWN
    assert bound.samples == 0.0
    assert str(bound.answer) == "best: arm 0"


def test_threshold_against_two_arms_in_closed_form() -> None:
    bound = lower_bound(Arms(names=["a", "b"]), [1.0, -0.5], Threshold(0.5), divergence="quadratic")
    costs = 2 / (np.array([1.0, 0.5]) ** 2 * expit([1.0, -0.5]) * expit([-1.0, 0.5]))
    assert bound.characteristic_time == pytest.approx(costs.sum(), rel=1e-5)
    assert bound.weights == pytest.approx(costs / costs.sum(), abs=1e-4)


def test_text_shows_names_certificate_and_allocation() -> None:
    text = str(lower_bound(Arms(soare(2), names=["a", "b", "c"]), [1.0, 0.0], BestArm()))
    assert text.splitlines()[0] == "best: a"
    assert "certified within" in text
    assert "  b" in text
    assert isinstance(lower_bound(Arms(soare(2)), [1, 0], BestArm()), logts.LowerBound)
