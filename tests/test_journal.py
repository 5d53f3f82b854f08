"""The contract of a journal, for every store; and what happens to files that are damaged, foreign or missing."""

import multiprocessing
import sqlite3
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest

from logts.journal import Database, JournalError, rescue


def new(url: str) -> tuple[Database, str]:
    return Database(url, create=True), f"study {uuid.uuid4()} 'ß\"; drop"


def test_events_come_back_in_order_and_from_a_position(url: str) -> None:
    database, name = new(url)
    journal = database.create(name, [{"n": 0, "text": "naïve ✓ \"'\\ \n", "x": 0.1 + 0.2}])
    for i in range(1, 5):
        journal.append(i, lambda seen, i=i: [{"n": i}] if not seen else [])  # type: ignore[misc]
    again = Database(url).journal(name)
    assert [event["n"] for event in again.read_from(0)] == [0, 1, 2, 3, 4]
    assert again.read_from(0)[0] == {"n": 0, "text": "naïve ✓ \"'\\ \n", "x": 0.1 + 0.2}
    assert [event["n"] for event in again.read_from(3)] == [3, 4]
    assert again.read_from(5) == []


def test_an_append_is_shown_what_it_has_not_seen(url: str) -> None:
    database, name = new(url)
    journal = database.create(name, [{"n": 0}])
    other = Database(url).journal(name)
    other.append(1, lambda _: [{"n": 1}, {"n": 2}])
    shown: list[Any] = []

    def decide(seen: list[Any]) -> list[Any]:
        shown.extend(seen)
        return [{"n": 3}]

    journal.append(1, decide)
    assert shown == [{"n": 1}, {"n": 2}]
    assert [event["n"] for event in journal.read_from(0)] == [0, 1, 2, 3]


def test_an_append_that_fails_adds_nothing(url: str) -> None:
    database, name = new(url)
    journal = database.create(name, [{"n": 0}])

    def fail(_: list[Any]) -> list[Any]:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        journal.append(1, fail)
    with pytest.raises(ValueError, match="JSON"):
        journal.append(1, lambda _: [{"n": 1}, {"n": float("nan")}])
    assert journal.read_from(0) == [{"n": 0}]
    journal.append(1, lambda _: [{"n": 1}])
    assert len(journal.read_from(0)) == 2


def test_studies_do_not_mix_and_names_are_unique(url: str) -> None:
    database, name = new(url)
    one, two = database.create(name, [{"n": 1}]), database.create(name + "2", [{"n": 2}])
    one.append(1, lambda _: [{"n": 3}])
    assert two.read_from(0) == [{"n": 2}]
    with pytest.raises(ValueError, match="already"):
        database.create(name, [{"n": 9}])
    assert database.names()[-2:] == [name, name + "2"]
    with pytest.raises(ValueError, match="no study called 'nobody'"):
        database.journal("nobody")


def test_a_snapshot_replaces_the_one_before(url: str) -> None:
    database, name = new(url)
    journal = database.create(name, [{"n": 0}])
    assert journal.snapshot() is None
    journal.keep_snapshot(1, b"one")
    journal.keep_snapshot(7, b"two" * 1000)
    assert journal.snapshot() == (7, b"two" * 1000)


def _add(url: str, name: str, count: int) -> None:
    journal, position = Database(url).journal(name), 1

    def count_up(seen: list[dict[str, int]]) -> list[dict[str, int]]:
        nonlocal position
        position += len(seen) + 1
        return [{"n": position - 1}]

    for _ in range(count):
        journal.append(position, count_up)


def test_threads_and_processes_append_one_after_the_other(url: str) -> None:
    database, name = new(url)
    journal = database.create(name, [{"n": 0}])
    context = multiprocessing.get_context("spawn")
    workers: list[Any] = [context.Process(target=_add, args=(url, name, 50)) for _ in range(2)]
    workers += [threading.Thread(target=_add, args=(url, name, 50)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [event["n"] for event in journal.read_from(0)] == list(range(201))


def test_damage_is_told_with_what_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    journal = Database(path, create=True).create("a", [{"n": i} for i in range(10)])
    Database(path).create("b", [{"n": 0}])
    journal.database.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE logts_events SET body = '{\"n\":77}' WHERE position = 6")
    with pytest.raises(JournalError, match=r"event 6 .* is damaged: the 6 before it are whole. .*logts rescue"):
        Database(path).journal("a").read_from(0)
    assert rescue(path, tmp_path / "new.db") == {"a": (6, "damaged"), "b": (1, "")}
    assert Database(tmp_path / "new.db").journal("a").read_from(0) == [{"n": i} for i in range(6)]
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM logts_events WHERE position = 4")
    with pytest.raises(JournalError, match=r"event 4 .* is missing"):
        Database(path).journal("a").read_from(2)


def test_a_torn_file_is_told_with_what_can_be_saved(tmp_path: Path) -> None:
    path, text = tmp_path / "a.db", "x" * 400
    database = Database(path, create=True)
    database.create("a", [{"n": i, "text": text} for i in range(2000)])
    database.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    with pytest.raises(JournalError, match=r"damaged .*logts rescue"):
        Database(path).journal("a").read_from(0)
    saved, trouble = rescue(path, tmp_path / "new.db")["a"]
    assert 500 < saved < 2000
    assert trouble
    kept = Database(tmp_path / "new.db").journal("a").read_from(0)
    assert [event["n"] for event in kept] == list(range(saved))


def test_foreign_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "notes.db", tmp_path / "other.db"
    text.write_text("these are my notes, not a database at all\n" * 100)
    before = text.read_bytes()
    for create in (False, True):
        with pytest.raises(JournalError, match="not a database file"):
            Database(text, create=create)
    assert text.read_bytes() == before
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(JournalError, match="holds no studies"):
        Database(other)
    (tmp_path / "empty.db").touch()
    with pytest.raises(JournalError, match="holds no studies"):
        Database(tmp_path / "empty.db")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "say where"),
        ("missing/folder/a.db", "no file"),
        ("sqlite://", "kept in a file"),
        ("mysql://host/x", "SQLite files or in PostgreSQL"),
        ("://", "not a URL"),
    ],
)
def test_addresses_that_lead_nowhere_are_refused(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Database(url)


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(JournalError, match="the server said"):
        Database("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(JournalError) as told:
        Database("postgresql://nobody:secret@127.0.0.1:1/none")
    assert "secret" not in str(told.value)
