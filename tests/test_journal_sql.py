"""Databases of studies: files of the first version; files that are damaged, foreign or missing; servers."""

import json
import sqlite3
import uuid
import zlib
from pathlib import Path

import psycopg
import pytest

from logts.journal import JournalError, Snapshots, TakenError, open_store, rescue

V1 = """
CREATE TABLE logts_studies (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name));
CREATE TABLE logts_events (study INTEGER NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL,
    checksum BIGINT NOT NULL, PRIMARY KEY (study, position)) WITHOUT ROWID;
CREATE TABLE logts_snapshots (study INTEGER NOT NULL, position INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (study));
INSERT INTO logts_studies VALUES (7, 'old');
"""
LENGTHS = """
CREATE TABLE logts_lengths (study INTEGER NOT NULL, events BIGINT NOT NULL, checksum BIGINT NOT NULL,
    PRIMARY KEY (study))
"""


def change(path: Path, *statements: str) -> None:
    """Do something to a file that logts would not do."""
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def ten(path: Path) -> None:
    """A file with a study of ten events, and another one."""
    store = open_store(path, create=True)
    store.create("a", [{"n": i} for i in range(10)])
    store.create("b", [{"n": 0}])
    store.close()


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
    assert _tables(path) == _tables(tmp_path / "new.db") == sorted([*before, "".join(LENGTHS.split())])


def test_a_file_of_the_first_version_that_is_only_read_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(V1)
        connection.execute("INSERT INTO logts_events VALUES (7, 0, '{}', ?)", [zlib.crc32(b"{}")])
    before = path.read_bytes()
    assert open_store(path).journal("old").read_from(0) == [{}]
    assert path.read_bytes() == before
    assert rescue(path, tmp_path / "new.db") == {"old": (1, None, "")}
    store = open_store(path)
    store.append("old", 1, lambda _: [{"n": 1}, {"n": 2}])
    store.close()
    change(path, "DELETE FROM logts_events WHERE position = 2")  # from now on this is noticed
    with pytest.raises(JournalError, match=r"event 2 .* is missing: the 2 before it are whole, of 3 in all"):
        open_store(path).journal("old").read_from(0)


def test_what_an_older_version_appended_counts(tmp_path: Path) -> None:
    """It does not write down how many events there are now."""
    path = tmp_path / "a.db"
    ten(path)
    change(path, f"INSERT INTO logts_events VALUES (1, 10, '{{}}', {zlib.crc32(b'{}')})")
    journal = open_store(path).journal("a")
    assert len(journal.read_from(0)) == 11
    assert journal.read_from(11) == []
    journal.append(11, lambda _: [{"n": 11}])
    assert len(journal.read_from(0)) == 12


def test_damage_is_told_with_what_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ten(path)
    change(path, "UPDATE logts_events SET body = '{\"n\":77}' WHERE position = 6")
    with pytest.raises(
        JournalError, match=r"event 6 .* is damaged: the 6 before it are whole, of 10 .*logts rescue"
    ):
        open_store(path).journal("a").read_from(0)
    assert rescue(path, tmp_path / "new.db") == {"a": (6, 10, "damaged"), "b": (1, 1, "")}
    assert open_store(tmp_path / "new.db").journal("a").read_from(0) == [{"n": i} for i in range(6)]
    change(path, "DELETE FROM logts_events WHERE position = 4")
    with pytest.raises(JournalError, match=r"event 4 .* is missing"):
        open_store(path).journal("a").read_from(2)


@pytest.mark.parametrize(
    ("statement", "said", "saved"),
    [
        ("UPDATE logts_events SET study = 3 WHERE study = 1 AND position = 4", "event 4 .* missing", 4),
        ("UPDATE logts_events SET study = 3 WHERE study = 1 AND position = 9", "event 9 .* missing", 9),
        ("UPDATE logts_events SET position = 11 WHERE study = 1 AND position = 9", "event 9 .* missing", 9),
        ("DELETE FROM logts_events WHERE study = 1 AND position > 6", "event 7 .* missing.* of 10 in all", 7),
        ("UPDATE logts_events SET body = x'7b7d' WHERE study = 1 AND position = 4", "event 4 .* damaged", 4),
        ("UPDATE logts_events SET body = 5 WHERE study = 1 AND position = 4", "event 4 .* damaged", 4),
        ("UPDATE logts_lengths SET events = 2 WHERE study = 1", "noted about a study.*logts rescue", 10),
        ("UPDATE logts_lengths SET events = 'x' WHERE study = 1", "noted about a study.*logts rescue", 10),
    ],
)
def test_events_that_are_missing_anywhere_are_told(
    tmp_path: Path, statement: str, said: str, saved: int
) -> None:
    path = tmp_path / "a.db"
    ten(path)
    change(path, statement)
    with pytest.raises(JournalError, match=said):
        open_store(path).read_from("a", 0)
    with pytest.raises(JournalError, match=said):
        open_store(path).append("a", min(saved, 4), lambda _: [{"n": 99}])
    found = rescue(path, tmp_path / "new.db")["a"]
    assert found.events == saved
    assert found.written == 10 if found.trouble else found.written is None
    assert open_store(tmp_path / "new.db").read_from("a", 0) == [{"n": i} for i in range(saved)]


def test_a_study_whose_number_or_name_is_damaged_is_told_and_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ten(path)
    change(path, "UPDATE logts_studies SET id = 5 WHERE name = 'a'")
    with pytest.raises(JournalError, match=r"noted about a study.*logts rescue"):
        open_store(path).journal("a").read_from(0)
    saved = rescue(path, tmp_path / "new.db")
    assert saved["b"] == (1, 1, "")
    assert saved["study 1, whose name is lost"] == (10, None, "")
    assert saved["a"].events == 0
    change(
        path,
        "UPDATE logts_studies SET id = 1 WHERE name = 'a'",
        "UPDATE logts_studies SET name = 'c' WHERE id = 1",
    )
    with pytest.raises(JournalError, match=r"noted about a study.*logts rescue"):
        open_store(path).journal("c").read_from(0)
    assert rescue(path, tmp_path / "newer.db")["c"] == (10, None, "")
    change(path, "UPDATE logts_studies SET name = x'80' WHERE id = 1")
    with pytest.raises(JournalError, match=r"noted about a study.*logts rescue"):
        open_store(path).names()
    assert rescue(path, tmp_path / "newest.db")["study 1, whose name is lost"] == (10, None, "")


def test_a_damaged_snapshot_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ten(path)
    for damage in ("position = 6", "body = 'text'", "body = 7", "study = 2", "position = 'x'"):
        store = open_store(path)
        assert isinstance(store, Snapshots)
        store.keep_snapshot("a", 4, b"state")
        assert store.snapshot("a") == (4, b"state")
        store.close()
        change(path, "DELETE FROM logts_snapshots WHERE study = 2", f"UPDATE logts_snapshots SET {damage}")
        assert store.snapshot("a") is None
        assert store.snapshot("b") is None


def test_what_was_set_back_is_told_before_anything_is_written(tmp_path: Path) -> None:
    """An older copy of the file took its place, or a server forgot its last moments."""
    path = tmp_path / "a.db"
    ten(path)
    before = path.read_bytes()
    store = open_store(path)
    store.append("a", 10, lambda _: [{"n": 10}])
    store.close()
    path.write_bytes(before)
    with pytest.raises(
        JournalError, match="was set back: 11 of its events were seen here, and now it has 10"
    ):
        store.append("a", 11, lambda _: [{"n": 11}])
    assert len(store.read_from("a", 0)) == 10


def test_a_name_is_taken_though_the_index_of_names_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ten(path)
    whole = path.read_bytes()
    entry = bytes([3, 15, 9]) + b"a"  # in the index: a text of one letter, and the number 1
    assert whole.count(entry) == 1
    path.write_bytes(whole.replace(entry, entry[:3] + b"c"))
    store = open_store(path)
    assert store.names() == ["a", "b"]
    assert len(store.journal("a").read_from(0)) == 10
    with pytest.raises(TakenError):
        store.create("a", [{"n": 0}])


@pytest.mark.parametrize(
    "what", [b"SQLite format", b"CREATE TABLE logts_events", b"logts_studieslogts_studies"]
)
def test_a_flipped_bit_at_the_beginning_takes_nothing(tmp_path: Path, what: bytes) -> None:
    path = tmp_path / "a.db"
    ten(path)
    whole = bytearray(path.read_bytes())
    whole[whole.index(what) + len(what) - 2] ^= 64
    path.write_bytes(whole)
    with pytest.raises(JournalError, match="logts rescue"):
        open_store(path).journal("a").read_from(0)
    assert rescue(path, tmp_path / "new.db") == {"a": (10, 10, ""), "b": (1, 1, "")}
    assert path.read_bytes() == whole


def test_nothing_to_save_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ten(path)
    path.write_bytes(path.read_bytes()[:4096])
    with pytest.raises(JournalError, match=r"nothing in .* can be read"):
        rescue(path, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


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
    saved, written, trouble = rescue(path, tmp_path / "new.db")["a"]
    assert 500 < saved < 2000
    assert written in (None, 2000)
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


def test_a_server_that_was_restarted_meanwhile_is_connected_to_again(postgresql: str) -> None:
    store = open_store(postgresql, create=True)
    journal = store.create(str(uuid.uuid4()), [{"n": 0}])
    for _ in range(2):
        _end_connections(postgresql)
        journal.append(1, lambda seen: [{"n": len(seen) + 1}])
    _end_connections(postgresql)
    assert [event["n"] for event in journal.read_from(0)] == [0, 1, 2]


def _end_connections(server: str) -> None:
    """As a restart would."""
    with psycopg.connect(server) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "  # and wait until they have ended
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
