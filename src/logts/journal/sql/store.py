"""Journals in a file (SQLite) or on a server (PostgreSQL), by the same statements.

An append takes the lock of its study, reads what is new, lets the caller decide, writes and commits: to a
server two journeys there and back. What was decided already is written in one, if nothing is new. SQLite is
told to wait for the disk at a commit, as PostgreSQL does by itself: what has been acknowledged survives a
kill and a power cut. How many events a journal has is written with them, and compared whenever it is read.
"""

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sql

from logts.journal.base import OWN, Decide, Event, Journal, JournalError, Store
from logts.journal.sql import advice, tables
from logts.journal.sql.address import find_address, is_file
from logts.journal.sql.link import PATIENCE, Link, in_turn, prepare_file, prepare_server, refuse_the_dead

TROUBLES = (*tables.UNREADABLE, sql.exc.NoSuchModuleError, sql.exc.TimeoutError, ImportError)  # of a database
LINKS = 15  # connections of a process, at most


class SqlStore(Store):
    """The studies of one database, given as a file name or a URL such as ``postgresql://user@host/name``.

    It lists its studies in a table of their own, and keeps a snapshot of each.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        super().__init__(url, create=create)
        address = find_address(url, create)
        self._is_file = is_file(address)
        self.where = address.database or "" if self._is_file else address.render_as_string()
        self._numbers: dict[str, int] = {}  # of studies; a number stays with its name
        wait = {"timeout": PATIENCE} if self._is_file else {}
        try:
            # All stay open: to open one anew takes longer than an append.
            self._engine = sql.create_engine(
                address, connect_args=wait, pool_size=LINKS, max_overflow=0, pool_timeout=PATIENCE
            )
        except TROUBLES as error:
            raise self._told(error) from error
        driver: Any = self._engine.dialect.dbapi
        self._troubles = (*TROUBLES, driver.Error)
        self._process = os.getpid()
        self._turn = threading.RLock()
        weakref.finalize(self, _let_go, self._engine, self._process)
        sql.event.listen(self._engine, "connect", prepare_file if self._is_file else prepare_server)
        if not self._is_file:  # it may have been restarted while nobody asked
            sql.event.listen(self._engine, "checkout", refuse_the_dead)
        if create:
            self._make_tables()
        self._counted = self._has_lengths()
        self._may_count = True

    def read_from(self, name: str, position: int) -> list[Event]:
        with self._link() as link:
            number = self._number(link, name)
            if number is None:
                return []
            with link.together():
                asked = self._ask(link, number, position)
            events = self._read(link, name, number, position, asked)
            if self._is_file and not events and position == 0:
                tables.refuse_strays(link)  # they may be those of this study
            return events

    def append(self, name: str, position: int, decide: Decide, *, durable: bool = True) -> None:
        self._begin_to_count()
        with self._writing() as link:
            with link.together():
                link.begin(durable=durable)
                known = self._number(link, name)
                number = self._begin(link, name) if known is None else known
                self._lock(link, number, durable)
                asked = self._ask(link, number, position)
            seen = self._read(link, name, number, position, asked)
            self._write(link, name, number, position + len(seen), decide(seen))

    def add(self, name: str, position: int, events: list[Event], *, durable: bool = True) -> bool:
        if self._is_file or not self._counted or name not in self._numbers or len(events) != 1:
            return super().add(name, position, events, durable=durable)
        (line,) = tables.lines(events)
        with self._link() as link:
            return tables.add(link, self._numbers[name], name, position, line, durable=durable)

    def names(self) -> list[str]:
        with self._link() as link:
            return [name for name in tables.names(link) if not name.startswith(OWN)]

    def create(self, name: str, first: list[Event]) -> Journal:
        self._begin_to_count()
        with self._writing() as link:
            link.begin()
            number = tables.begin(link, name) if tables.find(link, name) is None else None
            if number is None:
                raise self.taken(name)
            self._write(link, name, number, 0, first)
        return Journal(self, name)

    def close(self) -> None:
        self._engine.dispose()

    def snapshot(self, name: str) -> tuple[int, bytes] | None:
        """The last snapshot of a study, and the position up to which it goes."""
        with self._link() as link:
            number = self._number(link, name)
            return None if number is None else tables.snapshot(link, number)

    def keep_snapshot(self, name: str, position: int, body: bytes) -> None:
        """Replace the snapshot of a study."""
        with self._writing() as link:
            link.begin(durable=False)
            number = self._number(link, name)
            if number is None:
                raise JournalError(
                    f"{self.where} holds no study called {name!r}: a snapshot is of one that was begun"
                )
            self._lock(link, number, durable=False)
            tables.keep_snapshot(link, number, position, body)
            link.commit()

    def _number(self, link: Link, name: str) -> int | None:
        """The number of a study; None if nobody has begun it."""
        number = self._numbers.get(name)
        if number is None:
            number = tables.find(link, name)
            if number is not None:
                self._numbers[name] = number
        return number

    def _begin(self, link: Link, name: str) -> int:
        """A new number, or that of somebody who was quicker. Not remembered: this transaction may fail."""
        number = tables.begin(link, name)
        if number is None:
            number = tables.find(link, name)
        if number is None:
            raise tables.DamagedError
        return number

    def _lock(self, link: Link, number: int, durable: bool) -> None:
        if not self._is_file:  # there the whole file is locked already
            tables.lock(link, number, durable=durable)

    def _ask(self, link: Link, number: int, position: int) -> tuple[Any, Any]:
        """Ask for the length first: there may be more events by then, never fewer."""
        length = tables.ask_length(link, number) if self._counted else None
        return length, tables.ask_events(link, number, position)

    def _read(self, link: Link, name: str, number: int, position: int, asked: tuple[Any, Any]) -> list[Event]:
        length, found = asked
        written = None if length is None else tables.length(length, number, name)
        if written is not None and position > written and not tables.there(link, number, position - 1):
            raise JournalError(
                f"study {name!r} in {self.where} was set back: {position:,} of its events were seen here, "
                f"and now it has {written:,}. Nothing was written: try again, from there"
            )
        events: list[Event] = []
        trouble = tables.collect(found, position, events, written)
        at = position + len(events)
        if trouble:
            of = "" if written is None or written <= at else f", of {written:,} in all"
            raise JournalError(
                f"event {at} of study {name!r} in {self.where} is {trouble}: the {at} before it are "
                f"whole{of}. Save them with: {advice.rescue(self.where)}"
            )
        return events

    def _write(self, link: Link, name: str, number: int, position: int, events: list[Event]) -> None:
        """Write events from a position on, and how many there are then."""
        lines = tables.lines(events)
        with link.together():
            tables.insert(link, number, position, lines)
            if events and self._counted:
                tables.keep_length(link, number, name, position + len(events))
            link.commit()

    def _has_lengths(self) -> bool:
        """Whether events are counted here: not in a database of an older version. Others are refused."""
        with self._in_words(), self._engine.connect() as connection:
            found = sql.inspect(connection)
            missing = [table.name for table in tables.META.sorted_tables if not found.has_table(table.name)]
        if "logts_events" not in missing and "logts_studies" not in missing:
            return "logts_lengths" not in missing
        if len(missing) == len(tables.META.sorted_tables):
            raise JournalError(
                f"{self.where} is a database, but holds no studies of logts: check the address"
            )
        raise JournalError(f"{self.where}: {advice.damaged(f'no table {min(missing)}', self.where)}")

    def _begin_to_count(self) -> None:
        """Count events from now on in a database of an older version; if that fails, all stays as it was."""
        if not self._counted and self._may_count:
            self._may_count = False
            with contextlib.suppress(JournalError):
                self._make_tables()
                self._counted = self._has_lengths()

    @contextmanager
    def _link(self) -> Iterator[Link]:
        """A connection; what was begun and not committed is undone. A child process gets its own."""
        with self._in_words(), contextlib.closing(self._engine.raw_connection()) as connection:
            yield Link(connection.driver_connection, self._is_file)

    @contextmanager
    def _writing(self) -> Iterator[Link]:
        """A connection to write with: to a file it is one thread's turn, on a server studies do not meet."""
        with self._link() as link, in_turn(self._turn) if self._is_file else contextlib.nullcontext():
            yield link

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Errors of the database as sentences."""
        if self._process != os.getpid():
            _let_go(self._engine, self._process)
            self._turn = threading.RLock()
            self._process = os.getpid()
        try:
            yield
        except tables.DamagedError:
            what = "what is noted about a study, its name or its number of events"
            raise JournalError(f"{self.where}: {advice.damaged(what, self.where)}") from None
        except self._troubles as error:
            raise self._told(error) from error

    def _told(self, error: Exception) -> JournalError:
        return JournalError(f"{self.where}: {advice.advice(error, self._is_file, self.where)}")

    def _make_tables(self) -> None:
        """Make the tables that are missing. If another process is at it, they are there at the second try."""
        for last in (False, True):
            try:
                with self._in_words(), self._engine.connect() as connection:
                    link = Link(connection.connection.driver_connection, self._is_file)
                    if self._is_file:
                        link.execute("PRAGMA journal_mode = WAL")  # stays with the file
                    link.begin()
                    tables.META.create_all(connection)
                    link.commit()
                return
            except JournalError:
                if last:
                    raise


def _let_go(engine: sql.Engine, process: int) -> None:
    """Close connections; those of a parent process are not ours to close."""
    engine.dispose(close=os.getpid() == process)
