"""Fits against statsmodels and SciPy, separable data, hyperplanes, and the projection against brute force."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.special import expit

from logts import Status
from logts.logistic import (
    gradient,
    information,
    log_likelihood,
    maximum_likelihood,
    project,
    separating_direction,
)
from logts.tools.algebra import Array
from tests import reference


def counts(rng: np.random.Generator, x: Array, theta: Array, most: int) -> tuple[Array, Array]:
    trials = rng.integers(1, most, len(x))
    return trials.astype(float), rng.binomial(trials, expit(x @ theta)).astype(float)


def test_likelihood_gradient_and_information_agree_with_scipy() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 4))
    theta = rng.normal(size=4)
    trials, successes = counts(rng, x, theta, 50)
    point = rng.normal(size=4)
    assert log_likelihood(x, trials, successes, point) == pytest.approx(
        reference.log_likelihood(x, trials, successes, point), rel=1e-13
    )
    for i, axis in enumerate(np.eye(4)):
        up = point + 1e-5 * axis
        down = point - 1e-5 * axis
        rise = reference.log_likelihood(x, trials, successes, up) - reference.log_likelihood(
            x, trials, successes, down
        )
        assert gradient(x, trials, successes, point)[i] == pytest.approx(rise / 2e-5, rel=1e-6)
        change = gradient(x, trials, successes, down) - gradient(x, trials, successes, up)
        assert information(x, trials, point)[i] == pytest.approx(change / 2e-5, rel=1e-6)


def test_maximum_likelihood_agrees_with_statsmodels() -> None:
    rng = np.random.default_rng(2)
    compared = 0
    for _ in range(200):
        d = int(rng.integers(1, 8))
        x = rng.normal(size=(int(rng.integers(d + 2, 30)), d))
        trials, successes = counts(rng, x, rng.normal(size=d), 60)
        fit = maximum_likelihood(x, trials, successes)
        if fit.status is Status.CONVERGED:
            model = sm.GLM(np.column_stack([successes, trials - successes]), x, family=sm.families.Binomial())
            expected = model.fit(tol=1e-13, tol_criterion="params", maxiter=200).params
            assert fit.theta == pytest.approx(expected, rel=1e-8, abs=1e-8)
            assert fit.shortfall <= 1e-9
            compared += 1
    assert compared > 180


def test_cost_does_not_depend_on_the_number_of_trials() -> None:
    x = np.random.default_rng(3).normal(size=(9, 3))
    trials = np.full(9, 10.0)
    successes = np.array([3, 7, 5, 2, 6, 4, 8, 5, 6.0])
    small = maximum_likelihood(x, trials, successes)
    large = maximum_likelihood(x, 1e9 * trials, 1e9 * successes)
    assert large.status is Status.CONVERGED
    assert large.theta == pytest.approx(small.theta, rel=1e-9)


@pytest.mark.parametrize("kind", ["complete", "quasi", "single trials"])
def test_separable_data_are_detected_always(kind: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(170):
        d = int(rng.integers(1 if kind != "quasi" else 2, 7))
        x = rng.normal(size=(int(rng.integers(d, 25)), d))
        v = rng.normal(size=d)
        trials = rng.integers(2, 10, len(x)).astype(float) if kind != "single trials" else np.ones(len(x))
        successes = np.where(x @ v > 0, trials, 0.0)
        if kind == "quasi":  # arms on the separating plane with both outcomes
            flat = slice(0, d - 1)
            x[flat] -= np.outer(x[flat] @ v, v) / (v @ v)
            successes[flat] = 1.0
        fit = maximum_likelihood(x, trials, successes)
        assert fit.status is Status.SEPARABLE
        assert fit.direction is not None
        rises = np.where(successes == trials, 1.0, -1.0) * (x @ fit.direction)
        pure = (successes == trials) | (successes == 0)
        assert rises[pure].min() >= -1e-7
        assert rises[pure].max() > 0
        assert np.abs(x[~pure] @ fit.direction).max(initial=0.0) < 1e-7
        assert maximum_likelihood(x, trials, successes, precision=0.1 * np.eye(d)).status is Status.CONVERGED


def test_overlapping_data_are_never_called_separable() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        x = rng.normal(size=(20, 3))
        trials = np.full(20, 4.0)
        successes = np.full(20, 2.0)
        successes[:15] = rng.integers(0, 5, 15)
        assert separating_direction(x, trials, successes) is None
        assert maximum_likelihood(x, trials, successes).status is Status.CONVERGED


def test_arms_that_do_not_span_are_named() -> None:
    x = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    fit = maximum_likelihood(x, np.array([4.0, 4.0, 0.0]), np.array([2.0, 1.0, 0.0]))
    assert fit.status is Status.NOT_SPANNED


def test_posterior_mode_agrees_with_scipy() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(8, 3))
    trials, successes = counts(rng, x, rng.normal(size=3), 5)
    root = rng.normal(size=(3, 3))
    precision = root @ root.T + np.eye(3)
    center = rng.normal(size=3)
    fit = maximum_likelihood(x, trials, successes, precision=precision, center=center)

    def loss(theta: Array) -> float:
        return float(
            0.5 * (theta - center) @ precision @ (theta - center)
            - reference.log_likelihood(x, trials, successes, theta)
        )

    assert fit.theta == pytest.approx(minimize(loss, np.zeros(3), tol=1e-12).x, abs=1e-5)
    assert fit.status is Status.CONVERGED


def test_maximum_on_a_hyperplane_agrees_with_scipy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        d = int(rng.integers(2, 6))
        x = rng.normal(size=(15, d))
        trials, successes = counts(rng, x, rng.normal(size=d), 40)
        normal = rng.normal(size=d)
        offset = float(rng.normal())
        start = rng.normal(size=d)
        fit = maximum_likelihood(x, trials, successes, normal=normal, offset=offset, start=start)
        assert fit.status is Status.CONVERGED
        assert normal @ fit.theta == pytest.approx(offset, abs=1e-9)
        plane = np.linalg.svd(normal[None, :])[2][1:].T
        foot = offset * normal / (normal @ normal)

        def loss(
            v: Array,
            x: Array = x,
            n: Array = trials,
            r: Array = successes,
            foot: Array = foot,
            plane: Array = plane,
        ) -> float:
            return -reference.log_likelihood(x, n, r, foot + plane @ v)

        free = minimize(loss, np.zeros(d - 1), tol=1e-12)
        assert fit.log_likelihood == pytest.approx(-free.fun, rel=1e-9)


@pytest.mark.parametrize(
    ("trials", "successes"),
    [([1.0, 1.0], [2.0, 0.0]), ([1.0, np.nan], [0.0, 0.0]), ([1.0], [1.0]), ([1.0, 1.0], [-1.0, 0.0])],
)
def test_impossible_counts_are_refused(trials: list[float], successes: list[float]) -> None:
    with pytest.raises(ValueError, match=r"counts must be|one count for each"):
        maximum_likelihood(np.eye(2), np.array(trials), np.array(successes))


def distances(x: Array, trials: Array, successes: Array, thetas: Array) -> Array:
    """The norm that the projection minimises, for many parameters at once."""
    mean = expit(thetas @ x.T)
    residual = (trials * mean - successes) @ x
    h = np.einsum("gk,ki,kj->gij", trials * mean * (1 - mean), x, x)
    return np.sqrt(
        np.maximum(np.einsum("gi,gi->g", residual, np.linalg.solve(h, residual[:, :, None])[:, :, 0]), 0)
    )


def projection_case(rng: np.random.Generator, d: int) -> tuple[Array, Array, Array, float]:
    x = rng.normal(size=(int(rng.integers(d + 1, d + 8)), d))
    x /= np.linalg.norm(x, axis=1).max()
    trials, successes = counts(rng, x, rng.normal(size=d) * rng.uniform(0.5, 6), 30)
    return x, trials, successes, float(rng.uniform(0.3, 3))


def test_projection_beats_a_grid() -> None:
    rng = np.random.default_rng(8)
    without_estimate = 0
    for _ in range(200):
        x, trials, successes, radius = projection_case(rng, 2)
        without_estimate += maximum_likelihood(x, trials, successes).status is Status.SEPARABLE
        found = project(x, trials, successes, radius)
        axis = np.linspace(-radius, radius, 400)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        grid = grid[np.linalg.norm(grid, axis=1) <= radius]
        assert np.linalg.norm(found.theta) <= radius * (1 + 1e-12)
        assert found.distance == pytest.approx(
            distances(x, trials, successes, found.theta[None, :])[0], rel=1e-6, abs=1e-6
        )
        assert found.distance <= distances(x, trials, successes, grid).min() + 1e-9
    assert without_estimate >= 10


def local_search(x: Array, trials: Array, successes: Array, radius: float, start: Array) -> float:
    ball = {"type": "ineq", "fun": lambda v: radius**2 - v @ v, "jac": lambda v: -2 * v}
    found = minimize(
        lambda v: distances(x, trials, successes, v[None, :])[0], start, method="SLSQP", constraints=ball
    )
    return float(found.fun) if found.x @ found.x <= radius**2 * (1 + 1e-9) else np.inf


def test_projection_beats_fifty_local_searches() -> None:
    rng = np.random.default_rng(9)
    for _ in range(50):
        x, trials, successes, radius = projection_case(rng, 5)
        found = project(x, trials, successes, radius)
        starts = rng.normal(size=(50, 5))
        starts *= radius * rng.uniform(size=(50, 1)) ** 0.2 / np.linalg.norm(starts, axis=1, keepdims=True)
        best = min(local_search(x, trials, successes, radius, start) for start in starts)
        assert found.distance <= best * (1 + 1e-6) + 1e-7


def test_projection_without_spanning_trials() -> None:
    x = np.eye(3)
    found = project(x, np.array([5.0, 0.0, 0.0]), np.array([5.0, 0.0, 0.0]), 1.0)
    assert found.theta == pytest.approx([1.0, 0.0, 0.0])
    assert project(x, np.zeros(3), np.zeros(3), 1.0).theta == pytest.approx(np.zeros(3))
    with pytest.raises(ValueError, match="radius"):
        project(x, np.zeros(3), np.zeros(3), 0.0)
