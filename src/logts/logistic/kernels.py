"""The logistic link, its derivatives and the Bernoulli divergence, as stable scalar functions.

Notation: ``A(x) = log(1 + exp(x))``, ``mu = A'``. All arguments are logits.
"""

import numpy as np

from logts.tools.compiling import compiled


@compiled
def log1pexp(x: float) -> float:
    """``log(1 + exp(x))`` without overflow."""
    return float(max(x, 0.0) + np.log1p(np.exp(-abs(x))))


@compiled
def mean(x: float) -> float:
    """``mu(x) = 1 / (1 + exp(-x))``, accurate in both tails."""
    e = np.exp(-abs(x))
    return float(1.0 / (1.0 + e)) if x >= 0 else float(e / (1.0 + e))


@compiled
def slope(x: float) -> float:
    """``mu'(x)``, accurate in both tails."""
    e = np.exp(-abs(x))
    return float(e / ((1.0 + e) * (1.0 + e)))


@compiled
def bend(x: float) -> float:
    """``mu''(x)``."""
    return float(-slope(x) * np.tanh(0.5 * x))


@compiled
def twist(x: float) -> float:
    """``mu'''(x) = mu' (1 - 6 mu')``."""
    s = slope(x)
    return float(s * (1.0 - 6.0 * s))


@compiled
def divergence(a: float, s: float) -> float:
    """Divergence KL of Bernoulli(mu(a + s)) from Bernoulli(mu(a)): ``A(a + s) - A(a) - s mu(a)``.

    The three terms cancel when the step is small; there it is summed as a series, whose remainder is below
    1e-12 of it.
    """
    if abs(s) < 0.05:
        t = -np.tanh(0.5 * a)
        m = 0.25 * (1.0 - t * t) if abs(a) < 1.0 else slope(a)
        series = 1.0 / 2 + s * (t / 6 + s * ((1 - 6 * m) / 24 + s * (t * (1 - 12 * m) / 120)))
        series += s**4 * ((1 - 30 * m + 120 * m * m) / 720 + s * t * (1 - 60 * m + 360 * m * m) / 5040)
        return float(m * s * s * series)
    if a > 0.0:  # KL is even in (a, s); in the left half the terms are as small as their sum
        a = -a
        s = -s
    return float(max(log1pexp(a + s) - log1pexp(a) - s * mean(a), 0.0))


@compiled
def mean_change(x: float, step: float) -> float:
    """``mu(x + step) - mu(x)`` as ``mu(b) mu(-a) (1 - exp(a - b))``, ``b > a``: nothing cancels."""
    if step >= 0.0:
        return float(mean(x + step) * mean(-x) * -np.expm1(-step))
    return float(mean(x) * mean(-x - step) * np.expm1(step))


@compiled
def damping(r: float) -> float:
    """Newton step length ``log(1+r)/r`` that never overshoots when no logit moves by more than ``r``.

    From self-concordance, ``|mu''| <= mu'``: along the step the curvature grows at most by ``exp(r t)``.
    """
    return float(np.log1p(r) / r) if r > 1e-8 else 1.0


@compiled
def shortfall(decrement: float, reach: float) -> float:
    """Upper bound on ``max L - L(theta)`` from the Newton decrement there; infinite without proof.

    With ``n`` the decrement and ``m = max |x|_{H^-1}`` over the arms tried, self-concordance gives ``L(theta
    + u) <= L(theta) + n p - (exp(-m p) + m p - 1)/m^2`` at ``|u|_H = p``. For ``n m < 1`` the right side ends
    below ``L(theta)``, so a maximiser exists; its largest value over ``p`` is returned.
    """
    a = decrement * reach
    # Where no maximum exists the product tends to 1 from above, and rounding may put it below: claim nothing
    # near 1.
    if not a < 0.5:
        return float(np.inf)
    if a < 1e-4:
        return float(decrement * decrement * (0.5 + a / 6.0 + a * a))
    return float((a + (1.0 - a) * np.log1p(-a)) / (reach * reach))
