"""The contract of a store, for every store; and addresses that lead nowhere."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import uuid
from typing import Any

import pytest

from logts.journal import Snapshots, Store, TakenError, open_store
from logts.journal.base import CATALOGUE


def new(url: str) -> tuple[Store, str]:
    return open_store(url, create=True), f"study {uuid.uuid4()} 'ß\"; drop"


def test_events_come_back_in_order_and_from_a_position(url: str) -> None:
    store, name = new(url)
    journal = store.create(name, [{"n": 0, "text": "naïve ✓ \"'\\ \n", "x": 0.1 + 0.2}])
    for i in range(1, 5):
        journal.append(i, lambda seen, i=i: [{"n": i}] if not seen else [])  # type: ignore[misc]  # i is bound early
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


def test_what_is_decided_already_is_added_if_nothing_is_new(url: str) -> None:
    store, name = new(url)
    store.create(name, [{"n": 0}])
    journal, other = (open_store(url).journal(name) for _ in range(2))
    assert len(journal.read_from(0)) == len(other.read_from(0)) == 1
    assert journal.add(1, [{"n": 1}])
    assert not other.add(1, [{"n": 99}])  # somebody was faster
    assert not other.add(1, [{"n": 99}, {"n": 98}], durable=False)
    assert other.add(2, [{"n": 2}, {"n": 3}])
    assert journal.add(4, [{"n": 4}], durable=False)
    with pytest.raises(ValueError, match="JSON"):
        journal.add(5, [{"n": float("nan")}])
    assert [event["n"] for event in journal.read_from(0)] == [0, 1, 2, 3, 4]


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


def _add_quickly(url: str, name: str, count: int) -> None:
    """Add events, each in the place that is free when it comes there."""
    journal = open_store(url).journal(name)
    position = 1
    for _ in range(count):
        position += len(journal.read_from(position))
        while not journal.add(position, [{"n": position}]):
            position += len(journal.read_from(position))


def test_who_adds_and_who_appends_come_one_after_the_other(url: str) -> None:
    store, name = new(url)
    journal = store.create(name, [{"n": 0}])
    threads = [threading.Thread(target=work, args=(url, name, 40)) for work in (_add, _add_quickly) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event["n"] for event in journal.read_from(0)] == list(range(161))


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
