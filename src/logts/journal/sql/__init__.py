"""Journals in a database: a file (SQLite) or a server (PostgreSQL). Opening one loads SQLAlchemy."""

from importlib.util import find_spec
from pathlib import Path

from logts.journal.base import STORES, Saved, Store


@STORES.enter("sqlite")
@STORES.enter("postgresql")
def open_database(url: str, *, create: bool = False) -> Store:
    """The studies of a database, given as a file name or a URL such as ``postgresql://user@host/name``."""
    _need_sqlalchemy()
    from logts.journal.sql.store import SqlStore

    return SqlStore(url, create=create)


def rescue(broken: str | Path, new: str | Path) -> dict[str, Saved]:
    """Copy every study into a new store, each up to its first event that cannot be read.

    The old one is not touched. Returns for each study what was saved, and what is missing.
    """
    _need_sqlalchemy()
    from logts.journal.sql.salvage import salvage

    return salvage(broken, new)


def _need_sqlalchemy() -> None:
    if find_spec("sqlalchemy") is None:
        raise ImportError("studies are kept in a database: pip install 'logts[study]'")
