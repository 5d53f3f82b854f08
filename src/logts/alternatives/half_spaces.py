"""Half-spaces written out, one row each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from logts.tools.algebra import Array, Indices, dot, squared_norms
from logts.tools.compiling import compiled
from logts.tools.state import record


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
    apart
        Whether each half-space may have capital of its own to be refuted with, as account of the last item
        that it is about. That is so if a parameter alone decides which account has to pay for it: whatever
        answer is wrong there, one of the half-spaces in which it is wrong has that account. For the best item
        it is the account of the item that is best at that parameter (where several are, each is a right
        answer). Otherwise all share one.
    """

    normals: Array
    offsets: Array
    about: Sequence[tuple[int, ...]]
    apart: bool = False

    @cached_property
    def accounts(self) -> Indices:
        """The number of the account of each half-space."""
        return np.array([about[-1] if self.apart else 0 for about in self.about], dtype=np.intp)

    def __post_init__(self) -> None:
        normals = np.asarray(self.normals, dtype=float)
        offsets = np.asarray(self.offsets, dtype=float)
        # A zero normal with a negative offset is an empty alternative: nothing to rule out.
        keep = normals.any(axis=1) | (offsets >= 0.0)
        if not keep.all():
            normals = normals[keep]
            offsets = offsets[keep]
            object.__setattr__(self, "about", [a for a, k in zip(self.about, keep, strict=True) if k])
        object.__setattr__(self, "normals", np.ascontiguousarray(normals))
        object.__setattr__(self, "offsets", np.ascontiguousarray(offsets))

    def __len__(self) -> int:
        return len(self.offsets)

    def take(self, indices: ArrayLike) -> "HalfSpaces":
        chosen = np.asarray(indices, dtype=np.intp)
        part = object.__new__(HalfSpaces)  # these have passed the check of emptiness already
        part.__dict__.update(
            normals=self.normals[chosen],
            offsets=self.offsets[chosen],
            about=[self.about[j] for j in chosen],
            apart=self.apart,
        )
        return part

    def margins(self, theta: Array) -> Array:
        """``y_j.theta - c_j``, positive where the answer holds."""
        return self.normals @ theta - self.offsets

    def all_wrong_at(self, theta: Array) -> bool:
        """Whether every margin is positive there, so that the answer is right."""
        return _all_positive(self.normals, self.offsets, theta)

    def distances(self, theta: Array, factor: Array) -> Array:
        """``Z_j`` of every one."""
        return distances_to(self.normals, self.offsets, theta, factor)

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        return smallest(self.distances(theta, factor), count)

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        return np.flatnonzero(self.distances(theta, factor) <= limit)


def smallest(values: Array, count: int) -> tuple[Indices, Array]:
    """Places and values of the ``count`` smallest, the least first."""
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
def distances_to(normals: Array, offsets: Array, theta: Array, factor: Array) -> Array:
    """``Z_j`` of half-spaces, in the metric of which the Cholesky factor is given."""
    out = squared_norms(normals, factor)
    for j in range(offsets.size):
        margin = max(dot(normals[j], theta) - offsets[j], 0.0)
        out[j] = 0.5 * margin * margin / out[j] if out[j] > 0.0 else 0.0
    return out


@compiled
def _all_positive(normals: Array, offsets: Array, theta: Array) -> bool:
    for j in range(offsets.size):  # noqa: SIM110  numba knows no generators
        if not dot(normals[j], theta) - offsets[j] > 0.0:
            return False
    return True
