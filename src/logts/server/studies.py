"""The studies of a database, each opened once in this process."""

import threading
from collections import OrderedDict

from logts.journal import Journal, Store, open_store
from logts.study import Study

OPEN = 500  # studies kept in memory; of others the one that was used longest ago is let go


class UnknownStudyError(ValueError):
    """There is no study of that name."""


class Studies:
    """Opens studies and keeps them: their state follows the journal, whoever writes to it."""

    def __init__(self, url: str) -> None:
        self.store: Store = open_store(url, create=True)
        self._open: OrderedDict[str, Study] = OrderedDict()
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self._open)

    def names(self) -> list[str]:
        """All studies, the oldest first."""
        return self.store.names()

    def seen(self, name: str) -> Study | None:
        """A study that is open here already."""
        with self._lock:
            study = self._open.get(name)
            if study is not None:
                self._open.move_to_end(name)
            return study

    def open(self, name: str) -> Study:
        """A study by its name; the first time its journal is read, or a snapshot and what came after."""
        with self._lock:
            opening = self._opening.setdefault(name, threading.Lock())
        with opening:
            study = self.seen(name)
            if study is None:
                if name not in self.names():
                    raise UnknownStudyError(f"there is no study called {name!r}: GET /api/studies lists them")
                study = self.keep(Study(Journal(self.store, name)))
        with self._lock:
            self._opening.pop(name, None)
        return study

    def keep(self, study: Study) -> Study:
        """Keep a study that was opened or begun."""
        with self._lock:
            self._open[study.name] = study
            while len(self._open) > OPEN:
                self._open.popitem(last=False)
        return study

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()
