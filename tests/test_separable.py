"""Outcomes that never vary: the likelihood has no maximum, and a study ends all the same."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from logts import Arms, BestArm, LogTS, Problem, Ranking, simulate
from logts.logistic.dual import ceiling
from logts.tools.algebra import Array


def _supremum(x: Array, n: Array, r: Array, y: Array, c: float, far: float) -> float:
    """The largest log-likelihood on the half-space, no further than so far, by SciPy."""
    below = {"type": "ineq", "fun": lambda at: c - y @ at}
    found = [
        minimize(
            lambda at: n @ np.logaddexp(0.0, x @ at) - r @ (x @ at),
            start * y,
            jac=lambda at: x.T @ (n * expit(x @ at) - r),
            bounds=[(-far, far)] * len(y),
            constraints=below,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        for start in (-0.1, -1.0, -3.0)
    ]
    return max(-float(one.fun) for one in found if y @ one.x <= c + 1e-9)


@pytest.mark.parametrize("separable", [True, False])
def test_the_ceiling_of_the_likelihood_agrees_with_scipy(separable: bool) -> None:
    rng = np.random.default_rng(3)
    near = tight = 0
    for _ in range(30):
        d = int(rng.integers(1, 5))
        x = rng.normal(size=(int(rng.integers(d, 10)), d))
        theta = rng.normal(size=d)
        n = rng.integers(0, 30, len(x)).astype(float)
        n[0] += 1.0
        rates = 1.0 * (x @ theta > 0.0) if separable else expit(x @ theta)
        r = rng.binomial(n.astype(int), rates).astype(float)
        y = theta + 0.3 * rng.normal(size=d)
        c = float(-0.1 * y @ theta)
        largest = _supremum(x, n, r, y, c, 30.0)
        found = ceiling(x, n, r, y, c, math.inf)
        assert found >= largest - 1e-5 * (1.0 + abs(largest))
        if abs(_supremum(x, n, r, y, c, 100.0) - largest) < 0.01:  # otherwise it lies at infinity
            tight += found <= largest + 0.05
            near += 1
        assert ceiling(x, n, r, y, c, largest - 1.0) > largest - 1.0
    assert near >= 20
    assert tight >= near - 2  # where SciPy stopped too early


@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize("problem", [BestArm(), Ranking()], ids=repr)
def test_comparisons_that_always_end_alike_end(problem: Problem, guard: bool) -> None:
    arms = Arms.pairwise(["a", "b", "c", "d"])
    make = partial(LogTS, guard=guard, max_trials=2_000)
    (run,) = simulate(make, arms, [300.0, 200.0, 100.0, 0.0], problem, delta=0.05, runs=1, rng=0)
    assert run.correct
    assert run.proven
    assert run.samples < 600


def test_of_two_that_never_fail_none_is_called_better() -> None:
    arms = Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]])
    make = partial(LogTS, guard=False, max_trials=1_000)
    (run,) = simulate(make, arms, [-50.0, 100.0, 20.0], BestArm(), runs=1, rng=0)
    assert not run.proven
