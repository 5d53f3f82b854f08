"""The tables of a database of studies, the statements about them, and how events become rows and come back.

An event has a checksum beside it, and the length of every journal stands in a table of its own: a bit that is
flipped in a key hides events, and only who knows how many there were can tell. A database of an older version
has no lengths; it opens as it is, and gets them with its first append.
"""

import json
import sqlite3
import zlib

import sqlalchemy as sql

from logts.journal.base import Event, to_line

# What is raised when a database cannot be read. A message of SQLite's may quote a table that is no text.
UNREADABLE = (sql.exc.DBAPIError, sqlite3.Error, UnicodeDecodeError)

META = sql.MetaData()
STUDIES = sql.Table(
    "logts_studies",
    META,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("name", sql.Text, nullable=False, unique=True),
)
EVENTS = sql.Table(
    "logts_events",
    META,
    sql.Column("study", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("checksum", sql.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
SNAPSHOTS = sql.Table(
    "logts_snapshots",
    META,
    sql.Column("study", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.Integer, nullable=False),
    sql.Column("body", sql.LargeBinary, nullable=False),
)
LENGTHS = sql.Table(
    "logts_lengths",
    META,
    sql.Column("study", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("events", sql.BigInteger, nullable=False),
    sql.Column("checksum", sql.BigInteger, nullable=False),
)

_STUDY: sql.BindParameter[int] = sql.bindparam("of")
_NAME: sql.BindParameter[str] = sql.bindparam("called")

_NAMES = sql.select(STUDIES.c.name).order_by(STUDIES.c.id)
# Not by the index of the names: should it be damaged, the study is there all the same.
_FIND = sql.select(STUDIES.c.id).where(STUDIES.c.name.concat("") == _NAME)
# No number comes back: the name is taken. SQLite and PostgreSQL know the same words for this.
BEGIN = sql.text("INSERT INTO logts_studies (name) VALUES (:called) ON CONFLICT DO NOTHING RETURNING id")
LOCK = sql.select(STUDIES.c.id).where(STUDIES.c.id == _STUDY).with_for_update()
# In the same round trip: do not wait for the disk at the end of this transaction.
LOCK_LIGHTLY = LOCK.add_columns(sql.func.set_config("synchronous_commit", "off", True))
# As the driver gives it: what is damaged need not be bytes.
_BODY = sql.type_coerce(SNAPSHOTS.c.body, sql.types.NullType()).label("body")
_SNAPSHOT = sql.select(SNAPSHOTS.c.position, _BODY).where(SNAPSHOTS.c.study == _STUDY)
_FORGET_SNAPSHOT = sql.delete(SNAPSHOTS).where(SNAPSHOTS.c.study == _STUDY)
_KEEP_SNAPSHOT = sql.insert(SNAPSHOTS)
_LENGTH = sql.select(LENGTHS.c.events, LENGTHS.c.checksum).where(LENGTHS.c.study == _STUDY)
_KEEP_LENGTH = sql.text(
    "INSERT INTO logts_lengths (study, events, checksum) VALUES (:study, :events, :checksum) "
    "ON CONFLICT (study) DO UPDATE SET events = excluded.events, checksum = excluded.checksum"
)
_THERE = sql.select(EVENTS.c.position).where(
    EVENTS.c.study == _STUDY, EVENTS.c.position == sql.bindparam("at")
)
_STRAY = sql.select(EVENTS.c.study).where(EVENTS.c.study.not_in(sql.select(STUDIES.c.id))).limit(1)
_INSERT = sql.insert(EVENTS)
_READ = (
    sql.select(EVENTS.c.position, EVENTS.c.body, EVENTS.c.checksum)
    .where(EVENTS.c.study == _STUDY, EVENTS.c.position >= sql.bindparam("first"))
    .order_by(EVENTS.c.position)
)


class DamagedError(Exception):
    """What is noted about a study is damaged."""


def names(connection: sql.Connection) -> list[str]:
    """The studies there are, the oldest first."""
    found = list(connection.scalars(_NAMES))
    if not all(isinstance(name, str) for name in found):
        raise DamagedError
    return found


def find(connection: sql.Connection, name: str) -> int | None:
    """The number of a study; None if nobody has begun it."""
    number = connection.scalar(_FIND, {"called": name})
    if number is not None and not isinstance(number, int):
        raise DamagedError
    return number


def length(connection: sql.Connection, number: int, name: str) -> int | None:
    """How many events were written; None if nobody counted them, as older versions did not."""
    found = connection.execute(_LENGTH, {"of": number}).first()
    if found is None:
        return None
    if found.checksum != _seal(number, found.events, name):
        raise DamagedError
    return int(found.events)


def collect(
    connection: sql.Connection, number: int, position: int, events: list[Event], written: int | None = None
) -> str:
    """Read events from a position on, up to the first that is not whole; returns what is wrong with it."""
    for at, body, checksum in connection.execute(_READ, {"of": number, "first": position}):
        if at != position + len(events):
            return "missing"
        if not isinstance(body, str) or zlib.crc32(body.encode()) != checksum:
            return "damaged"
        events.append(json.loads(body))
    return "missing" if written is not None and position + len(events) < written else ""


def there(connection: sql.Connection, number: int, position: int) -> bool:
    """Whether there is an event at a position, whole or not."""
    return connection.scalar(_THERE, {"of": number, "at": position}) is not None


def refuse_strays(connection: sql.Connection) -> None:
    """A study that is not listed has events: the number of one that is listed may be damaged."""
    if connection.scalar(_STRAY) is not None:
        raise DamagedError


def insert(connection: sql.Connection, number: int, position: int, events: list[Event]) -> None:
    """Write events from a position on, each as a line of JSON with its checksum."""
    rows = []
    for at, event in enumerate(events, position):
        body = to_line(event)
        rows.append({"study": number, "position": at, "body": body, "checksum": zlib.crc32(body.encode())})
    if rows:
        connection.execute(_INSERT, rows if len(rows) > 1 else rows[0])


def keep_length(connection: sql.Connection, number: int, name: str, events: int) -> None:
    """Write down how many events there are now."""
    said = {"study": number, "events": events, "checksum": _seal(number, events, name)}
    connection.execute(_KEEP_LENGTH, said)


def keep_snapshot(connection: sql.Connection, number: int, position: int, body: bytes) -> None:
    """Replace the snapshot of a study; its checksum goes before it."""
    connection.execute(_FORGET_SNAPSHOT, {"of": number})
    kept = _seal_snapshot(number, position, body) + body
    connection.execute(_KEEP_SNAPSHOT, {"study": number, "position": position, "body": kept})


def snapshot(connection: sql.Connection, number: int) -> tuple[int, bytes] | None:
    """The snapshot of a study and its position; None if there is none that is whole."""
    found = connection.execute(_SNAPSHOT, {"of": number}).first()
    if found is None or not isinstance(found.position, int) or not isinstance(found.body, bytes):
        return None
    kept, body = found.body[:4], found.body[4:]
    return (found.position, body) if kept == _seal_snapshot(number, found.position, body) else None


def _seal(number: int, events: int, name: str) -> int:
    return zlib.crc32(f"{number} {events} {name}".encode())


def _seal_snapshot(number: int, position: int, body: bytes) -> bytes:
    return zlib.crc32(body, zlib.crc32(f"{number} {position}".encode())).to_bytes(4, "big")
