"""Mend the beginning of a damaged copy of a file: a single bit there hides all studies.

What stands there is known: SQLite's marks of its format, and the statements that made the tables.
"""

import math
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import sqlalchemy as sql

from logts.journal.sql.tables import META, UNREADABLE

MAGIC = b"SQLite format 3\0"
# Bytes of the header that are the same in every file of ours, by their place; see sqlite.org/fileformat.html.
FIXED = {
    0: MAGIC,
    20: bytes([0, 64, 32, 32]),  # no bytes reserved; shares of a page
    44: bytes([0, 0, 0, 4]),  # format of the schema
    52: bytes(4),  # no vacuum by itself
    56: bytes([0, 0, 0, 1]),  # UTF-8
    64: bytes(4),
}
VERSIONS = 18  # where it says whether there is a log beside the file: 2, twice
LOGGED = bytes([2, 2])
SIZE = 16  # where it says how large a page is
USUAL = bytes([16, 0])  # 4096
FEW = 2  # letters that may differ in what is ours nevertheless

COLUMNS = "type, name, tbl_name, sql"
Row = tuple[bytes | None, ...]


def mend(path: Path) -> None:
    """Put right what is known of the beginning of a file. One that is no database stays as it is."""
    with open(path, "r+b") as file:
        head = bytearray(file.read(100))
        alike = sum(a == b for a, b in zip(head, MAGIC, strict=False))
        if len(head) < 100 or alike < len(MAGIC) - 1:
            return
        for place, known in FIXED.items():
            head[place : place + len(known)] = known
        if 2 in head[VERSIONS : VERSIONS + 2]:
            head[VERSIONS : VERSIONS + 2] = LOGGED
        if int.from_bytes(head[SIZE : SIZE + 2]).bit_count() != 1:
            head[SIZE : SIZE + 2] = USUAL
        file.seek(0)
        file.write(head)
    with suppress(*UNREADABLE), closing(sqlite3.connect(path)) as connection:
        _mend_tables(connection)


def _mend_tables(connection: sqlite3.Connection) -> None:
    """Write the statements that made the tables again, where they are not what they were."""
    connection.text_factory = bytes
    connection.execute("PRAGMA writable_schema = ON")
    known = _known()
    found = {row[0]: row[1:] for row in connection.execute(f"SELECT rowid, {COLUMNS} FROM sqlite_master")}
    missing = [row for row in known if row not in found.values()]
    for at, row in found.items():
        for one in missing:
            if row not in known and _differ(one, row) <= FEW:
                words = [None if part is None else part.decode() for part in one]
                change = "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
                connection.execute(change, [*words, at])
    connection.commit()


def _known() -> list[Row]:
    """The tables and indices of a new file."""
    engine = sql.create_engine("sqlite://")
    META.create_all(engine)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(f"SELECT {COLUMNS} FROM sqlite_master").all()
    engine.dispose()
    return [tuple(None if part is None else str(part).encode() for part in row) for row in rows]


def _differ(one: Row, other: tuple[object, ...]) -> float:
    """In how many letters two rows differ."""
    count = 0
    for a, b in zip(one, other, strict=True):
        if isinstance(a, bytes) and isinstance(b, bytes) and len(a) == len(b):
            count += sum(x != y for x, y in zip(a, b, strict=True))
        elif a != b:
            return math.inf
    return count
