"""The alternatives to an answer: a union of half-spaces ``{lambda : y_j.lambda <= c_j}``.

Designs and stopping rules ask two things of it: which half-spaces lie nearest to a parameter in the metric of
an information matrix, and their normals and offsets. The distance is ``Z_j = margin_j^2 / (2
|y_j|^2_{H^-1})``, with ``margin_j = y_j.theta - c_j``; a half-space that contains theta has distance zero.
"""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from numpy.typing import ArrayLike

from logts.tools.algebra import Array, Indices
from logts.tools.state import record
from logts.tools.status import Status

if TYPE_CHECKING:
    from logts.alternatives.half_spaces import HalfSpaces


@dataclass(frozen=True)
class Comparisons:
    """The alternatives item by item: ``logit(high) - logit(low) <= offset``, -1 standing for zero.

    ``union`` bounds how many such statements can be true at once and matter, whatever the truth: the price of
    not knowing which. With ``apart`` it is not paid: each ``low`` item has a capital of its own, against its
    being the best one (see :class:`HalfSpaces`).
    """

    high: Indices
    low: Indices
    offset: Array
    union: int
    apart: bool = False

    @property
    def price(self) -> float:
        """By how much the log evidence against each has to be larger."""
        return 0.0 if self.apart else math.log(self.union)


class Alternatives(Protocol):
    """What a problem returns: half-spaces that need not all be written out."""

    def __len__(self) -> int: ...

    def take(self, indices: ArrayLike) -> "HalfSpaces":
        """Write out the half-spaces of these indices."""

    def nearest(self, theta: Array, factor: Array, count: int) -> tuple[Indices, Array]:
        """Give up to ``count`` half-spaces, nearest first, with their distances.

        The first is the nearest of all.

        ``factor`` is the lower Cholesky factor of the information matrix.
        """

    def within(self, theta: Array, factor: Array, limit: float) -> Indices:
        """Give every half-space whose distance is at most ``limit``."""


@record
@dataclass(frozen=True)
class Answer:
    """An answer: the item numbers, compared by these alone, and the same in words.

    Attributes
    ----------
    items
        The numbers of the items in the answer.
    text
        The same in words, with names.

    Examples
    --------
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
