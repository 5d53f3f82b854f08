"""Numbers by consecutive ids, from the first that still matters on: added behind, dropped in front."""

from typing import Any, ClassVar

import numpy as np

from logts.tools.algebra import Array
from logts.tools.state import Stateful

ROOM = 64  # numbers for which there is room at the least


class Window(Stateful):
    """An array that grows behind and shrinks in front, in time that does not depend on its length."""

    _kept: ClassVar[tuple[str, ...]] = ("first", "values")

    def __init__(self, kind: Any) -> None:
        self.first = 0  # the id of the first number that is still here
        self._room: Array = np.empty(ROOM, dtype=kind)
        self._begin = self._end = 0

    @property
    def values(self) -> Array:
        """The numbers; to write to it is to write to the window."""
        return self._room[self._begin : self._end]

    @values.setter
    def values(self, values: Array) -> None:
        self._room = values
        self._begin, self._end = 0, len(values)

    @property
    def end(self) -> int:
        """The id that comes next."""
        return self.first + self._end - self._begin

    def extend(self, count: int, values: Any) -> None:
        """Add so many numbers behind: given, or the same for all."""
        if self._end + count > len(self._room):
            kept = self.values
            self._room = np.empty(max(2 * len(kept) + count, ROOM), dtype=kept.dtype)
            self._room[: len(kept)] = kept
            self._begin, self._end = 0, len(kept)
        self._room[self._end : self._end + count] = values
        self._end += count

    def drop(self, count: int) -> None:
        """Forget the first ones."""
        self._begin += count
        self.first += count
        if self._begin == self._end:  # a large room is given up
            self._begin = self._end = 0
            self._room = self._room[:ROOM].copy()

    def cut(self, end: int) -> None:
        """Forget the ids from this one on."""
        self._end -= self.end - end
