"""Databases of studies: files of the first version; files that are damaged, foreign or missing; servers."""

import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from logts.journal import JournalError, open_store, rescue

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


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(JournalError, match="the server said"):
        open_store("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(JournalError) as told:
        open_store("postgresql://nobody:secret@127.0.0.1:1/none")
    assert "secret" not in str(told.value)
