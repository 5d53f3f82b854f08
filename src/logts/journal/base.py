"""What a journal is: events, one after the other, that are never changed; and what a store of journals is.

The journal is the truth about a study; all else is replay. A store has to read and to append, and no more.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from logts.tools.registry import Registry

Event = dict[str, Any]
Decide = Callable[[list[Event]], list[Event]]

OWN = "logts: "  # so begin the names of journals that are no studies
CATALOGUE = f"{OWN}names of studies"  # the journal in which a store lists the others


class JournalError(RuntimeError):
    """The journal could not be read or written; the message says what can be done."""


class TakenError(ValueError):
    """There is a study of that name."""


class Saved(NamedTuple):
    """What was saved of a damaged journal.

    Attributes
    ----------
    events
        How many events were saved, from the first on.
    written
        How many there were; None if that cannot be read, or an older version wrote it, which did not count.
    trouble
        What is wrong with the next one; "" if nothing is.
    """

    events: int
    written: int | None
    trouble: str


class Store(ABC):
    """Keeps the journals of studies, each under its name. A store of another kind has two methods of its own.

    All else has a default that is built on these two, and may be done better where a store can. One that has
    the methods of :class:`Snapshots`, too, opens its studies faster.

    Parameters
    ----------
    url
        Where it is, as the user said it; ``where`` is the same without a password, for messages.
    create
        Whether to make what is not there yet. Without it a store may refuse to be opened when there is none.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self.url = url
        self.where = without_password(url)

    @abstractmethod
    def read_from(self, name: str, position: int) -> list[Event]:
        """All events of a journal from a position on, in their order; the first event of all has position 0.

        A journal to which nobody has appended is empty.
        """

    @abstractmethod
    def append(self, name: str, position: int, decide: Decide, *, durable: bool = True) -> None:
        """Add events to a journal, on disk when this returns.

        While nobody else can append, ``decide`` is shown the events from ``position`` on and returns those to
        add. All of them are added or, if anything fails, none. An event that JSON cannot hold is a ValueError
        (:func:`to_line` sees to that). What is not ``durable`` survives a kill, but the next durable append
        has to come before a power cut; it saves waiting for the disk.
        """

    def add(self, name: str, position: int, events: list[Event], *, durable: bool = True) -> bool:
        """Add events that are decided on already, if there is nothing new from ``position`` on.

        Whether that was so; if not, nothing is added. For the rest it is as with ``append``.
        """
        new: list[Event] = []

        def decide(seen: list[Event]) -> list[Event]:
            new.extend(seen)
            return [] if seen else events

        self.append(name, position, decide, durable=durable)
        return not new

    def names(self) -> list[str]:
        """The studies there are, the oldest first."""
        return [event["name"] for event in self.read_from(CATALOGUE, 0)]

    def create(self, name: str, first: list[Event]) -> "Journal":
        """A new journal with its first events, one or more; a TakenError if the name is taken."""
        if name == CATALOGUE:
            raise ValueError(f"{name!r} is the name of the list of studies: choose another name")
        there: list[Event] = []

        def begin(seen: list[Event]) -> list[Event]:
            there.extend(seen)
            return [] if seen else first

        self.append(name, 0, begin)
        self._list(name)  # if it is taken, too: who began it may have been killed before coming to this
        if there:
            raise self.taken(name)
        return Journal(self, name)

    def journal(self, name: str) -> "Journal":
        """The journal of a study."""
        names = self.names()
        if name not in names:
            there = ", ".join(names) or "none yet"
            raise ValueError(f"{self.where} holds no study called {name!r}; there are: {there}")
        return Journal(self, name)

    def close(self) -> None:
        """Let go of what is held open. What was appended stays."""
        return  # nothing is, unless a store says so

    def taken(self, name: str) -> TakenError:
        """What is said when a name is taken."""
        return TakenError(
            f"{self.where} holds a study called {name!r} already: open it, or choose another name"
        )

    def _list(self, name: str) -> None:
        def add(seen: list[Event]) -> list[Event]:
            return [] if any(event["name"] == name for event in seen) else [{"name": name}]

        self.append(CATALOGUE, 0, add)


@runtime_checkable
class Snapshots(Protocol):
    """What a store may have besides: the last snapshot of the state of each study. It is only a shortcut."""

    def snapshot(self, name: str) -> tuple[int, bytes] | None:
        """The last snapshot, and the position up to which it goes; None if there is none."""

    def keep_snapshot(self, name: str, position: int, body: bytes) -> None:
        """Replace the snapshot."""


class Journal:
    """The journal of one study: its store, and its name there."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name

    def read_from(self, position: int) -> list[Event]:
        """All events from a position on; see :meth:`Store.read_from`."""
        return self.store.read_from(self.name, position)

    def append(self, position: int, decide: Decide, *, durable: bool = True) -> None:
        """Add what ``decide`` makes of the events from a position on; see :meth:`Store.append`."""
        self.store.append(self.name, position, decide, durable=durable)

    def add(self, position: int, events: list[Event], *, durable: bool = True) -> bool:
        """Add events if there is nothing new from a position on; see :meth:`Store.add`."""
        return self.store.add(self.name, position, events, durable=durable)


STORES: Registry[Callable[..., Store]] = Registry("store")  # what opens a store, by the scheme of its URL


def open_store(url: str | Path, *, create: bool = False) -> Store:
    """The store at a URL, found by its scheme; a name without ``://`` is that of an SQLite file."""
    text = str(url)
    scheme = text.partition("://")[0].partition("+")[0] if "://" in text else "sqlite"
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in sorted(STORES))
        raise ValueError(
            f"{without_password(text)!r} is not a URL of a store: give the name of a file, or a URL that "
            f"begins with one of {known}"
        )
    return STORES[scheme](text, create=create)


def to_line(event: Event) -> str:
    """An event as a line of JSON."""
    return json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    return re.sub(r"://([^:/@]*):.*@", r"://\1:***@", url)
