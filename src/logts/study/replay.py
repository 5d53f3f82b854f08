"""The state of a study, kept up to date with its journal: by replay, from the last snapshot on."""

import contextlib
import json
import math
import os
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from logts._version import __version__
from logts.journal import Event, Journal, JournalError, Snapshots
from logts.problems import Problem
from logts.study.fold import Fold
from logts.study.refused import RefusedError

# So many events, or trials, may have to be replayed when a study is opened.
SNAPSHOT_EVENTS = 2_000
SNAPSHOT_TRIALS = 50_000
MANY = 20  # beyond so many snapshots: one in so many of the trials

_EVERY: "weakref.WeakSet[Replay]" = weakref.WeakSet()


class Replay:
    """A fold and the position in the journal up to which it goes; for one thread at a time."""

    def __init__(self, journal: Journal, problem: Problem | None) -> None:
        self.journal = journal
        self._snapshots = journal.store if isinstance(journal.store, Snapshots) else None
        self._problem = problem
        self.lock = threading.RLock()
        self._process = os.getpid()
        self._position = 0
        self._fold: Fold | None = None
        self._alone = True  # nobody else has appended since our last
        self._overdue = False  # all was replayed: the next to write keeps a snapshot
        _EVERY.add(self)

    def seen(self) -> Fold:
        """The state as this process last saw it."""
        fold = self._fold
        return fold if fold is not None else self.read()

    @property
    def position(self) -> int:
        """How many events of the journal are taken in."""
        return self._position

    def read(self) -> Fold:
        """The state after all events of the journal."""
        with self.lock, self._whole():
            if self._fold is None:
                return self._load()
            self._take_in(self._fold, self.journal.read_from(self._position))
            return self._fold

    def write(self, make: Callable[[Fold], list[Event]], *, durable: bool = True) -> Fold:
        """Append the events that ``make`` makes of the state after all events, and take them in.

        First as if nobody else were at work: what is made of the state as it was last seen is added if it
        still is the last. If not, what is new is taken in, and the rest is done while nobody else can append.
        """
        with self.lock, self._whole():
            fold = self._fold if self._fold is not None else self._load()
            mark = self._mark(fold)
            made = self._quickly(fold, make, durable) if self._alone else []
            if not made:
                made = self._patiently(fold, make, durable)
            self._take_in(fold, made)
            if made and (self._overdue or self._mark(fold) != mark):
                self._keep(fold)
            return fold

    def _quickly(self, fold: Fold, make: Callable[[Fold], list[Event]], durable: bool) -> list[Event]:
        """What was added, if nobody was faster; what is refused may be right after what others have done."""
        try:
            made = make(fold)
        except RefusedError:
            return []
        if made and not self.journal.add(self._position, made, durable=durable):
            fold.unask()
            return []
        return made

    def _patiently(self, fold: Fold, make: Callable[[Fold], list[Event]], durable: bool) -> list[Event]:
        """What was added, after all that others have done."""
        before = self._position
        made: list[Event] = []

        def decide(unseen: list[Event]) -> list[Event]:
            self._take_in(fold, unseen)
            made[:] = make(fold)
            return made

        self._take_in(fold, self.journal.read_from(self._position))  # may take long, and holds up nobody
        self.journal.append(self._position, decide, durable=durable)
        self._alone = self._position == before
        return made

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Should anything fail, what is in memory may be ahead of the journal: then it is made anew."""
        if self._process != os.getpid():  # a child of the process that opened the study
            self._process = os.getpid()
            self._fold = None
        try:
            yield
        except RefusedError:
            raise
        except BaseException:
            self._fold = None
            raise

    def _load(self) -> Fold:
        """The last snapshot and what came after; or everything from the beginning."""
        fold = self._restored()
        if fold is None:
            found = self.journal.read_from(0)
            if not found:
                raise JournalError(
                    f"the journal of study {self.journal.name!r} is empty: nothing of it was saved. Begin it "
                    "anew"
                )
            fold = Fold(found[0], self._problem)
            self._position = 1
            self._take_in(fold, found[1:])
            self._overdue = self._mark(fold) != (0, 0)
        else:
            self._take_in(fold, self.journal.read_from(self._position))
        self._fold = fold
        return fold

    def _take_in(self, fold: Fold, events: list[Event]) -> None:
        for event in events:
            fold.apply(event)
        self._position += len(events)

    def _restored(self) -> Fold | None:
        """The state from the snapshot, a shortcut: None if another version wrote it, or it is damaged."""
        found = self._snapshots.snapshot(self.journal.name) if self._snapshots is not None else None
        if found is None:
            return None
        position, body = found
        try:
            said = json.loads(zlib.decompress(body))
            created = said["created"]
            state = said["state"]
        except (zlib.error, ValueError, KeyError, TypeError):
            return None
        if said.get("logts") != __version__:
            return None
        fold = Fold(created, self._problem)
        try:
            fold.restore(state)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            return None
        self._position = position
        return fold

    def _keep(self, fold: Fold) -> None:
        if self._snapshots is None:
            return
        said = {"logts": __version__, "created": fold.created, "state": fold.state()}
        body = zlib.compress(json.dumps(said).encode(), 1)
        with contextlib.suppress(JournalError):  # what matters is in the journal already
            self._snapshots.keep_snapshot(self.journal.name, self._position, body)
            self._overdue = False

    def _mark(self, fold: Fold) -> tuple[int, int]:
        """A snapshot is due when this changes: of many trials more seldom, since it is larger."""
        steps = 0.5 * (fold.asked + fold.policy.complete) / SNAPSHOT_TRIALS
        if steps > MANY:
            steps = MANY + math.log(steps / MANY) / math.log1p(1.0 / MANY)
        return self._position // SNAPSHOT_EVENTS, int(steps)


def _renew_locks() -> None:
    """A child process gets locks of its own: the thread that held one did not come along."""
    for replay in _EVERY:
        replay.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
