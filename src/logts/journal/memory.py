"""Journals in the memory of this process, ``memory://name``: shared by its threads, gone when it ends."""

import json
import os
import threading

from logts.journal.base import STORES, Decide, Event, Store, to_line


class _Room:
    """The journals of one name, as lines, and the lock that an append holds."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.journals: dict[str, list[str]] = {}


_ROOMS: dict[str, _Room] = {}


@STORES.enter("memory")
class MemoryStore(Store):
    """For studies that need not last. Whoever opens the same name in this process finds the same studies."""

    def __init__(self, url: str, *, create: bool = False) -> None:
        super().__init__(url, create=create)
        self._room = _ROOMS.setdefault(url, _Room())

    def read_from(self, name: str, position: int) -> list[Event]:
        with self._room.lock:
            lines = self._room.journals.get(name, [])[position:]
        return [json.loads(line) for line in lines]

    def append(self, name: str, position: int, decide: Decide, *, durable: bool = True) -> None:
        with self._room.lock:
            lines = self._room.journals.get(name, [])
            made = decide([json.loads(line) for line in lines[position:]])
            # As text, so that nobody can change an event later; all is written before any of it is added.
            new = [to_line(event) for event in made]
            self._room.journals.setdefault(name, []).extend(new)


def _renew_locks() -> None:
    """A child process has a copy of all journals; the thread that held a lock did not come along."""
    for room in _ROOMS.values():
        room.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
