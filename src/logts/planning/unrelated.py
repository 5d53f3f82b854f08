"""Lower bounds for many arms that share nothing, without coordinates.

Compare one arm L with others, all by KL divergences D. At weights w a rival k with ``z_L - z_k <= c`` costs
``min_z w_L D_L(z) + w_k D_k(z - c)``. In the optimum all rivals cost the same, ``w_L e``, and at their minima
``D_L / D_k`` add up to one (Garivier and Kaufmann 2016, for the best arm). Where the minimum of a rival lies
says both its weight and its cost, so one number for each rival is sought, by halving, and one for all.

An arm that is compared with a rate alone wants ``1 / D`` trials for each unit of evidence.
"""

import math

import numpy as np

from logts.alternatives import Comparisons
from logts.logistic.kernels import divergence, mean_change
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

STEPS = 40  # halvings
PART = (
    "There are too many options for an exact bound: this is what a part of the question costs, the hardest "
    "comparison and all that share an option with it."
)


def time_of(compared: Comparisons, logits: Array) -> tuple[float, Array | None]:
    """The characteristic time and the weights; where pairs form no star a lower bound, and no weights."""
    rates = (compared.high < 0) | (compared.low < 0)
    if rates.all():
        arms = np.maximum(compared.high, compared.low)
        ends = np.where(compared.low < 0, compared.offset, -compared.offset)
        wanted = 1.0 / _divergences(logits[arms], ends)
        weights = np.zeros(len(logits))
        weights[arms] = wanted / wanted.sum()
        return float(wanted.sum()), weights
    compared = compared if not rates.any() else _only(compared, ~rates)
    margins = logits[compared.high] - logits[compared.low] - compared.offset
    hardest = int(np.argmin(margins))
    best: tuple[float, Array | None] = (0.0, None)
    for centre in (int(compared.high[hardest]), int(compared.low[hardest])):
        of_centre = (compared.high == centre) | (compared.low == centre)
        found = _star(_only(compared, of_centre), centre, logits)
        if of_centre.all() and not rates.any():
            return found
        best = max(best, (found[0], None), key=lambda pair: pair[0])
    return best


def _only(compared: Comparisons, chosen: Array) -> Comparisons:
    parts = compared.high[chosen], compared.low[chosen], compared.offset[chosen]
    return Comparisons(*parts, compared.union, compared.apart)


def _star(compared: Comparisons, centre: int, logits: Array) -> tuple[float, Array]:
    """The time and the weights where all pairs share an arm."""
    leads = compared.high == centre
    rivals = np.where(leads, compared.low, compared.high)
    # below the centre, or above it: exchange yes and no, and it is the same
    sign = np.where(leads, 1.0, -1.0)
    kinds, kind, many = np.unique(
        np.column_stack([sign * logits[centre], sign * logits[rivals], compared.offset]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    low = 0.0
    high = float(_most(kinds).min())
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if _balance(kinds, many, middle) < 1.0:
            low = middle
        else:
            high = middle
    shares = _shares(kinds, low)
    weights = np.zeros(len(logits))
    weights[rivals] = shares[kind.ravel()]
    weights[centre] = 1.0
    total = float(weights.sum())
    return (total / low if low > 0.0 else math.inf), weights / total


@compiled
def _divergences(a: Array, b: Array) -> Array:
    out = np.empty(a.size)
    for j in range(a.size):
        out[j] = divergence(a[j], b[j] - a[j])
    return out


@compiled
def _most(kinds: Array) -> Array:
    """What a rival costs at most for each trial of the centre: all others go to the rival."""
    out = np.empty(kinds.shape[0])
    for j in range(out.size):
        out[j] = divergence(kinds[j, 0], kinds[j, 1] + kinds[j, 2] - kinds[j, 0])
    return out


@compiled
def _meeting(centre: float, rival: float, c: float, cost: float) -> tuple[float, float, float]:
    """Where the logits meet at which a rival has this cost: its share, and both divergences."""
    near = centre  # here the share is zero, and grows
    far = rival + c
    share = 0.0
    for _ in range(STEPS):
        z = 0.5 * (near + far)
        share = -mean_change(centre, z - centre) / mean_change(rival, z - c - rival)
        if divergence(centre, z - centre) + share * divergence(rival, z - c - rival) < cost:
            near = z
        else:
            far = z
    return share, divergence(centre, near - centre), divergence(rival, near - c - rival)


@compiled
def _balance(kinds: Array, many: Indices, cost: float) -> float:
    total = 0.0
    for j in range(kinds.shape[0]):
        _, d_centre, d_rival = _meeting(kinds[j, 0], kinds[j, 1], kinds[j, 2], cost)
        total += many[j] * d_centre / d_rival if d_rival > 0.0 else np.inf
    return total


@compiled
def _shares(kinds: Array, cost: float) -> Array:
    out = np.empty(kinds.shape[0])
    for j in range(out.size):
        out[j] = _meeting(kinds[j, 0], kinds[j, 1], kinds[j, 2], cost)[0]
    return out
