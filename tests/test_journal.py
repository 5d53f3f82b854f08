"""The contract of a store, for every store; and what comes of files that are damaged, foreign or missing."""

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import uuid
import zlib
from pathlib import Path
from typing import Any

import pytest

from logts.journal import JournalError, Snapshots, Store, TakenError, open_store, rescue
from logts.journal.base import CATALOGUE


def new(url: str) -> tuple[Store, str]:
    return open_store(url, create=True), f"study {uuid.uuid4()} 'ß\"; drop"


def test_events_come_back_in_order_and_from_a_position(url: str) -> None:
    store, name = new(url)
    journal = store.create(name, [{"n": 0, "text": "naïve ✓ \"'\\ \n", "x": 0.1 + 0.2}])
    for i in range(1, 5):
        journal.append(i, lambda seen, i=i: [{"n": i}] if not seen else [])  # type: ignore[misc]
    again = open_store(url).journal(name)
    assert [event["n"] for event in again.read_from(0)] == [0, 1, 2, 3, 4]
    assert again.read_from(0)[0] == {"n": 0, "text": "naïve ✓ \"'\\ \n", "x": 0.1 + 0.2}
    assert [event["n"] for event in again.read_from(3)] == [3, 4]
    assert again.read_from(5) == []


def test_an_append_is_shown_what_it_has_not_seen(url: str) -> None:
    store, name = new(url)
    journal = store.create(name, [{"n": 0}])
    other = open_store(url).journal(name)
    other.append(1, lambda _: [{"n": 1}, {"n": 2}])
    shown: list[Any] = []

    def decide(seen: list[Any]) -> list[Any]:
        shown.extend(seen)
        return [{"n": 3}]

    journal.append(1, decide)
    assert shown == [{"n": 1}, {"n": 2}]
    assert [event["n"] for event in journal.read_from(0)] == [0, 1, 2, 3]


def test_an_append_that_fails_adds_nothing(url: str) -> None:
    store, name = new(url)
    journal = store.create(name, [{"n": 0}])

    def fail(_: list[Any]) -> list[Any]:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        journal.append(1, fail)
    with pytest.raises(ValueError, match="JSON"):
        journal.append(1, lambda _: [{"n": 1}, {"n": float("nan")}])
    assert journal.read_from(0) == [{"n": 0}]
    journal.append(1, lambda _: [{"n": 1}])
    assert len(journal.read_from(0)) == 2


def test_nobody_changes_what_was_appended(url: str) -> None:
    store, name = new(url)
    mine = {"n": [0]}
    journal = store.create(name, [mine])
    mine["n"].append(1)
    journal.read_from(0)[0]["n"].append(2)
    assert journal.read_from(0) == [{"n": [0]}]


def test_reading_and_appending_alone_begin_a_journal(url: str) -> None:
    """What the defaults of all else rely on."""
    store, name = new(url)
    assert store.read_from(name, 0) == []
    with pytest.raises(ValueError, match="JSON"):
        store.append(name, 0, lambda _: [{"n": float("nan")}])
    store.append(name + "2", 0, lambda _: [{"n": 2}])
    store.append(name, 0, lambda seen: [{"seen": len(seen)}])
    store.append(name, 0, lambda seen: [{"seen": len(seen)}], durable=False)
    other = open_store(url)
    assert other.read_from(name, 0) == [{"seen": 0}, {"seen": 1}]
    assert other.read_from(name + "2", 0) == [{"n": 2}]


def test_what_is_closed_is_not_lost(url: str) -> None:
    store, name = new(url)
    other = open_store(url)
    journal = store.create(name, [{"n": 0}])
    other.close()
    store.close()
    assert open_store(url).journal(name).read_from(0) == [{"n": 0}]
    journal.append(1, lambda _: [{"n": 1}])
    assert len(other.journal(name).read_from(0)) == 2


def test_studies_do_not_mix_and_names_are_unique(url: str) -> None:
    store, name = new(url)
    one = store.create(name, [{"n": 1}])
    two = store.create(name + "2", [{"n": 2}])
    one.append(1, lambda _: [{"n": 3}])
    assert two.read_from(0) == [{"n": 2}]
    with pytest.raises(TakenError, match="already"):
        store.create(name, [{"n": 9}])
    assert one.read_from(0) == [{"n": 1}, {"n": 3}]
    assert store.names()[-2:] == [name, name + "2"]
    with pytest.raises(ValueError, match="no study called 'nobody'"):
        store.journal("nobody")


def test_a_snapshot_replaces_the_one_before(lasting_url: str) -> None:
    store, name = new(lasting_url)
    assert isinstance(store, Snapshots)
    assert store.snapshot(name) is None
    store.create(name, [{"n": 0}])
    assert store.snapshot(name) is None
    store.keep_snapshot(name, 1, b"one")
    store.keep_snapshot(name, 7, b"two" * 1000)
    assert store.snapshot(name) == (7, b"two" * 1000)


def _add(url: str, name: str, count: int) -> None:
    journal = open_store(url).journal(name)
    position = 1

    def count_up(seen: list[dict[str, int]]) -> list[dict[str, int]]:
        nonlocal position
        position += len(seen) + 1
        return [{"n": position - 1}]

    for _ in range(count):
        journal.append(position, count_up)


def _at_once(url: str, *kinds: Any) -> None:
    """Two of each kind of worker add fifty events each; they come one after the other."""
    store, name = new(url)
    journal = store.create(name, [{"n": 0}])
    workers = [kind(target=_add, args=(url, name, 50)) for kind in kinds for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [event["n"] for event in journal.read_from(0)] == list(range(100 * len(kinds) + 1))


def test_threads_append_one_after_the_other(url: str) -> None:
    _at_once(url, threading.Thread)


def test_threads_and_processes_append_one_after_the_other(lasting_url: str) -> None:
    _at_once(lasting_url, multiprocessing.get_context("spawn").Process, threading.Thread)


def test_of_many_who_begin_a_study_one_does(url: str) -> None:
    store, name = new(url)
    begun: list[int] = []

    def begin(number: int) -> None:
        try:
            open_store(url).create(name, [{"n": number}])
        except TakenError:
            return
        begun.append(number)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.journal(name).read_from(0) == [{"n": number} for number in begun]
    assert store.names().count(name) == len(begun) == 1


def test_a_study_whose_beginner_was_killed_on_the_way_can_be_opened(url: str) -> None:
    store, name = new(url)
    store.append(name, 0, lambda _: [{"n": 0}])  # so far it came
    with pytest.raises(TakenError, match="open it"):
        store.create(name, [{"n": 1}])
    assert store.names().count(name) == 1
    assert open_store(url).journal(name).read_from(0) == [{"n": 0}]


def test_the_list_of_studies_is_no_study() -> None:
    store, name = new(f"memory://{uuid.uuid4()}")
    store.create(name, [{"n": 0}])
    with pytest.raises(ValueError, match="choose another name"):
        store.create(CATALOGUE, [{"n": 0}])
    assert store.names() == [name]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_has_a_copy_of_what_is_in_memory() -> None:
    """A thread is appending when the child begins; the child does not wait for it."""
    store, name = new(f"memory://{uuid.uuid4()}")
    journal = store.create(name, [{"n": 0}])
    held = threading.Event()
    done = threading.Event()

    def hold(_: list[Any]) -> list[Any]:
        held.set()
        done.wait(30.0)
        return [{"n": 1}]

    thread = threading.Thread(target=journal.append, args=(1, hold))
    thread.start()
    held.wait(30.0)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        journal.append(1, lambda _: [{"n": 2}])
        os._exit(0 if journal.read_from(0) == [{"n": 0}, {"n": 2}] else 1)
    ended = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert ended == (child, 0)
    assert journal.read_from(0) == [{"n": 0}, {"n": 1}]


V1 = """
CREATE TABLE logts_studies (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name));
CREATE TABLE logts_events (study INTEGER NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL,
    checksum BIGINT NOT NULL, PRIMARY KEY (study, position)) WITHOUT ROWID;
CREATE TABLE logts_snapshots (study INTEGER NOT NULL, position INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (study));
INSERT INTO logts_studies VALUES (7, 'old');
"""


def _tables(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        found = [
            text for (text,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        ]
    return sorted("".join(text.split()) for text in found)


def test_a_file_of_the_first_version_opens_and_goes_on(tmp_path: Path) -> None:
    """Its tables and rows, as they were written; they have to open for ever."""
    path = tmp_path / "a.db"
    lines = (Path(__file__).parent / "data" / "journal_v1.jsonl").read_text().splitlines()
    with sqlite3.connect(path) as connection:
        connection.executescript(V1)
        rows = [(7, position, line, zlib.crc32(line.encode())) for position, line in enumerate(lines)]
        connection.executemany("INSERT INTO logts_events VALUES (?, ?, ?, ?)", rows)
    before = _tables(path)
    journal = open_store(path).journal("old")
    assert journal.read_from(0) == [json.loads(line) for line in lines]
    journal.append(len(lines), lambda _: [{"text": "naïve ✓", "n": 1}])
    with sqlite3.connect(path) as connection:
        last = connection.execute("SELECT * FROM logts_events ORDER BY position DESC LIMIT 1").fetchone()
    body = '{"text":"naïve ✓","n":1}'
    assert last == (7, len(lines), body, zlib.crc32(body.encode()))
    open_store(path, create=True)
    open_store(tmp_path / "new.db", create=True)
    assert _tables(path) == _tables(tmp_path / "new.db") == before


def test_damage_is_told_with_what_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    journal = open_store(path, create=True).create("a", [{"n": i} for i in range(10)])
    open_store(path).create("b", [{"n": 0}])
    journal.store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE logts_events SET body = '{\"n\":77}' WHERE position = 6")
    with pytest.raises(
        JournalError, match=r"event 6 .* is damaged: the 6 before it are whole. .*logts rescue"
    ):
        open_store(path).journal("a").read_from(0)
    assert rescue(path, tmp_path / "new.db") == {"a": (6, "damaged"), "b": (1, "")}
    assert open_store(tmp_path / "new.db").journal("a").read_from(0) == [{"n": i} for i in range(6)]
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM logts_events WHERE position = 4")
    with pytest.raises(JournalError, match=r"event 4 .* is missing"):
        open_store(path).journal("a").read_from(2)


def test_a_torn_file_is_told_with_what_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    text = "x" * 400
    store = open_store(path, create=True)
    store.create("a", [{"n": i, "text": text} for i in range(2000)])
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    with pytest.raises(JournalError, match=r"damaged .*logts rescue"):
        open_store(path).journal("a").read_from(0)
    saved, trouble = rescue(path, tmp_path / "new.db")["a"]
    assert 500 < saved < 2000
    assert trouble
    kept = open_store(tmp_path / "new.db").journal("a").read_from(0)
    assert [event["n"] for event in kept] == list(range(saved))


def test_foreign_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.db"
    other = tmp_path / "other.db"
    text.write_text("these are my notes, not a database at all\n" * 100)
    before = text.read_bytes()
    for create in (False, True):
        with pytest.raises(JournalError, match="not a database file"):
            open_store(text, create=create)
    assert text.read_bytes() == before
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(JournalError, match="holds no studies"):
        open_store(other)
    (tmp_path / "empty.db").touch()
    with pytest.raises(JournalError, match="holds no studies"):
        open_store(tmp_path / "empty.db")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "say where"),
        ("missing/folder/a.db", "no file"),
        ("sqlite://", "kept in a file"),
        ("sqlite:///:memory:", "kept in a file.*memory://"),
        ("mysql://host/x", "'mysql://host/x' is not a URL of a store.*memory://, postgresql://, sqlite://"),
        ("mysql://me:secret@host/x", r"'mysql://me:\*\*\*@host/x' is not a URL of a store"),
        (
            "postgresql://me:secret@host:port/x",
            r"'postgresql://me:\*\*\*@host:port/x' is not a URL of a database",
        ),
        ("://", "not a URL"),
    ],
)
def test_addresses_that_lead_nowhere_are_refused(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        open_store(url)


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(JournalError, match="the server said"):
        open_store("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(JournalError) as told:
        open_store("postgresql://nobody:secret@127.0.0.1:1/none")
    assert "secret" not in str(told.value)


def test_only_what_is_opened_is_loaded() -> None:
    program = """
import sys
import logts.study
from logts.journal import open_store
open_store("memory://a").create("a", [{"n": 0}])
assert not {name.partition(".")[0] for name in sys.modules} & {"sqlalchemy", "psycopg"}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
