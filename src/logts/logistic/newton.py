"""Newton's method with proof: one kernel for likelihoods, posteriors, hyperplanes and designs.

It minimises, over steps ``u`` from a parameter at which arm x has the logit ``eta_x``,

    F(u) = sum_x w_x KL(eta_x, eta_x + x.u) + tilt.u + u'P u/2     subject to   y.u = -margin   (if y is not
    zero).

A negative log-likelihood with counts N, R is ``F`` plus a constant, with ``w = N`` and ``tilt = sum_x (N
mu(eta) - R) x``; nature's best response in a design game has ``tilt = 0``. Writing it from a base point loses
nothing to cancellation when the step is small.
"""

from typing import NamedTuple

import numpy as np

from logts.logistic.kernels import damping, divergence, mean_change, shortfall, slope
from logts.tools.algebra import (
    Array,
    add,
    assign,
    cholesky,
    dot,
    solve_lower,
    solve_upper,
    squared_norms,
    weighted_gram,
)
from logts.tools.compiling import compiled

STEPS = 60
ROUNDING = 1e-15


class Objective(NamedTuple):
    """What F is made of: arms ``x``, logits ``eta``, weights ``w``, the tilt, and P, maybe empty."""

    x: Array
    eta: Array
    w: Array
    tilt: Array
    precision: Array


class Plane(NamedTuple):
    """The hyperplane ``y.u = -margin``; a zero ``y`` is none."""

    y: Array
    margin: float


class Minimum(NamedTuple):
    """Where F is least: ``u``, the factor L of the Hessian there, and the unit vector along ``L^-1 y``."""

    u: Array
    factor: Array
    normal: Array


@compiled
def minimise(objective: Objective, plane: Plane, scale: float, found: Minimum) -> tuple[float, float]:
    """Minimise F into ``found``; returns its value, and a proven bound on how far that is above the minimum.

    ``found.u`` holds a first guess. Iteration ends when the squared Newton decrement falls to 1e-20 of the
    value or of ``scale``. The bound is infinite when there is no proof.
    """
    x, _, w, tilt, _ = objective
    y, margin = plane
    u, factor, normal = found
    arms, d = x.shape
    gradient = np.empty(d)
    move = np.empty(d)
    constrained = dot(y, y) > 0.0
    value = 0.0
    width = 1.0
    off = 0.0
    size = 0.0
    for _ in range(STEPS):
        value, pulls = _expand(objective, u, gradient, factor)
        if not cholesky(factor):
            return value, np.inf
        # In the coordinates L'u: the step within the hyperplane, and back onto it what the guess or rounding
        # took off.
        solve_lower(factor, gradient)
        assign(move, 0.0, tilt)
        if constrained:
            assign(normal, 1.0, y)
            solve_lower(factor, normal)
            width = np.sqrt(dot(normal, normal))
            assign(normal, 1.0 / width, normal)
            # Twice: what rounding leaves of a large part along y would move u off the hyperplane.
            for _ in range(2):
                add(gradient, -dot(gradient, normal), normal)
            off = (margin + dot(y, u)) / width
            size = abs(margin)
            for i in range(d):
                size += abs(y[i] * u[i])
            add(move, -off, normal)
        decrement = np.sqrt(dot(gradient, gradient))
        add(move, -1.0, gradient)
        solve_upper(factor, move)
        if decrement * decrement <= 1e-20 * max(value, scale) and abs(off) * width <= 1e-12 * size:
            # The gradient is a difference of tilt and pulls: what rounding may hide of it counts as decrement
            # too.
            assign(move, 1.0, tilt)
            solve_lower(factor, move)
            farthest = reach(x, w, factor)
            hidden = ROUNDING * (np.sqrt(dot(move, move)) + farthest * pulls)
            return value, shortfall(decrement + hidden, farthest)
        largest = 0.0
        for k in range(arms):
            if w[k] > 0.0:
                largest = max(largest, abs(dot(x[k], move)))
        stride = damping(largest)
        add(u, stride, move)
    return value, np.inf


@compiled
def _expand(objective: Objective, u: Array, gradient: Array, hessian: Array) -> tuple[float, float]:
    """F at ``u``, its derivatives, and the sum of what the arms pull at the gradient, whatever the sign."""
    x, eta, w, tilt, precision = objective
    arms, d = x.shape
    weights = np.empty(arms)
    value = dot(tilt, u)
    assign(gradient, 1.0, tilt)
    pulls = 0.0
    for k in range(arms):
        weights[k] = 0.0
        if w[k] > 0.0:
            change = dot(x[k], u)
            weights[k] = w[k] * slope(eta[k] + change)
            value += w[k] * divergence(eta[k], change)
            pull = w[k] * mean_change(eta[k], change)
            pulls += abs(pull)
            for i in range(d):
                gradient[i] += pull * x[k, i]
    weighted_gram(x, weights, hessian)
    if precision.size > 0:
        for i in range(d):
            add(hessian[i], 1.0, precision[i])
            held = dot(precision[i], u)
            gradient[i] += held
            value += 0.5 * u[i] * held
    return value, pulls


@compiled
def reach(x: Array, w: Array, factor: Array) -> float:
    """``max |x|_{H^-1}`` over the arms with positive weight."""
    norms = squared_norms(x, factor)
    largest = 0.0
    for k in range(w.size):
        if w[k] > 0.0:
            largest = max(largest, norms[k])
    return float(np.sqrt(largest))


@compiled
def screening_distance(value: float, reach: float) -> float:
    """The quadratic distance ``Z`` from which on a half-space costs at least ``value``.

    By self-concordance it costs at least ``p^2 h(m p)/2 = (exp(-m p) + m p - 1)/m^2``, ``p^2 = 2 Z``, ``m``
    the reach at the minimiser of the whole space; that grows with ``p``.
    """
    goal = value * reach * reach
    low = 0.0
    high = np.sqrt(2.0 * goal) + 2.0 * goal + 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle + np.expm1(-middle) < goal:
            low = middle
        else:
            high = middle
    return 0.5 * (high / reach) ** 2
