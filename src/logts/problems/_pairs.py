"""What the problems share that compare items with one another."""

import math

from logts.alternatives import Alternatives, Compared
from logts.arms import Items
from logts.tools.algebra import Array, Indices


def compare(
    items: Items, first: Indices, second: Indices, signs: Array, epsilon: float, *, apart: bool = False
) -> Alternatives:
    """``sign (z_first - z_second).lambda <= -epsilon``, without the pairs that have equal features."""
    found = Compared(items.points, first, second, signs, 0.0 * signs - epsilon, apart=apart)
    return found.written_if_few()


def within(epsilon: float) -> str:
    """What a sentence says about a tolerance, if there is one."""
    if not epsilon:
        return ""
    points = f"{min(100.0, 25.0 * epsilon):.3g} percentage points"  # the slope of the link is at most 1/4
    return f" (Up to {epsilon:g} on the logit scale, which is at most {points}, does not matter.)"


def tolerance(epsilon: float) -> None:
    """Refuse a tolerance that is not a finite number >= 0."""
    if not (math.isfinite(epsilon) and epsilon >= 0.0):
        raise ValueError(f"epsilon must be zero or a positive number (on the logit scale); got {epsilon!r}")
