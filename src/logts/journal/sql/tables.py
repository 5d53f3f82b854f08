"""The tables of a database of studies, the statements about them, and how events become rows and come back.

An event has a checksum beside it, and the length of every journal stands in a table of its own: a bit that is
flipped in a key hides events, and only who knows how many there were can tell. A database of an older version
has no lengths; it opens as it is, and gets them with its first append.
"""

import json
import sqlite3
import zlib
from typing import Any

import sqlalchemy as sql

from logts.journal.base import Event, to_line
from logts.journal.sql.link import Link

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

_NAMES = "SELECT name FROM logts_studies ORDER BY id"
# Not by the index of the names: should it be damaged, the study is there all the same.
_FIND = "SELECT id FROM logts_studies WHERE name || '' = ?"
# No number comes back: the name is taken.
_BEGIN = "INSERT INTO logts_studies (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"
_LOCK = "SELECT id FROM logts_studies WHERE id = ? FOR UPDATE"
# In the same statement: do not wait for the disk at the end of this transaction.
_LOCK_LIGHTLY = (
    "SELECT id, set_config('synchronous_commit', 'off', true) FROM logts_studies WHERE id = ? FOR UPDATE"
)
_SNAPSHOT = "SELECT position, body FROM logts_snapshots WHERE study = ?"
_FORGET_SNAPSHOT = "DELETE FROM logts_snapshots WHERE study = ?"
_KEEP_SNAPSHOT = "INSERT INTO logts_snapshots (study, position, body) VALUES (?, ?, ?)"
_LENGTH = "SELECT events, checksum FROM logts_lengths WHERE study = ?"
_KEEP_LENGTH = (
    "INSERT INTO logts_lengths (study, events, checksum) VALUES (?, ?, ?) "
    "ON CONFLICT (study) DO UPDATE SET events = excluded.events, checksum = excluded.checksum"
)
_THERE = "SELECT position FROM logts_events WHERE study = ? AND position = ?"
_STRAY = "SELECT study FROM logts_events WHERE study NOT IN (SELECT id FROM logts_studies) LIMIT 1"
_INSERT = "INSERT INTO logts_events (study, position, body, checksum) VALUES (?, ?, ?, ?)"
_READ = (
    "SELECT position, body, checksum FROM logts_events WHERE study = ? AND position >= ? ORDER BY position"
)
# An append of one event in one statement of PostgreSQL; it does nothing if the length is another by now.
_ADD = """
WITH mine AS (
    SELECT id, set_config('synchronous_commit', ?, true) FROM logts_studies WHERE id = ? FOR UPDATE
), moved AS (
    UPDATE logts_lengths SET events = ?, checksum = ? FROM mine
    WHERE study = mine.id AND events = ? AND checksum = ? RETURNING study
)
INSERT INTO logts_events (study, position, body, checksum)
SELECT study, ?, ?, ? FROM moved
"""


class DamagedError(Exception):
    """What is noted about a study is damaged."""


def names(link: Link) -> list[str]:
    """The studies there are, the oldest first."""
    found = [name for (name,) in link.execute(_NAMES)]
    if not all(isinstance(name, str) for name in found):
        raise DamagedError
    return found


def find(link: Link, name: str) -> int | None:
    """The number of a study; None if nobody has begun it."""
    number = _one(link.execute(_FIND, (name,)))
    if number is not None and not isinstance(number, int):
        raise DamagedError
    return number


def begin(link: Link, name: str) -> int | None:
    """A number for a new study; None if the name is taken."""
    number: int | None = _one(link.execute(_BEGIN, (name,)))
    return number


def lock(link: Link, number: int, *, durable: bool) -> None:
    """Let nobody else write to a study of a server, until the end of the transaction."""
    link.execute(_LOCK if durable else _LOCK_LIGHTLY, (number,))


def length(found: Any, number: int, name: str) -> int | None:
    """How many events were written, as asked for; None if nobody counted them: older versions did not."""
    row = found.fetchone()
    if row is None:
        return None
    events, checksum = row
    if checksum != _seal(number, events, name):
        raise DamagedError
    return int(events)


def ask_length(link: Link, number: int) -> Any:
    """Ask how many events were written."""
    return link.execute(_LENGTH, (number,))


def ask_events(link: Link, number: int, position: int) -> Any:
    """Ask for the events from a position on."""
    return link.execute(_READ, (number, position))


def collect(found: Any, position: int, events: list[Event], written: int | None = None) -> str:
    """Read events as asked for, up to the first that is not whole; returns what is wrong with it."""
    for at, body, checksum in found:
        if at != position + len(events):
            return "missing"
        if not isinstance(body, str) or zlib.crc32(body.encode()) != checksum:
            return "damaged"
        events.append(json.loads(body))
    return "missing" if written is not None and position + len(events) < written else ""


def there(link: Link, number: int, position: int) -> bool:
    """Whether there is an event at a position, whole or not."""
    return _one(link.execute(_THERE, (number, position))) is not None


def refuse_strays(link: Link) -> None:
    """A study that is not listed has events: the number of one that is listed may be damaged."""
    if _one(link.execute(_STRAY)) is not None:
        raise DamagedError


def lines(events: list[Event]) -> list[tuple[str, int]]:
    """Events as lines of JSON, each with its checksum."""
    bodies = [to_line(event) for event in events]
    return [(body, zlib.crc32(body.encode())) for body in bodies]


def insert(link: Link, number: int, position: int, new: list[tuple[str, int]]) -> None:
    """Write lines from a position on."""
    rows = [(number, at, *line) for at, line in enumerate(new, position)]
    if len(rows) == 1:
        link.execute(_INSERT, rows[0])
    elif rows:
        link.execute_many(_INSERT, rows)


def add(link: Link, number: int, name: str, position: int, new: tuple[str, int], *, durable: bool) -> bool:
    """Write a line at a position, on a server, if that is the length; whether it was."""
    moved = position + 1, _seal(number, position + 1, name), position, _seal(number, position, name)
    values = "on" if durable else "off", number, *moved, position, *new
    return bool(link.execute(_ADD, values).rowcount)


def keep_length(link: Link, number: int, name: str, events: int) -> None:
    """Write down how many events there are now."""
    link.execute(_KEEP_LENGTH, (number, events, _seal(number, events, name)))


def keep_snapshot(link: Link, number: int, position: int, body: bytes) -> None:
    """Replace the snapshot of a study; its checksum goes before it."""
    link.execute(_FORGET_SNAPSHOT, (number,))
    link.execute(_KEEP_SNAPSHOT, (number, position, _seal_snapshot(number, position, body) + body))


def snapshot(link: Link, number: int) -> tuple[int, bytes] | None:
    """The snapshot of a study and its position; None if there is none that is whole."""
    found = link.execute(_SNAPSHOT, (number,)).fetchone()
    if found is None or not isinstance(found[0], int) or not isinstance(found[1], bytes):
        return None
    position, whole = found
    kept, body = whole[:4], whole[4:]
    return (position, body) if kept == _seal_snapshot(number, position, body) else None


def _one(found: Any) -> Any:
    row = found.fetchone()
    return None if row is None else row[0]


def _seal(number: int, events: int, name: str) -> int:
    return zlib.crc32(f"{number} {events} {name}".encode())


def _seal_snapshot(number: int, position: int, body: bytes) -> bytes:
    return zlib.crc32(body, zlib.crc32(f"{number} {position}".encode())).to_bytes(4, "big")
