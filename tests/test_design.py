"""Designs against a conic solver and a nonlinear program, and their certificates against plain NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import logts
from logts.design import Game, solve
from logts.problems import Question
from tests import reference
from tests.instances import Instance, instances, make

thorough = settings(
    max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


def check_certificate(instance: Instance, bound: logts.LowerBound) -> None:
    """Both sides of the game, computed again from the weights and nature's mixture."""
    exact = bound.divergence != "quadratic"
    assert bound.design is not None
    assert bound.weights.min() >= 0
    assert bound.weights.sum() == pytest.approx(1, abs=1e-12)
    values = (
        reference.exact_values(instance, bound.weights)[0]
        if exact
        else reference.quadratic_values(instance, bound.weights)
    )
    assert 1 / values.min() <= bound.characteristic_time * (1 + 1e-7)
    moves = np.array([instance.arms.parameter(u) for u in bound.design.moves])
    coordinates = instance.arms.coordinates(instance.theta)[: instance.arms.dimension]
    assert (bound.design.rivals.normals * bound.design.moves).sum(axis=1) == pytest.approx(
        -bound.design.rivals.margins(coordinates), rel=1e-9
    )
    eta = instance.x @ instance.theta
    steps = moves @ instance.x.T
    slope = 1 / (2 + 2 * np.cosh(eta))
    divergences = (
        reference.kl(np.broadcast_to(eta, steps.shape), eta + steps) if exact else 0.5 * slope * steps**2
    )
    assert bound.design.mixture.min() >= 0
    assert bound.design.mixture.sum() == pytest.approx(1)
    assert 1 / (bound.design.mixture @ divergences).max() >= bound.design.at_least * (1 - 1e-7)


@thorough
@given(instances)
def test_quadratic_design_agrees_with_a_conic_solver(instance: Instance) -> None:
    bound = logts.lower_bound(instance.arms, instance.theta, instance.problem, divergence="quadratic")
    assert bound.status is logts.Status.CONVERGED
    assert 0 <= bound.gap <= 1e-6
    check_certificate(instance, bound)
    assert bound.characteristic_time == pytest.approx(reference.conic_time(instance), rel=1e-5)


def test_exact_design_where_a_response_has_next_to_no_curvature() -> None:
    """Found by the test below: rounding kept the response off its hyperplane."""
    instance = make(kind="best", d=4, count=5, own_items=False, seed=2_185_813_649)
    bound = logts.lower_bound(instance.arms, instance.theta, instance.problem)
    assert bound.status is logts.Status.CONVERGED
    assert bound.characteristic_time == pytest.approx(reference.nonlinear_time(instance), rel=1e-4)


@thorough
@given(instances)
def test_exact_design_agrees_with_a_nonlinear_program(instance: Instance) -> None:
    bound = logts.lower_bound(instance.arms, instance.theta, instance.problem)
    assert bound.status is logts.Status.CONVERGED
    assert 0 <= bound.gap <= 1e-6
    check_certificate(instance, bound)
    assert bound.characteristic_time == pytest.approx(reference.nonlinear_time(instance), rel=1e-4)


def test_a_design_after_one_round_is_proven_as_far_as_it_goes() -> None:
    """Its two bounds hold the optimum between them, and the weights are not far from it."""
    strength = np.random.default_rng(0).normal(size=25)
    arms = logts.Arms.pairwise([f"item {k}" for k in range(25)])
    posed = Question(logts.BestArm(), arms).pose(arms.coordinates(strength))
    game = Game(arms.points, posed.theta, posed.alternatives, "quadratic")
    optimum = solve(game, arms.spanning, tolerance=1e-4)
    short = solve(game, arms.spanning, tolerance=1e-4, rounds=1)
    assert short.status is logts.Status.ITERATION_LIMIT
    assert short.at_least <= optimum.characteristic_time
    assert optimum.at_least <= short.characteristic_time < 1.5 * optimum.characteristic_time
    assert short.weights.sum() == pytest.approx(1.0)
