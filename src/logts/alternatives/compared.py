"""Half-spaces that compare one item with another, or with a number, not written out."""

import numpy as np
from numpy.typing import ArrayLike

from logts.alternatives.base import Alternatives
from logts.alternatives.half_spaces import HalfSpaces, distances_to, smallest
from logts.alternatives.vicinity import Vicinity
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

WRITTEN = 4096  # half-spaces; so few are written out
# of more, so many that are near are kept in mind, or one in so many, at the latest parameters and metrics
NEAR = 2048
SHARE = 32
KEPT = 3
NOBODY = -1  # in place of the second item: the first one is compared with a number


class Compared:
    """``sign (z_first - z_second).lambda <= offset``.

    Pairs with equal features are left out, and what cannot be true: zero below zero.

    Parameters
    ----------
    points
        The items.
    first, second
        For each half-space the items that it compares; ``NOBODY`` has all coordinates zero.
    signs, offsets
        One number for each half-space.
    apart
        As in :class:`HalfSpaces`.
    """

    def __init__(
        self, points: Array, first: Indices, second: Indices, signs: Array, offsets: Array, *, apart: bool
    ) -> None:
        kept = _differ(points, first, second) | ((second == NOBODY) & (offsets >= 0.0))
        self._points = points
        self._first = first[kept]
        self._second = second[kept]
        self._signs = signs[kept]
        self._offsets = offsets[kept]
        self._apart = apart
        self._kept: list[Vicinity] = []  # the latest first

    def __len__(self) -> int:
        return len(self._first)

    def take(self, indices: ArrayLike) -> HalfSpaces:
        chosen = np.asarray(indices, dtype=np.intp)
        first = self._first[chosen]
        second = self._second[chosen]
        normals = np.empty((len(chosen), self._points.shape[1]))
        _write(self._points, first, second, self._signs[chosen], normals)
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        about = [pair[:1] if pair[1] == NOBODY else pair for pair in pairs]
        return HalfSpaces(normals, self._offsets[chosen], about, self._apart)

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        for kept in self._kept:
            limit = kept.reach(theta, factor) if count <= len(kept.near) else 0.0
            if limit > 0.0:
                chosen, found = smallest(self._distances(theta, factor, kept.near), count)
                if found[-1] < limit:
                    return kept.near[chosen], found
        return smallest(self._all_distances(theta, factor), count)

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        for kept in self._kept:
            if limit < kept.reach(theta, factor):
                return kept.near[self._distances(theta, factor, kept.near) <= limit]
        return np.flatnonzero(self._all_distances(theta, factor) <= limit)

    def all_wrong_at(self, theta: Array) -> bool:
        """Whether every margin is positive there, so that the answer is right."""
        for kept in self._kept:
            if kept.reach(theta, kept.factor) > 0.0:
                return bool((self._margins(theta, kept.near) > 0.0).all())
        return bool((self._margins(theta, slice(None)) > 0.0).all())

    def _margins(self, theta: Array, chosen: Indices | slice) -> Array:
        second = self._second[chosen]
        nobody = np.zeros(1)  # the last place, which is that of NOBODY
        scores = np.append(self._points @ theta, nobody) if isinstance(chosen, slice) else None
        if scores is None:
            first = self._points[self._first[chosen]] @ theta
            other = np.where(second == NOBODY, 0.0, self._points[second] @ theta)
        else:
            first, other = scores[self._first], scores[second]
        return np.asarray(self._signs[chosen] * (first - other) - self._offsets[chosen])

    def _all_distances(self, theta: Array, factor: Array) -> Array:
        """``Z_j`` of all; those that are near are kept in mind."""
        found = self._distances(theta, factor, slice(None))
        near = max(NEAR, len(self) // SHARE)
        if 2 * near < len(self):
            kept = Vicinity.of(found, theta, factor, near)
            self._kept = [kept, *self._kept][:KEPT]
        return found

    def _distances(self, theta: Array, factor: Array, chosen: Indices | slice) -> Array:
        first, second = self._first[chosen], self._second[chosen]
        return _distances(
            self._points, first, second, self._signs[chosen], self._offsets[chosen], theta, factor
        )

    def written_if_few(self) -> Alternatives:
        """The same, written out where that is little."""
        return self.take(np.arange(len(self))) if len(self) <= WRITTEN else self


@compiled
def _differ(points: Array, first: Indices, second: Indices) -> Array:
    """Whether the items of each pair have different features."""
    out = np.zeros(first.size, dtype=np.bool_)
    for j in range(first.size):
        for i in range(points.shape[1]):
            other = points[second[j], i] if second[j] >= 0 else 0.0
            if points[first[j], i] != other:
                out[j] = True
                break
    return out


@compiled
def _write(points: Array, first: Indices, second: Indices, signs: Array, normals: Array) -> None:
    for j in range(first.size):
        row = normals[j]
        z = points[first[j]]
        if second[j] >= 0:
            other = points[second[j]]
            for i in range(row.size):
                row[i] = signs[j] * (z[i] - other[i])
        else:
            for i in range(row.size):
                row[i] = signs[j] * z[i]


@compiled
def _distances(
    points: Array, first: Indices, second: Indices, signs: Array, offsets: Array, theta: Array, factor: Array
) -> Array:
    """``Z_j`` of all, from one small block of normals after the other."""
    out = np.empty(first.size)
    normals = np.empty((512, points.shape[1]))
    for start in range(0, first.size, 512):
        end = min(start + 512, first.size)
        some = normals[: end - start]
        _write(points, first[start:end], second[start:end], signs[start:end], some)
        out[start:end] = distances_to(some, offsets[start:end], theta, factor)
    return out
