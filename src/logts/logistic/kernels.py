"""The logistic link, its derivatives and the Bernoulli divergence, as stable scalar functions.

Notation: ``A(x) = log(1 + exp(x))``, ``mu = A'``. All arguments are logits.
"""

import numpy as np

from logts._compile import compiled

# Gauss-Legendre nodes and weights on [0, 1], five points.
_NODES = 0.5 + 0.5 * np.polynomial.legendre.leggauss(5)[0]
_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(5)[1]


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
def divergence(a: float, b: float) -> float:
    """Kullback-Leibler divergence of Bernoulli(mu(b)) from Bernoulli(mu(a)): ``A(b) - A(a) - (b - a) mu(a)``.

    The three terms cancel when ``b`` is near ``a``; there the Taylor remainder
    ``(b-a)^2 int_0^1 (1-t) mu'(a + t(b-a)) dt`` is summed instead, every term of which is positive.
    """
    step = b - a
    if abs(step) < 0.25:
        total = 0.0
        for i in range(_NODES.size):
            total += _WEIGHTS[i] * (1.0 - _NODES[i]) * slope(a + _NODES[i] * step)
        return float(step * step * total)
    if a > 0.0:  # KL is even in (a, b); in the left half the terms are as small as their sum
        a, b, step = -a, -b, -step
    return float(max(log1pexp(b) - log1pexp(a) - step * mean(a), 0.0))


@compiled
def damping(r: float) -> float:
    """Newton step length ``log(1+r)/r`` that never overshoots when no logit moves by more than ``r``.

    From self-concordance, ``|mu''| <= mu'``: along the step the curvature grows at most by ``exp(r t)``.
    """
    return float(np.log1p(r) / r) if r > 1e-8 else 1.0


@compiled
def shortfall(decrement: float, reach: float) -> float:
    """Upper bound on ``max L - L(theta)`` from the Newton decrement at theta, or infinity when there is no proof.

    With ``n`` the decrement and ``m = max |x|_{H^-1}`` over the arms tried, self-concordance gives
    ``L(theta + u) <= L(theta) + n p - (exp(-m p) + m p - 1)/m^2`` at ``|u|_H = p``. For ``n m < 1`` the right side
    ends below ``L(theta)``, so a maximiser exists; its largest value over ``p`` is returned.
    """
    a = decrement * reach
    if not a < 1.0:
        return float(np.inf)
    if a < 1e-4:
        return float(decrement * decrement * (0.5 + a / 6.0 + a * a))
    return float((a + (1.0 - a) * np.log1p(-a)) / (reach * reach))
