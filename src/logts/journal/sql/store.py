"""Journals in a file (SQLite) or on a server (PostgreSQL), by the same statements.

An append takes the lock of its study, reads what is new, lets the caller decide, writes and commits. SQLite
is told to wait for the disk at a commit, as PostgreSQL does by itself: what has been acknowledged survives a
kill and a power cut. How many events a journal has is written with them, and compared whenever it is read.
"""

import contextlib
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from logts.journal.base import Decide, Event, Journal, JournalError, Store
from logts.journal.sql import advice, tables
from logts.journal.sql.address import find_address, is_file

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

TROUBLES = (*tables.UNREADABLE, sql.exc.NoSuchModuleError, ImportError)  # of a database


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
        wait = {"timeout": advice.PATIENCE} if self._is_file else {}
        try:
            # A server may have been restarted while nobody asked: a connection is tried before it is used.
            self._engine = sql.create_engine(address, connect_args=wait, pool_pre_ping=not self._is_file)
        except TROUBLES as error:
            raise self._told(error) from error
        self._process = os.getpid()
        weakref.finalize(self, _let_go, self._engine, self._process)
        if self._is_file:
            sql.event.listen(self._engine, "connect", _prepare_file)
        if create:
            self._make_tables()
        self._counted = self._has_lengths()
        self._may_count = True

    def read_from(self, name: str, position: int) -> list[Event]:
        with self._connection() as connection:
            number = self._number(connection, name)
            events = [] if number is None else self._read(connection, name, number, position)
            if self._is_file and number is not None and not events and position == 0:
                tables.refuse_strays(connection)  # they may be those of this study
            return events

    def append(self, name: str, position: int, decide: Decide, *, durable: bool = True) -> None:
        self._begin_to_count()
        with self._connection(writing=True, durable=durable) as connection:
            number = self._number(connection, name)
            if number is None:
                number = self._begin(connection, name)
            self._lock(connection, number, durable)
            seen = self._read(connection, name, number, position)
            self._insert(connection, name, number, position + len(seen), decide(seen))

    def names(self) -> list[str]:
        with self._connection() as connection:
            return tables.names(connection)

    def create(self, name: str, first: list[Event]) -> Journal:
        self._begin_to_count()
        with self._connection(writing=True) as connection:
            taken = tables.find(connection, name) is not None
            number = None if taken else connection.scalar(tables.BEGIN, {"called": name})
            if number is None:
                raise self.taken(name)
            self._insert(connection, name, number, 0, first)
        return Journal(self, name)

    def close(self) -> None:
        self._engine.dispose()

    def snapshot(self, name: str) -> tuple[int, bytes] | None:
        """The last snapshot of a study, and the position up to which it goes."""
        with self._connection() as connection:
            number = self._number(connection, name)
            return None if number is None else tables.snapshot(connection, number)

    def keep_snapshot(self, name: str, position: int, body: bytes) -> None:
        """Replace the snapshot of a study."""
        with self._connection(writing=True, durable=False) as connection:
            number = self._number(connection, name)
            if number is None:
                raise JournalError(
                    f"{self.where} holds no study called {name!r}: a snapshot is of one that was begun"
                )
            self._lock(connection, number, durable=False)
            tables.keep_snapshot(connection, number, position, body)

    def _number(self, connection: sql.Connection, name: str) -> int | None:
        """The number of a study; None if nobody has begun it."""
        number = self._numbers.get(name)
        if number is None:
            number = tables.find(connection, name)
            if number is not None:
                self._numbers[name] = number
        return number

    def _begin(self, connection: sql.Connection, name: str) -> int:
        """A new number, or that of somebody who was quicker. Not remembered: this transaction may fail."""
        number = connection.scalar(tables.BEGIN, {"called": name})
        if number is None:
            number = tables.find(connection, name)
        if number is None:
            raise tables.DamagedError
        return number

    def _lock(self, connection: sql.Connection, number: int, durable: bool) -> None:
        if not self._is_file:  # there the whole file is locked already
            connection.execute(tables.LOCK if durable else tables.LOCK_LIGHTLY, {"of": number})

    def _read(self, connection: sql.Connection, name: str, number: int, position: int) -> list[Event]:
        written = tables.length(connection, number, name) if self._counted else None
        if written is not None and position > written and not tables.there(connection, number, position - 1):
            raise JournalError(
                f"study {name!r} in {self.where} was set back: {position:,} of its events were seen here, "
                f"and now it has {written:,}. Nothing was written: try again, from there"
            )
        events: list[Event] = []
        trouble = tables.collect(connection, number, position, events, written)
        at = position + len(events)
        if trouble:
            of = "" if written is None or written <= at else f", of {written:,} in all"
            raise JournalError(
                f"event {at} of study {name!r} in {self.where} is {trouble}: the {at} before it are "
                f"whole{of}. Save them with: {advice.rescue(self.where)}"
            )
        return events

    def _insert(
        self, connection: sql.Connection, name: str, number: int, position: int, events: list[Event]
    ) -> None:
        tables.insert(connection, number, position, events)
        if events and self._counted:
            tables.keep_length(connection, number, name, position + len(events))

    def _has_lengths(self) -> bool:
        """Whether events are counted here: not in a database of an older version. Others are refused."""
        with self._connection() as connection:
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
    def _connection(
        self, *, writing: bool = False, durable: bool = True, log_ahead: bool = False
    ) -> Iterator[sql.Connection]:
        """A transaction; a child process gets connections of its own."""
        if self._process != os.getpid():
            _let_go(self._engine, self._process)
            self._process = os.getpid()
        try:
            with self._engine.connect() as connection, connection.begin():
                if self._is_file:
                    driver: Any = connection.connection.dbapi_connection
                    if log_ahead:
                        driver.execute("PRAGMA journal_mode = WAL")  # stays with the file
                    driver.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                yield connection
        except tables.DamagedError:
            what = "what is noted about a study, its name or its number of events"
            raise JournalError(f"{self.where}: {advice.damaged(what, self.where)}") from None
        except TROUBLES as error:
            raise self._told(error) from error

    def _told(self, error: Exception) -> JournalError:
        """An error of the database as a sentence."""
        return JournalError(f"{self.where}: {advice.advice(error, self._is_file, self.where)}")

    def _make_tables(self) -> None:
        """Make the tables that are missing. If another process is at it, they are there at the second try."""
        for last in (False, True):
            try:
                with self._connection(writing=True, log_ahead=True) as connection:
                    tables.META.create_all(connection)
                return
            except JournalError:
                if last:
                    raise


def _let_go(engine: sql.Engine, process: int) -> None:
    """Close connections; those of a parent process are not ours to close."""
    engine.dispose(close=os.getpid() == process)


def _prepare_file(connection: "DBAPIConnection", _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
