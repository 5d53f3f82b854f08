"""The alternatives to an answer: a union of half-spaces ``{lambda : y_j.lambda <= c_j}``.

Designs and stopping rules ask two things of it: which half-spaces lie nearest to a parameter in the metric of an
information matrix, and their normals and offsets. The distance is ``Z_j = margin_j^2 / (2 |y_j|^2_{H^-1})``, with
``margin_j = y_j.theta - c_j``; a half-space that contains theta has distance zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logts._compile import compiled
from logts.algebra import Array, dot, solve_lower, squared_norms
from logts.state import record

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Comparisons:
    """The alternatives to an answer, item by item: ``logit(high) - logit(low) <= offset``, low = -1 standing for zero.

    ``union`` bounds how many such statements can be true at once and matter, whatever the truth: the price of not knowing which.
    """

    high: Indices
    low: Indices
    offset: Array
    union: int


class Alternatives(Protocol):
    """What a problem returns: half-spaces that need not all be written out."""

    def __len__(self) -> int: ...

    def take(self, indices: ArrayLike) -> "HalfSpaces":
        """Write out the half-spaces of these indices."""

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        """Give up to ``count`` half-spaces, nearest first, with their distances; the first is the nearest of all.

        ``factor`` is the lower Cholesky factor of the information matrix.
        """

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        """Give every half-space whose distance is at most ``limit``."""


@record
@dataclass(frozen=True)
class HalfSpaces:
    """Half-spaces written out, one row each.

    Parameters
    ----------
    normals, offsets
        ``y_j`` and ``c_j``.
    about
        For each half-space the items it compares, for messages.
    """

    normals: Array
    offsets: Array
    about: Sequence[tuple[int, ...]]

    def __post_init__(self) -> None:
        normals, offsets = np.asarray(self.normals, dtype=float), np.asarray(self.offsets, dtype=float)
        # A zero normal with a negative offset is an empty alternative: nothing to rule out.
        keep = normals.any(axis=1) | (offsets >= 0.0)
        if not keep.all():
            normals, offsets = normals[keep], offsets[keep]
            object.__setattr__(self, "about", [a for a, k in zip(self.about, keep, strict=True) if k])
        object.__setattr__(self, "normals", np.ascontiguousarray(normals))
        object.__setattr__(self, "offsets", np.ascontiguousarray(offsets))

    def __len__(self) -> int:
        return len(self.offsets)

    def take(self, indices: ArrayLike) -> "HalfSpaces":
        chosen = np.asarray(indices, dtype=np.intp)
        part = object.__new__(HalfSpaces)  # these have passed the check of emptiness already
        part.__dict__.update(normals=self.normals[chosen], offsets=self.offsets[chosen], about=[self.about[j] for j in chosen])
        return part

    def margins(self, theta: Array) -> Array:
        """``y_j.theta - c_j``, positive where the answer holds."""
        return self.normals @ theta - self.offsets

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        return _smallest(_distances(self.normals, self.offsets, theta, factor), count)

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        return np.flatnonzero(_distances(self.normals, self.offsets, theta, factor) <= limit)


class AllPairs:
    """Every item of one group against every item of another, ``y = z_i - z_k``, never written out as a whole.

    Half-space ``a * len(outside) + b`` compares ``inside[a]`` with ``outside[b]``. Pairs with equal features are
    interchangeable and never count.
    """

    def __init__(self, points: Array, inside: Indices, outside: Indices) -> None:
        self._inside, self._outside = inside, outside
        self._z_in, self._z_out = np.ascontiguousarray(points[inside]), np.ascontiguousarray(points[outside])

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
            chosen, found = _smallest(distances, count)
            indices = chosen * len(self._outside) + partner[chosen]
        else:
            distances, partner = self._partners(self._z_out, self._z_in, -theta, factor)
            chosen, found = _smallest(distances, count)
            indices = partner[chosen] * len(self._outside) + chosen
        return indices[np.isfinite(found)], found[np.isfinite(found)]

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        low, order = _falling(self._z_out @ theta)
        hits = _partners_within(_whiten(self._z_in, factor), _whiten(self._z_out[order], factor), self._z_in @ theta, low, limit)
        return hits // len(order) * len(order) + order[hits % len(order)]

    @staticmethod
    def _partners(z_high: Array, z_low: Array, theta: Array, factor: Array) -> tuple[Array, Indices]:
        """Distance and number of the nearest low item for each high one."""
        low, order = _falling(z_low @ theta)
        distances, partner = _nearest_partner(_whiten(z_high, factor), _whiten(z_low[order], factor), z_high @ theta, low)
        return distances, order[partner]


def _falling(scores: Array) -> tuple[Array, Indices]:
    order = np.argsort(-scores, kind="stable")
    return scores[order], order


def _smallest(values: Array, count: int) -> tuple[Indices, Array]:
    if count == 1 < len(values):
        least = values.argmin(axis=0, keepdims=True)
        return least, values[least]
    if count < len(values):
        chosen = np.argpartition(values, count)[:count]
        chosen = chosen[np.argsort(values[chosen], kind="stable")]
    else:
        chosen = np.argsort(values, kind="stable")
    return chosen, values[chosen]


@compiled
def _distances(normals: Array, offsets: Array, theta: Array, factor: Array) -> Array:
    out = squared_norms(normals, factor)
    for j in range(offsets.size):
        margin = max(dot(normals[j], theta) - offsets[j], 0.0)
        out[j] = 0.5 * margin * margin / out[j] if out[j] > 0.0 else 0.0
    return out


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
    """For each inside item the nearest outside one. Margins grow along the outside order, widths are bounded: stop early."""
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
