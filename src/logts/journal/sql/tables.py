"""The tables of a database of studies, the statements about them, and how events become rows and come back.

The tables are those of the first version: databases written before open as they are.
"""

import json
import zlib

import sqlalchemy as sql

from logts.journal.base import Event, to_line

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

_STUDY: sql.BindParameter[int] = sql.bindparam("of")
_NAME: sql.BindParameter[str] = sql.bindparam("called")

NAMES = sql.select(STUDIES.c.name).order_by(STUDIES.c.id)
FIND = sql.select(STUDIES.c.id).where(STUDIES.c.name == _NAME)
# No number comes back: the name is taken. SQLite and PostgreSQL know the same words for this.
BEGIN = sql.text("INSERT INTO logts_studies (name) VALUES (:called) ON CONFLICT DO NOTHING RETURNING id")
LOCK = sql.select(STUDIES.c.id).where(STUDIES.c.id == _STUDY).with_for_update()
# In the same round trip: do not wait for the disk at the end of this transaction.
LOCK_LIGHTLY = LOCK.add_columns(sql.func.set_config("synchronous_commit", "off", True))
SNAPSHOT = sql.select(SNAPSHOTS.c.position, SNAPSHOTS.c.body).where(SNAPSHOTS.c.study == _STUDY)
FORGET_SNAPSHOT = sql.delete(SNAPSHOTS).where(SNAPSHOTS.c.study == _STUDY)
KEEP_SNAPSHOT = sql.insert(SNAPSHOTS)
_INSERT = sql.insert(EVENTS)
_READ = (
    sql.select(EVENTS.c.position, EVENTS.c.body, EVENTS.c.checksum)
    .where(EVENTS.c.study == _STUDY, EVENTS.c.position >= sql.bindparam("first"))
    .order_by(EVENTS.c.position)
)


def collect(connection: sql.Connection, number: int, position: int, events: list[Event]) -> str:
    """Read events from a position on, up to the first that is not whole; returns what is wrong with it."""
    for at, body, checksum in connection.execute(_READ, {"of": number, "first": position}):
        if at != position + len(events):
            return "missing"
        if zlib.crc32(body.encode()) != checksum:
            return "damaged"
        events.append(json.loads(body))
    return ""


def insert(connection: sql.Connection, number: int, position: int, events: list[Event]) -> None:
    """Write events from a position on, each as a line of JSON with its checksum."""
    rows = []
    for at, event in enumerate(events, position):
        body = to_line(event)
        rows.append({"study": number, "position": at, "body": body, "checksum": zlib.crc32(body.encode())})
    if rows:
        connection.execute(_INSERT, rows if len(rows) > 1 else rows[0])
