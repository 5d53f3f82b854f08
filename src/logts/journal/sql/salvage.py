"""What can still be read of a damaged database, copied into a new store."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from logts.journal.base import Event, JournalError, Saved, open_store, without_password
from logts.journal.sql import tables
from logts.journal.sql.address import find_address, is_file
from logts.journal.sql.mending import mend


def salvage(broken: str | Path, new: str | Path) -> dict[str, Saved]:
    """Copy every study, each up to its first event that cannot be read; see :func:`logts.journal.rescue`."""
    saved: dict[str, Saved] = {}
    with _opened(broken) as engine:
        names: dict[int, str] = {}
        trouble = _read_names(engine, names)
        for number in [*names, *sorted(_numbers(engine) - names.keys())]:
            events, found = _whole(engine, number, names.get(number, ""))
            if number not in names and not events:
                continue  # the key of a single event is damaged: it is missing where it belongs
            name = _unlike(saved, names.get(number) or f"study {number}, whose name is lost")
            if events:
                open_store(new, create=True).create(name, events)
            saved[name] = found
    if trouble:
        saved[_unlike(saved, "other studies")] = Saved(0, None, trouble)
    troubles = [one.trouble for one in saved.values() if one.trouble]
    if troubles and not any(one.events for one in saved.values()):
        raise JournalError(f"nothing in {without_password(str(broken))} can be read: {troubles[0]}")
    return saved


@contextmanager
def _opened(broken: str | Path) -> Iterator[sql.Engine]:
    """A damaged database, to be read: of a file a copy, in which the plainest damage is mended."""
    address = find_address(broken, create=False)
    with tempfile.TemporaryDirectory() as folder:
        if is_file(address):
            copied = _copied(Path(address.database or ""), Path(folder))
            mend(copied)
            address = address.set(database=str(copied))
        engine = sql.create_engine(address)
        if is_file(address):
            sql.event.listen(engine, "connect", _read_what_there_is)
        try:
            yield engine
        finally:
            engine.dispose()


def _copied(path: Path, folder: Path) -> Path:
    for part in (path, *(path.with_name(path.name + tail) for tail in ("-wal", "-shm"))):
        if part.exists():
            shutil.copy(part, folder)
    return folder / path.name


def _read_what_there_is(connection: Any, _: Any) -> None:
    """With this SQLite reads what there is of a file that is shorter than it should be."""
    connection.execute("PRAGMA writable_schema = ON").close()


def _read_names(engine: sql.Engine, names: dict[int, str]) -> str:
    """Read the names of the studies; returns why no further. One that is damaged is empty."""
    try:
        with engine.connect().execution_options(yield_per=1) as connection:
            for row in connection.execute(sql.select(tables.STUDIES).order_by(tables.STUDIES.c.id)):
                names[row.id] = row.name if isinstance(row.name, str) else ""
    except tables.UNREADABLE as error:
        return str(getattr(error, "orig", error))
    return ""


def _numbers(engine: sql.Engine) -> set[int]:
    """The numbers of the studies of which there are events, listed or not."""
    found: set[int] = set()
    reading = engine.connect().execution_options(yield_per=1)
    with suppress(*tables.UNREADABLE), reading as connection:
        for number in connection.scalars(sql.select(tables.EVENTS.c.study)):
            found.update([number] if isinstance(number, int) else [])
    return found


def _whole(engine: sql.Engine, number: int, name: str) -> tuple[list[Event], Saved]:
    """The events of a study up to the first that cannot be read, and what is wrong with that one."""
    events: list[Event] = []
    written = _length(engine, number, name)
    try:
        with engine.connect().execution_options(yield_per=1) as connection:
            columns = tables.EVENTS.c
            found = sql.select(columns.position, columns.body, columns.checksum).order_by(columns.position)
            trouble = tables.collect(
                connection.execute(found.where(columns.study == number)), 0, events, written
            )
    except tables.UNREADABLE as error:
        trouble = str(getattr(error, "orig", error))
    return events, Saved(len(events), written, trouble)


def _length(engine: sql.Engine, number: int, name: str) -> int | None:
    with suppress(*tables.UNREADABLE, tables.DamagedError), engine.connect() as connection:
        columns = tables.LENGTHS.c
        found = sql.select(columns.events, columns.checksum).where(columns.study == number)
        return tables.length(connection.execute(found), number, name)
    return None


def _unlike(names: dict[str, Saved], name: str) -> str:
    """A name that is not taken: one flipped bit may make two of them equal."""
    found = name
    count = 2
    while found in names:
        found = f"{name} ({count})"
        count += 1
    return found
