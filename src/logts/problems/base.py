"""What a question is: an answer at each parameter, and the half-spaces in which that answer is wrong."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from logts.algebra import Array
from logts.arms import Arms, Items
from logts.half_spaces import Alternatives, Comparisons, HalfSpaces
from logts.status import Status

# Relative to |y||theta| + |c|: below this a margin is rounding.
TIE = 1e-12


class Problem(Protocol):
    """A question about items. Your own is one class with these three methods; see CONTRIBUTING.md."""

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        """Item numbers that answer the question at ``theta`` (in the coordinates of ``items.points``)."""

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        """Half-spaces ``y_j.lambda <= c_j`` whose union is where ``answer`` is wrong."""

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        """The answer in words."""


@runtime_checkable
class Comparable(Protocol):
    """A problem whose alternatives compare items with one another or with a rate: it can be settled without a model."""

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        """The same alternatives, item by item. Where high = -1, the logit of low is meant to be at least ``-offset``."""


@dataclass(frozen=True)
class Answer:
    """An answer: the item numbers, compared by these alone, and the same in words.

    >>> Answer((2,), "best: blue")
    best: blue
    """

    items: tuple[int, ...]
    text: str = field(compare=False)

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Posed:
    """A problem at a parameter. ``answer`` is None at a tie; ``rivals`` then names the items that tie."""

    theta: Array
    answer: Answer | None
    alternatives: Alternatives
    status: Status
    rivals: tuple[str, ...] = ()


def pose(problem: Problem, arms: Arms, coordinates: Array) -> Posed:
    """Answer and alternatives at a parameter given in the package's coordinates (see :meth:`logts.Arms.coordinates`).

    The half-spaces returned live in the span of the arms, as does ``theta``.
    """
    items, d = arms.items, arms.dimension
    found = problem.answer(items, coordinates)
    answer = Answer(found, problem.describe(items, found))
    theta = np.ascontiguousarray(coordinates[:d])
    alternatives = problem.alternatives(items, found)
    first = _nearest(alternatives, coordinates, np.ones(len(coordinates)))
    if first is None:
        return Posed(theta, answer, alternatives, Status.ALREADY_KNOWN)
    scale = np.linalg.norm(first.normals[0]) * np.linalg.norm(coordinates) + abs(first.offsets[0])
    if first.margins(coordinates)[0] <= TIE * scale:
        return Posed(theta, None, alternatives, Status.TIE, _named(items, first))
    if len(coordinates) > d:
        # No arm measures the coordinates past d. With next to no information there, a half-space that uses them is nearest.
        blind = _nearest(alternatives, coordinates, np.where(np.arange(len(coordinates)) < d, 1.0, 1e-120))
        if blind is not None and np.any(blind.normals[0, d:] != 0.0):
            return Posed(theta, answer, alternatives, Status.NOT_IDENTIFIABLE, _named(items, blind))
        alternatives = problem.alternatives(Items(np.ascontiguousarray(items.points[:, :d]), items.names), found)
    return Posed(theta, answer, alternatives, Status.CONVERGED)


def _nearest(alternatives: Alternatives, theta: Array, diagonal: Array) -> HalfSpaces | None:
    if len(alternatives) == 0:
        return None
    indices, _ = alternatives.nearest(theta, np.diag(diagonal), 1)
    return alternatives.take(indices) if len(indices) else None


def _named(items: Items, half_spaces: HalfSpaces) -> tuple[str, ...]:
    return tuple(items.names[i] for i in half_spaces.about[0])
