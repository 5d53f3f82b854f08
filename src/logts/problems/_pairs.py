"""Half-spaces that compare one item with another, shared by the problems made of such comparisons."""

import math

from logts.alternatives import HalfSpaces
from logts.arms import Items
from logts.tools.algebra import Array, Indices


def compare(
    items: Items, first: Indices, second: Indices, signs: Array, epsilon: float, *, apart: bool = False
) -> HalfSpaces:
    """``sign (z_first - z_second).lambda <= -epsilon``, without the pairs that have equal features."""
    z = items.points
    differ = (z[first] != z[second]).any(axis=1)
    first = first[differ]
    second = second[differ]
    signs = signs[differ]
    about = list(zip(first.tolist(), second.tolist(), strict=True))
    return HalfSpaces(signs[:, None] * (z[first] - z[second]), 0.0 * signs - epsilon, about, apart)


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
