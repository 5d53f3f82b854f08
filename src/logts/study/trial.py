"""A trial, many of them, and how they are spoken of: by id, by arm, by who makes them."""

import os
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from logts.arms import Arms
from logts.reports.table import own_columns
from logts.study.refused import UnknownTrialError
from logts.tools.algebra import Array, Indices
from logts.tools.tabular import Coded, Tabular

_TOKEN = secrets.token_hex(4)  # numbers of processes come again, above all in containers


@dataclass(frozen=True)
class Trial:
    """A trial to make: its id, the name and number of its arm, and the columns of that arm."""

    id: int
    arm: str
    number: int
    columns: Mapping[str, Any]


class Wanted(NamedTuple):
    """What somebody asks for.

    Attributes
    ----------
    n, worker
        How many trials, and who makes them.
    lease
        For how many seconds; None for as long as the study says.
    up_to
        No trial more than so many in all.
    keeps
        Whether trials that this worker has come first: the same ones, as long as they are open.
    """

    n: int
    worker: str
    lease: float | None = None
    up_to: int | None = None
    keeps: bool = False


class Trials(Sequence[Trial], Tabular):
    """Trials in their order. Each is made when it is looked at: millions of them take little room.

    They are a table as well, with a row for each: ``to_pandas()``, ``to_polars()``.

    Attributes
    ----------
    ids, numbers
        The id of each, and the number of its arm, as arrays.
    """

    def __init__(self, ids: Indices, numbers: Indices, arms: Arms) -> None:
        self.ids = ids
        self.numbers = numbers
        self._arms = arms

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Trial: ...
    @overload
    def __getitem__(self, at: slice) -> "Trials": ...
    def __getitem__(self, at: int | slice) -> "Trial | Trials":
        if isinstance(at, slice):
            return Trials(self.ids[at], self.numbers[at], self._arms)
        return self._made(int(self.ids[at]), int(self.numbers[at]))

    def __iter__(self) -> Iterator[Trial]:
        return map(self._made, map(int, self.ids), map(int, self.numbers))

    def columns(self) -> dict[str, Array | Coded]:
        """The id, the option and its own columns."""
        named = Coded(list(self._arms.names), self.numbers)
        found: dict[str, Array | Coded] = {"id": self.ids, "option": named}
        return found | own_columns(self._arms, self.numbers, taken=found)

    def _made(self, number: int, arm: int) -> Trial:
        return Trial(number, self._arms.names[arm], arm, self._arms.columns[arm])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Trials, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"Trials({shown}{f', ... {len(self):,} in all' if len(self) > 3 else ''})"


class Waiting(Sequence[tuple[Trial, str, float]]):
    """Trials whose outcome is still to come, each with its worker and the time its lease ends.

    Attributes
    ----------
    trials
        The trials alone.
    until
        When their leases end, as an array.
    """

    def __init__(self, trials: Trials, workers: list[str], until: Array) -> None:
        self.trials = trials
        self._workers = workers
        self.until = until

    def __len__(self) -> int:
        return len(self.trials)

    @overload
    def __getitem__(self, at: int) -> tuple[Trial, str, float]: ...
    @overload
    def __getitem__(self, at: slice) -> "Waiting": ...
    def __getitem__(self, at: int | slice) -> "tuple[Trial, str, float] | Waiting":
        if isinstance(at, slice):
            return Waiting(self.trials[at], self._workers[at], self.until[at])
        return self.trials[at], self._workers[at], float(self.until[at])


def numbers_of(ids: "int | Trial | Iterable[int | Trial]") -> Indices:
    """Ids, given as such or as trials, one or many."""
    if isinstance(ids, Trials):
        return ids.ids
    if isinstance(ids, range):
        return np.arange(ids.start, ids.stop, ids.step, dtype=np.intp)
    if isinstance(ids, np.ndarray) and np.issubdtype(ids.dtype, np.signedinteger):
        return ids.ravel().astype(np.intp)
    listed = [ids] if isinstance(ids, (int, np.integer, Trial)) else list(ids)
    numbers = [item.id if isinstance(item, Trial) else item for item in listed]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ValueError(f"an id is a whole number, as ask gave it; got {number!r}")
        if abs(number) > 2**62:
            raise UnknownTrialError(f"no trial has the id {number}: ids come from ask")
    return np.array(numbers, dtype=np.intp)


def this_worker() -> str:
    """Host, process and a word that is its own, so that others can tell whether it still runs."""
    return f"{socket.gethostname()}:{os.getpid()}:{_TOKEN}"


def find_arm(arms: Arms, arm: str | int) -> int:
    """The number of an arm given by name or number."""
    if isinstance(arm, str) and arm not in arms.names:
        raise ValueError(f"no arm is called {arm!r}")
    number = arms.names.index(arm) if isinstance(arm, str) else int(arm)
    if not 0 <= number < len(arms):
        raise ValueError(f"arm {arm} does not exist: there are {len(arms)} arms, numbered from 0")
    return number
