"""The online estimate of ECOLog against a general solver of its problem in every step."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from logts.experiments.ecolog import OnlineEstimate
from logts.tools.algebra import Array


def step(theta: Array, w: Array, x: Array, yes: bool, radius: float, weight: float) -> Array:
    """The problem of one step, by sequential quadratic programming."""
    sign = 1.0 if yes else -1.0

    def cost(to: Array) -> float:
        return float(weight * (to - theta) @ w @ (to - theta) - log_expit(sign * (x @ to)))

    def gradient(to: Array) -> Array:
        return np.asarray(2.0 * weight * w @ (to - theta) - sign * expit(-sign * (x @ to)) * x)

    ball = {"type": "ineq", "fun": lambda to: radius**2 - to @ to, "jac": lambda to: -2.0 * to}
    options = {"maxiter": 500, "ftol": 1e-15}
    found = minimize(cost, 0.9 * theta, jac=gradient, constraints=[ball], method="SLSQP", options=options)
    return np.asarray(found.x)


@pytest.mark.parametrize("weight", [0.5, 0.1])
@pytest.mark.parametrize("radius", [0.4, 10.0])
def test_every_step_solves_its_problem(radius: float, weight: float) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 3))
    rates = expit(points @ [1.0, -0.5, 0.3])
    mine = OnlineEstimate(points, radius, weight)
    w = np.eye(3)
    on_the_sphere = 0
    for _ in range(80):
        arm = int(rng.integers(6))
        yes = bool(rng.random() < rates[arm])
        before = mine.theta.copy()
        score = mine.absorb(np.array([arm]), np.array([yes]))
        assert score == pytest.approx(log_expit((1.0 if yes else -1.0) * (points[arm] @ before)))
        assert mine.theta == pytest.approx(step(before, w, points[arm], yes, radius, weight), abs=2e-6)
        assert np.linalg.norm(mine.theta) <= radius * (1.0 + 1e-12)
        on_the_sphere += int(np.linalg.norm(mine.theta) > radius * (1.0 - 1e-9))
        logit = points[arm] @ mine.theta
        w += expit(logit) * expit(-logit) * np.outer(points[arm], points[arm])
        assert mine.information == pytest.approx(w)
        assert mine._inverse == pytest.approx(np.linalg.inv(w))
    assert (on_the_sphere > 20) == (radius < 1.0)


def test_it_tends_to_the_parameter() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 4))
    theta = np.array([1.0, -0.5, 0.3, 0.0])
    arms = rng.integers(20, size=40_000)
    mine = OnlineEstimate(points, 2.0)
    mine.absorb(arms, rng.random(40_000) < expit(points @ theta)[arms])
    assert np.abs(mine.theta - theta).max() < 0.1
