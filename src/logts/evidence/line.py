"""The least wealth where two arms that share nothing are compared, or one arm with a rate, with proof.

On the boundary log M is a convex function of one number. Two tangents, one from either side, cross below its
minimum: that bound is proven, not only computed, whatever the outcomes, even if one arm never failed.
"""

import numpy as np

from logts.evidence.least import Seen, log_wealth
from logts.evidence.shift import Stakes
from logts.tools.compiling import compiled

CLOSE = 1e-7  # how far apart the bounds on a minimum may stay
STEPS = 100


@compiled
def at_rate(seen: Seen, stakes: Stakes, cash: float, at: float, above: bool) -> float:
    """Compared with a rate: the boundary is a point."""
    gradient = np.empty(1)
    value = log_wealth(seen, stakes, cash, np.full(1, at), gradient, np.empty((1, 1)))
    return value if (gradient[0] if above else -gradient[0]) <= 0.0 and np.isfinite(value) else cash


@compiled
def on_line(seen: Seen, stakes: Stakes, cash: float, c: float) -> float:
    """A lower bound on log M over ``z_i - z_k <= c``; if there is none better, the cash."""
    n = seen.trials.sum()
    r = seen.successes.sum()
    if seen.trials.min() == 0.0 or r == 0.0 or r == n:
        return cash
    middle = np.log(r / (n - r)) - 0.5 * c
    left = middle - 1.0
    right = middle + 1.0
    f_left, d_left, _ = _along(seen, stakes, cash, c, left)
    f_right, d_right, _ = _along(seen, stakes, cash, c, right)
    for _ in range(STEPS):  # out to where log M falls towards the middle
        if d_left < 0.0:
            break
        left -= 2.0 * (right - left)
        f_left, d_left, _ = _along(seen, stakes, cash, c, left)
    for _ in range(STEPS):
        if d_right > 0.0:
            break
        right += 2.0 * (right - left)
        f_right, d_right, _ = _along(seen, stakes, cash, c, right)
    if not (d_left < 0.0 < d_right):
        return cash
    for _ in range(STEPS):
        # Both tangents lie below log M, and so does their crossing below its minimum.
        at = (f_right - f_left + d_left * left - d_right * right) / (d_left - d_right)
        bound = f_left + d_left * (at - left)
        value, slope, pull = _along(seen, stakes, cash, c, at)
        if value - bound <= CLOSE:
            return max(cash, bound) if pull <= 0.0 else cash
        if slope < 0.0:
            left = at
            f_left = value
            d_left = slope
        else:
            right = at
            f_right = value
            d_right = slope
    return cash


@compiled
def _along(seen: Seen, stakes: Stakes, cash: float, c: float, z: float) -> tuple[float, float, float]:
    """Log M on the boundary, its derivative along it, and that in the first logit."""
    gradient = np.empty(2)
    value = log_wealth(seen, stakes, cash, np.array([z + c, z]), gradient, np.empty((2, 2)))
    return value, gradient[0] + gradient[1], gradient[0]
