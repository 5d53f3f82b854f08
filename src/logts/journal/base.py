"""What a journal is: events, one after the other, that are never changed. It is the truth about a study; all else is replay."""

import json
import zlib
from collections.abc import Callable
from typing import Any, Protocol

Event = dict[str, Any]


class JournalError(RuntimeError):
    """The journal could not be read or written; the message says what can be done."""


class TakenError(ValueError):
    """There is a study of that name."""


class Journal(Protocol):
    """Two methods. A store of another kind is a class with these, and its line in the contract test."""

    def read_from(self, position: int) -> list[Event]:
        """All events from a position on, in their order; the first event of all has position 0."""

    def append(self, position: int, decide: Callable[[list[Event]], list[Event]], *, durable: bool = True) -> None:
        """Add events, on disk when this returns.

        While nobody else can append, ``decide`` is shown the events from ``position`` on and returns those to add. All of them are
        added or, if anything fails, none. What is not ``durable`` survives a kill, but the next durable append has to come before a
        power cut; it saves waiting for the disk.
        """


def write(event: Event) -> tuple[str, int]:
    """An event as a line of JSON, and its checksum."""
    body = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return body, zlib.crc32(body.encode())


def read(body: str, checksum: int) -> Event | None:
    """The event, or None if it is not what was written."""
    return json.loads(body) if zlib.crc32(body.encode()) == checksum else None
