"""A connection to a database, in the driver's own words: SQLAlchemy's take longer than SQLite's work.

Statements are written for SQLite, with ``?`` for a value, and PostgreSQL understands the same. Transactions
begin where we say so. What is sent to a server ``together`` is answered together: one journey there and back.
"""

import random
import select
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import sqlalchemy as sql

PATIENCE = 60.0  # seconds to wait for another process's write
NAP = 0.001  # seconds between two tries, about


class Link:
    """A connection that was taken out of the pool."""

    def __init__(self, driver: Any, is_file: bool) -> None:
        self._driver = driver
        self._is_file = is_file

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement; its cursor."""
        if self._is_file:
            return self._driver.execute(statement, values)
        return self._driver.execute(statement.replace("?", "%s"), values or None)

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement with each of some rows."""
        words = statement if self._is_file else statement.replace("?", "%s")
        self._driver.cursor().executemany(words, rows)

    def together(self) -> AbstractContextManager[Any]:
        """What is run within goes to a server in one message; results are there at the end."""
        return nullcontext() if self._is_file else self._driver.pipeline()

    def begin(self, *, durable: bool = True) -> None:
        """Begin to write; a file is locked from here on. What is not durable does not wait for the disk."""
        if not self._is_file:
            self._driver.execute("BEGIN")
            return
        self._driver.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._driver.execute("PRAGMA busy_timeout = 0")
        end = time.monotonic() + PATIENCE
        # SQLite by itself would try more and more seldom: who has waited longest would come last.
        while not self._begun(last=time.monotonic() > end):
            time.sleep(NAP * random.uniform(0.2, 1.8))
        self._driver.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE:.0f}")

    def _begun(self, last: bool) -> bool:
        """Whether the file is ours to write; at the last try an error if it is not."""
        try:
            self._driver.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if last or "locked" not in str(error):
                raise
            return False
        return True

    def commit(self) -> None:
        """End the transaction: all of it is written."""
        self._driver.execute("COMMIT")


@contextmanager
def in_turn(turn: Any) -> Iterator[None]:
    """Threads of a process write to a file in turn: to find it locked and to nap costs more than to write."""
    if not turn.acquire(timeout=PATIENCE):
        raise sqlite3.OperationalError("database is locked")
    try:
        yield
    finally:
        turn.release()


def prepare_file(driver: sqlite3.Connection, _: Any) -> None:
    """What a new connection to a file needs."""
    driver.isolation_level = None  # transactions begin where we say so


def prepare_server(driver: Any, _: Any) -> None:
    """What a new connection to a server needs."""
    driver.autocommit = True  # the same


def refuse_the_dead(driver: Any, *_: Any) -> None:
    """A server that ended a connection, as at a restart, has sent a word that nobody asked for."""
    if driver.closed or select.select([driver], [], [], 0)[0]:
        raise sql.exc.DisconnectionError("the server ended this connection")
