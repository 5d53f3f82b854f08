"""Journals in a database: a file (SQLite) or a server (PostgreSQL), by the same statements.

An append takes the lock of its study, reads what is new, lets the caller decide, writes and commits. SQLite is told to wait for the
disk at a commit, as PostgreSQL does by itself: what has been acknowledged survives a kill and a power cut.
"""

import os
import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    import sqlalchemy as sql
except ImportError as missing:
    raise ImportError("studies are kept in a database: pip install 'logts[study]'") from missing

from logts.journal.base import Event, JournalError, TakenError, read, write

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

PATIENCE = 60.0  # seconds to wait for another process's write

_META = sql.MetaData()
_STUDIES = sql.Table(
    "logts_studies",
    _META,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("name", sql.Text, nullable=False, unique=True),
)
_EVENTS = sql.Table(
    "logts_events",
    _META,
    sql.Column("study", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("checksum", sql.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
_SNAPSHOTS = sql.Table(
    "logts_snapshots",
    _META,
    sql.Column("study", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.Integer, nullable=False),
    sql.Column("body", sql.LargeBinary, nullable=False),
)
_STUDY: sql.BindParameter[int] = sql.bindparam("of")
_FIND = sql.select(_STUDIES.c.id).where(_STUDIES.c.name == sql.bindparam("called"))
_LOCK = sql.select(_STUDIES.c.id).where(_STUDIES.c.id == _STUDY).with_for_update()
# In the same round trip: do not wait for the disk at the end of this transaction.
_LOCK_LIGHTLY = _LOCK.add_columns(sql.func.set_config("synchronous_commit", "off", True))
_INSERT = sql.insert(_EVENTS)
_READ = (
    sql.select(_EVENTS.c.position, _EVENTS.c.body, _EVENTS.c.checksum)
    .where(_EVENTS.c.study == _STUDY, _EVENTS.c.position >= sql.bindparam("first"))
    .order_by(_EVENTS.c.position)
)


class Database:
    """The studies of one database, given as a file name or a URL such as ``postgresql://user@host/name``."""

    def __init__(self, url: str | Path, *, create: bool = False) -> None:
        self.url = _address(url, create)
        self._is_file = self.url.get_backend_name() == "sqlite"
        self.where = self.url.database or "" if self._is_file else self.url.render_as_string()
        with self._told():
            wait = {"timeout": PATIENCE} if self._is_file else {}
            self._engine = sql.create_engine(self.url, connect_args=wait)
        self._process = os.getpid()
        weakref.finalize(self, _let_go, self._engine, self._process)
        if self._is_file:
            sql.event.listen(self._engine, "connect", _prepare_file)
        if create:
            self._make_tables()
        with self.connection() as connection:
            if not sql.inspect(connection).has_table("logts_events"):
                raise JournalError(f"{self.where} is a database, but holds no studies of logts: check the address")

    def _make_tables(self) -> None:
        """Make the tables that are missing. Another process may be at it, too: then they are there at the second try."""
        for last in (False, True):
            try:
                with self.connection(writing=True, log_ahead=True) as connection:
                    _META.create_all(connection)
                return
            except (JournalError, sql.exc.IntegrityError):
                if last:
                    raise

    def names(self) -> list[str]:
        """The studies there are, the oldest first."""
        with self.connection() as connection:
            return list(connection.scalars(sql.select(_STUDIES.c.name).order_by(_STUDIES.c.id)))

    def journal(self, name: str) -> "SqlJournal":
        """The journal of a study."""
        with self.connection() as connection:
            number = connection.scalar(_FIND, {"called": name})
        if number is None:
            there = ", ".join(self.names()) or "none yet"
            raise ValueError(f"{self.where} holds no study called {name!r}; there are: {there}")
        return SqlJournal(self, name, number)

    def create(self, name: str, first: list[Event]) -> "SqlJournal":
        """A new journal with its first events; refused if the name is taken."""
        try:
            with self.connection(writing=True) as connection:
                number = connection.scalar(sql.insert(_STUDIES).values(name=name).returning(_STUDIES.c.id))
                _insert(connection, number, 0, first)
        except sql.exc.IntegrityError as error:
            raise TakenError(f"{self.where} holds a study called {name!r} already: open it, or choose another name") from error
        assert number is not None
        return SqlJournal(self, name, number)

    @contextmanager
    def connection(self, *, writing: bool = False, durable: bool = True, log_ahead: bool = False) -> Iterator[sql.Connection]:
        """A transaction; a child process gets connections of its own."""
        if self._process != os.getpid():
            _let_go(self._engine, self._process)
            self._process = os.getpid()
        with self._told(), self._engine.connect() as connection, connection.begin():
            if self._is_file:
                driver: Any = connection.connection.dbapi_connection
                if log_ahead:
                    driver.execute("PRAGMA journal_mode = WAL")  # stays with the file
                driver.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the database as sentences."""
        try:
            yield
        except sql.exc.IntegrityError:
            raise
        except (sql.exc.DBAPIError, sqlite3.Error, sql.exc.NoSuchModuleError, ImportError) as error:
            raise JournalError(f"{self.where}: {_advice(error, self._is_file, self.where)}") from error

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


class SqlJournal:
    """The journal of one study, and the last snapshot of its state, which is only a shortcut."""

    def __init__(self, database: Database, name: str, number: int) -> None:
        self.database, self.name, self._number = database, name, number

    def read_from(self, position: int) -> list[Event]:
        with self.database.connection() as connection:
            return self._read(connection, position)

    def append(self, position: int, decide: Callable[[list[Event]], list[Event]], *, durable: bool = True) -> None:
        with self.database.connection(writing=True, durable=durable) as connection:
            if not self.database._is_file:  # there the whole file is locked already
                connection.execute(_LOCK if durable else _LOCK_LIGHTLY, {"of": self._number})
            seen = self._read(connection, position)
            _insert(connection, self._number, position + len(seen), decide(seen))

    def snapshot(self) -> tuple[int, bytes] | None:
        """The last snapshot, and the position up to which it goes."""
        with self.database.connection() as connection:
            found = connection.execute(sql.select(_SNAPSHOTS).where(_SNAPSHOTS.c.study == self._number)).first()
        return (found.position, found.body) if found is not None else None

    def keep_snapshot(self, position: int, body: bytes) -> None:
        """Replace the snapshot."""
        row = {"study": self._number, "position": position, "body": body}
        with self.database.connection(writing=True, durable=False) as connection:
            if not self.database._is_file:
                connection.execute(_LOCK_LIGHTLY, {"of": self._number})
            connection.execute(sql.delete(_SNAPSHOTS).where(_SNAPSHOTS.c.study == self._number))
            connection.execute(sql.insert(_SNAPSHOTS), row)

    def _read(self, connection: sql.Connection, position: int) -> list[Event]:
        events: list[Event] = []
        trouble = _collect(connection, self._number, position, events)
        if trouble:
            at, where = position + len(events), self.database.where
            raise JournalError(
                f"event {at} of study {self.name!r} in {where} is {trouble}: the {at} before it are whole. "
                f"Save them with: logts rescue {where} rescued.db"
            )
        return events


def rescue(broken: str | Path, new: str | Path) -> dict[str, tuple[int, str]]:
    """Copy every study into a new database, each up to its first event that cannot be read. The old one is not touched.

    Returns for each study the number of events saved and what was wrong with the next one, "" if nothing was.
    """
    address, target, saved = _address(broken, create=False), Database(new, create=True), {}
    with tempfile.TemporaryDirectory() as folder:
        if address.get_backend_name() == "sqlite":
            address = address.set(database=_copied(Path(address.database or ""), Path(folder)))
        engine = sql.create_engine(address)
        if address.get_backend_name() == "sqlite":
            # With this SQLite reads what there is of a file that is shorter than it should be.
            sql.event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA writable_schema = ON").close())
        try:
            with engine.connect() as connection:
                studies = list(connection.execute(sql.select(_STUDIES).order_by(_STUDIES.c.id)))
        except sql.exc.DBAPIError as error:
            raise JournalError(f"nothing in {address.render_as_string()} can be read: {error.orig}") from error
        for number, name in studies:
            events: list[Event] = []
            try:
                with engine.connect().execution_options(yield_per=1) as connection:
                    trouble = _collect(connection, number, 0, events)
            except sql.exc.DBAPIError as error:
                trouble = str(error.orig)
            if events:
                target.create(name, events)
            saved[name] = len(events), trouble
        engine.dispose()
    return saved


def _copied(path: Path, folder: Path) -> str:
    for part in (path, *(path.with_name(path.name + tail) for tail in ("-wal", "-shm"))):
        if part.exists():
            shutil.copy(part, folder)
    return str(folder / path.name)


def _collect(connection: sql.Connection, number: int, position: int, events: list[Event]) -> str:
    """Read events from a position on, up to the first that is not whole; returns what is wrong with that one."""
    for at, body, checksum in connection.execute(_READ, {"of": number, "first": position}):
        event = read(body, checksum) if at == position + len(events) else None
        if event is None:
            return "damaged" if at == position + len(events) else "missing"
        events.append(event)
    return ""


def _insert(connection: sql.Connection, number: int, position: int, events: list[Event]) -> None:
    rows = []
    for at, event in enumerate(events, position):
        body, checksum = write(event)
        rows.append({"study": number, "position": at, "body": body, "checksum": checksum})
    if rows:
        connection.execute(_INSERT, rows if len(rows) > 1 else rows[0])


def _address(url: str | Path, create: bool) -> sql.URL:
    """A URL; a file name stands for an SQLite file."""
    text = str(url)
    if "://" not in text:
        if not text:
            raise ValueError("say where the study is kept: a file name, or a URL such as postgresql://user@host/name")
        if not create and not Path(text).exists():
            raise ValueError(f"there is no file {text}: check the name, or create a study in it first")
        if not Path(text).absolute().parent.is_dir():
            raise ValueError(f"there is no folder {Path(text).parent}: make it first")
        return sql.URL.create("sqlite", database=text)
    try:
        address = sql.make_url(text)
    except (sql.exc.ArgumentError, ValueError) as error:
        raise ValueError(f"{text!r} is not a URL of a database: {error}") from error
    if address.get_backend_name() not in ("sqlite", "postgresql"):
        raise ValueError(f"studies are kept in SQLite files or in PostgreSQL; got {address.drivername}")
    if address.get_backend_name() == "sqlite":
        if not address.database or address.database == ":memory:":
            raise ValueError("a study is kept in a file: give its name; for one that need not last use logts.LogTS itself")
        return _address(address.database, create)
    return address.set(drivername="postgresql+psycopg") if address.drivername == "postgresql" else address


def _let_go(engine: sql.Engine, process: int) -> None:
    """Close connections; those of a parent process are not ours to close."""
    engine.dispose(close=os.getpid() == process)


def _prepare_file(connection: "DBAPIConnection", _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so


def _advice(error: Exception, is_file: bool, where: str) -> str:
    """What went wrong, and what to do."""
    said = str(getattr(error, "orig", error)).strip()
    if "not a database" in said:
        return "this is not a database file, so not a study of logts either. Check the name; the file was not touched"
    if "disk I/O" in said:
        return (
            f"the disk refused ({said}): it may be full, over a quota, or the file damaged. Nothing acknowledged is lost: make room"
        )
    if "malformed" in said or "short read" in said or "decode" in said:
        return f"the file is damaged ({said}). Keep it, and save what can be read with: logts rescue {where} rescued.db"
    if "locked" in said:
        return f"another process has been writing for more than {PATIENCE:.0f} seconds ({said}). Nothing is lost: try again"
    if "readonly" in said or "unable to open" in said:
        return f"it cannot be written ({said}): check the permissions of the file and its folder"
    if isinstance(error, ImportError):
        return f"{said}: pip install 'logts[postgresql]'"
    return f"the {'file' if is_file else 'server'} said: {said}"
