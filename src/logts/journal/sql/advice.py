"""Errors of a database as sentences: what went wrong, and what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sql

from logts.journal.base import JournalError

PATIENCE = 60.0  # seconds to wait for another process's write


@contextmanager
def told(where: str, is_file: bool) -> Iterator[None]:
    """Errors of the database become a JournalError with advice; what is not unique is for the caller."""
    try:
        yield
    except sql.exc.IntegrityError:
        raise
    except (sql.exc.DBAPIError, sqlite3.Error, sql.exc.NoSuchModuleError, ImportError) as error:
        raise JournalError(f"{where}: {_advice(error, is_file, where)}") from error


def _advice(error: Exception, is_file: bool, where: str) -> str:
    said = str(getattr(error, "orig", error)).strip()
    if "not a database" in said:
        return (
            "this is not a database file, so not a study of logts either. "
            "Check the name; the file was not touched"
        )
    if "disk I/O" in said:
        return (
            f"the disk refused ({said}): it may be full, over a quota, or the file damaged. "
            "Nothing acknowledged is lost: make room"
        )
    if "malformed" in said or "short read" in said or "decode" in said:
        return (
            f"the file is damaged ({said}). "
            f"Keep it, and save what can be read with: logts rescue {where} rescued.db"
        )
    if "locked" in said:
        return (
            f"another process has been writing for more than {PATIENCE:.0f} seconds ({said}). "
            "Nothing is lost: try again"
        )
    if "readonly" in said or "unable to open" in said:
        return f"it cannot be written ({said}): check the permissions of the file and its folder"
    if isinstance(error, ImportError):
        return f"{said}: pip install 'logts[postgresql]'"
    return f"the {'file' if is_file else 'server'} said: {said}"
