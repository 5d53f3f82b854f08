"""Every item of one group against every item of another, without writing out the pairs."""

import numpy as np
from numpy.typing import ArrayLike

from logts.alternatives.half_spaces import HalfSpaces, smallest
from logts.tools.algebra import Array, Indices, dot, solve_lower
from logts.tools.compiling import compiled


class AllPairs:
    """Every item of one group against every item of another, ``y = z_i - z_k``, never written out as a whole.

    Half-space ``a * len(outside) + b`` compares ``inside[a]`` with ``outside[b]``. Pairs with equal features
    are interchangeable and never count.
    """

    def __init__(self, points: Array, inside: Indices, outside: Indices) -> None:
        self._inside = inside
        self._outside = outside
        self._z_in = np.ascontiguousarray(points[inside])
        self._z_out = np.ascontiguousarray(points[outside])

    def __len__(self) -> int:
        return len(self._inside) * len(self._outside)

    def take(self, indices: ArrayLike) -> HalfSpaces:
        a, b = np.divmod(np.asarray(indices, dtype=np.intp), len(self._outside))
        about = list(zip(self._inside[a].tolist(), self._outside[b].tolist(), strict=True))
        return HalfSpaces(self._z_in[a] - self._z_out[b], np.zeros(len(a)), about)

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        # The nearest partner of every item on the larger side: many candidates, whatever the sizes.
        if len(self._inside) >= len(self._outside):
            distances, partner = self._partners(self._z_in, self._z_out, theta, factor)
            chosen, found = smallest(distances, count)
            indices = chosen * len(self._outside) + partner[chosen]
        else:
            distances, partner = self._partners(self._z_out, self._z_in, -theta, factor)
            chosen, found = smallest(distances, count)
            indices = partner[chosen] * len(self._outside) + chosen
        return indices[np.isfinite(found)], found[np.isfinite(found)]

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        low, order = _falling(self._z_out @ theta)
        hits = _partners_within(
            _whiten(self._z_in, factor), _whiten(self._z_out[order], factor), self._z_in @ theta, low, limit
        )
        return hits // len(order) * len(order) + order[hits % len(order)]

    @staticmethod
    def _partners(z_high: Array, z_low: Array, theta: Array, factor: Array) -> tuple[Array, Indices]:
        """Distance and number of the nearest low item for each high one."""
        low, order = _falling(z_low @ theta)
        distances, partner = _nearest_partner(
            _whiten(z_high, factor), _whiten(z_low[order], factor), z_high @ theta, low
        )
        return distances, order[partner]


def _falling(scores: Array) -> tuple[Array, Indices]:
    order = np.argsort(-scores, kind="stable")
    return scores[order], order


@compiled
def _whiten(points: Array, factor: Array) -> Array:
    out = points.copy()
    for i in range(points.shape[0]):
        solve_lower(factor, out[i])
    return out


@compiled
def _pair_distance(a: Array, b: Array, margin: float) -> float:
    width = 0.0
    for i in range(a.size):
        width += (a[i] - b[i]) ** 2
    if width == 0.0:
        return np.inf
    return 0.5 * margin * margin / width if margin > 0.0 else 0.0


@compiled
def _largest_norm(v: Array) -> float:
    largest = 0.0
    for i in range(v.shape[0]):
        largest = max(largest, dot(v[i], v[i]))
    return np.sqrt(largest)


@compiled
def _nearest_partner(v_in: Array, v_out: Array, score_in: Array, score_out: Array) -> tuple[Array, Indices]:
    """For each inside item the nearest outside one.

    Margins grow along the outside order, widths are bounded: stop early.
    """
    best = np.full(score_in.size, np.inf)
    partner = np.zeros(score_in.size, dtype=np.intp)
    radius = _largest_norm(v_out)
    for a in range(score_in.size):
        reach = np.sqrt(dot(v_in[a], v_in[a])) + radius
        for b in range(score_out.size):
            margin = score_in[a] - score_out[b]
            if margin > 0.0 and 0.5 * (margin / reach) ** 2 > best[a]:
                break
            distance = _pair_distance(v_in[a], v_out[b], margin)
            if distance < best[a]:
                best[a] = distance
                partner[a] = b
    return best, partner


@compiled
def _partners_within(v_in: Array, v_out: Array, score_in: Array, score_out: Array, limit: float) -> Indices:
    radius = _largest_norm(v_out)
    hits = np.empty(64, dtype=np.intp)
    found = 0
    for a in range(score_in.size):
        reach = np.sqrt(dot(v_in[a], v_in[a])) + radius
        for b in range(score_out.size):
            margin = score_in[a] - score_out[b]
            if margin > 0.0 and 0.5 * (margin / reach) ** 2 > limit:
                break
            if _pair_distance(v_in[a], v_out[b], margin) <= limit:
                if found == hits.size:
                    hits = np.append(hits, np.empty(found, dtype=np.intp))
                hits[found] = a * score_out.size + b
                found += 1
    return hits[:found]
