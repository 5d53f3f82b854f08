"""What can still be read of a damaged database, copied into a new store."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from logts.journal.base import Event, JournalError, open_store
from logts.journal.sql.address import find_address, is_file
from logts.journal.sql.tables import STUDIES, collect


def salvage(broken: str | Path, new: str | Path) -> dict[str, tuple[int, str]]:
    """Copy every study, each up to its first event that cannot be read; see :func:`logts.journal.rescue`."""
    address = find_address(broken, create=False)
    target = open_store(new, create=True)
    saved: dict[str, tuple[int, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        if is_file(address):
            address = address.set(database=_copied(Path(address.database or ""), Path(folder)))
        engine = _reader(address)
        for number, name in _studies(engine):
            events, trouble = _whole(engine, number)
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


def _reader(address: sql.URL) -> sql.Engine:
    engine = sql.create_engine(address)
    if is_file(address):
        sql.event.listen(engine, "connect", _read_what_there_is)
    return engine


def _read_what_there_is(connection: Any, _: Any) -> None:
    """With this SQLite reads what there is of a file that is shorter than it should be."""
    connection.execute("PRAGMA writable_schema = ON").close()


def _studies(engine: sql.Engine) -> list[tuple[int, str]]:
    try:
        with engine.connect() as connection:
            return [
                (row.id, row.name) for row in connection.execute(sql.select(STUDIES).order_by(STUDIES.c.id))
            ]
    except sql.exc.DBAPIError as error:
        raise JournalError(f"nothing in {engine.url.render_as_string()} can be read: {error.orig}") from error


def _whole(engine: sql.Engine, number: int) -> tuple[list[Event], str]:
    """The events of a study up to the first that cannot be read, and what is wrong with that one."""
    events: list[Event] = []
    try:
        with engine.connect().execution_options(yield_per=1) as connection:
            return events, collect(connection, number, 0, events)
    except sql.exc.DBAPIError as error:
        return events, str(error.orig)
