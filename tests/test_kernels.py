"""Scalar functions against high-precision arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit

from logts.logistic import kernels

logits = st.floats(-40, 40)


@given(logits)
def test_link_and_derivatives(x: float) -> None:
    assert kernels.mean(x) == pytest.approx(float(expit(x)), rel=1e-14)
    assert kernels.log1pexp(x) == pytest.approx(float(np.logaddexp(0, x)), rel=1e-14)
    step = 1e-4
    for function, derivative in (
        (kernels.mean, kernels.slope),
        (kernels.slope, kernels.bend),
        (kernels.bend, kernels.twist),
    ):
        difference = (function(x + step) - function(x - step)) / (2 * step)
        assert derivative(x) == pytest.approx(difference, abs=1e-8)


@pytest.mark.parametrize("x", [-750.0, -1e4, 750.0, 1e4])
def test_tails_neither_overflow_nor_vanish_too_early(x: float) -> None:
    assert kernels.log1pexp(x) == max(x, 0.0)
    assert kernels.mean(x) in (0.0, 1.0)
    assert kernels.slope(x) >= 0.0
    assert kernels.mean(-700.0) == pytest.approx(math.exp(-700.0))


@given(logits, st.floats(-30, 30))
def test_divergence_is_the_taylor_remainder(a: float, step: float) -> None:
    # (b-a)^2 int (1-t) mu'(a + t(b-a)) dt has no cancellation; scaled by the slope so that quadrature is
    # relative
    def integrand(t: float) -> float:
        return (1 - t) * 0.25 / math.cosh(0.5 * (a + t * step)) ** 2

    points = [-a / step] if step != 0 and 0 < -a / step < 1 else None
    expected = step**2 * quad(integrand, 0, 1, points=points, epsabs=0, epsrel=1e-12, limit=200)[0]
    assert kernels.divergence(a, step) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_divergence_of_close_logits_keeps_its_digits() -> None:
    # exact rational arithmetic on the series of log and exp
    a = Fraction(3, 10)
    step = Fraction(1, 10**6)
    terms = 40

    def exp(q: Fraction) -> Fraction:
        return sum((q**n / math.factorial(n) for n in range(terms)), start=Fraction(0))

    mean = exp(a) / (1 + exp(a))
    growth = mean * (exp(step) - 1)
    log1p = sum(((-1) ** (n + 1) * growth**n / n for n in range(1, 8)), start=Fraction(0))
    expected = float(log1p - step * mean)
    assert kernels.divergence(0.3, 1e-6) == pytest.approx(expected, rel=1e-9)


@given(logits, st.floats(-60, 60))
def test_mean_change(x: float, step: float) -> None:
    expected = float(expit(x + step) - expit(x))
    assert kernels.mean_change(x, step) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert kernels.mean_change(x, 1e-12) == pytest.approx(1e-12 * kernels.slope(x), rel=1e-6)


@given(st.floats(1e-5, 0.49), st.floats(0.01, 10))
def test_shortfall_bounds_the_worst_self_concordant_function(product: float, reach: float) -> None:
    # The extremal function: curvature falls as exp(-m p) away from theta.
    decrement = product / reach
    p = np.linspace(0, -3 * math.log1p(-product) / reach, 2001)
    gain = decrement * p - (np.expm1(-reach * p) + reach * p) / reach**2
    assert kernels.shortfall(decrement, reach) >= gain.max() * (1 - 1e-6)
    assert kernels.shortfall(decrement, reach) <= gain.max() * 1.01 + 1e-14
    assert kernels.shortfall(0.51 / reach, reach) == math.inf  # no claim where rounding could feign a maximum
