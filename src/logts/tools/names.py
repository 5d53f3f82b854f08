"""Names that are made when they are read: nobody reads a million of them."""

import re
from collections.abc import Iterator, Sequence
from typing import overload


class Numbered(Sequence[str]):
    """``arm 0``, ``arm 1`` and so on, without being written out.

    >>> Numbered("arm", 1_000_000)[17]
    'arm 17'
    """

    def __init__(self, what: str, count: int) -> None:
        self._what = what
        self._range = range(count)

    def __len__(self) -> int:
        return len(self._range)

    def __iter__(self) -> Iterator[str]:
        return (f"{self._what} {i}" for i in self._range)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(f"{self._what} {i}" for i in self._range[index])
        return f"{self._what} {self._range[index]}"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._number(name) in self._range

    def index(self, name: str, start: int = 0, stop: int | None = None) -> int:
        return self._range[start:stop].index(self._number(name)) + start

    def _number(self, name: str) -> int:
        found = re.fullmatch(rf"{re.escape(self._what)} (0|[1-9][0-9]*)", name)
        return int(found[1]) if found else -1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return self._what == other._what and self._range == other._range
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((self._what, self._range))

    def __repr__(self) -> str:
        return f"Numbered({self._what!r}, {len(self)})"
