"""Where a database is: from what the user said to an address that SQLAlchemy knows."""

from pathlib import Path

import sqlalchemy as sql

from logts.journal.base import without_password


def find_address(url: str | Path, create: bool) -> sql.URL:
    """A URL; a file name stands for an SQLite file. Without ``create`` a file has to be there."""
    text = str(url)
    if "://" not in text:
        return _file(text, create)
    try:
        address = sql.make_url(text)
    except (sql.exc.ArgumentError, ValueError) as error:
        raise ValueError(f"{without_password(text)!r} is not a URL of a database: {error}") from error
    if is_file(address):
        if not address.database or address.database == ":memory:":
            raise ValueError(
                "a study is kept in a file: give its name; one that need not last is kept in memory://name"
            )
        return _file(address.database, create)
    if address.get_backend_name() != "postgresql":
        raise ValueError(f"databases of studies are SQLite files or in PostgreSQL; got {address.drivername}")
    return address.set(drivername="postgresql+psycopg") if address.drivername == "postgresql" else address


def is_file(address: sql.URL) -> bool:
    """Whether this is a file, not a server."""
    return address.get_backend_name() == "sqlite"


def _file(name: str, create: bool) -> sql.URL:
    if not name:
        raise ValueError(
            "say where the study is kept: a file name, or a URL such as postgresql://user@host/name"
        )
    if not create and not Path(name).exists():
        raise ValueError(f"there is no file {name}: check the name, or create a study in it first")
    if not Path(name).absolute().parent.is_dir():
        raise ValueError(f"there is no folder {Path(name).parent}: make it first")
    return sql.URL.create("sqlite", database=name)
