"""One study used by many: all of a process, its threads, and its children."""

import os
import threading
import time
import uuid
from pathlib import Path

import numpy as np
import pytest

import logts
from tests.studies import ARMS, RATES, begin, bits, fresh


def test_a_study_in_memory_is_there_for_all_who_open_it_in_this_process() -> None:
    url = f"memory://{uuid.uuid4()}"
    with pytest.raises(ValueError, match=f"{url} holds 0 studies; say which: there are none yet"):
        logts.Study.open(url)
    with logts.Study.create(url, "mine", arms=ARMS, problem=logts.BestArm()) as study:
        study.tell(study.ask(3), [1, 0, 1])
    with logts.Study.open(url) as other:
        assert (other.where, other.name) == (url, "mine")
        assert other.counts.sum() == 3
    opened = logts.Study.open(url, "mine")
    study.tell(study.ask(), 1)
    assert opened.counts.sum() == 4
    assert logts.Study.list(url) == ["mine"]
    assert logts.Study.list(url + "2") == []
    with pytest.raises(ValueError, match="holds a study called 'mine' already"):
        logts.Study.create(url, "mine", arms=ARMS, problem=logts.BestArm())
    with pytest.raises(ValueError, match="holds no study called 'other'; there are: mine"):
        logts.Study.open(url, "other")


def test_threads_share_a_study(url: str) -> None:
    study = begin(url, delta=1e-6)
    seen: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(15):
            trials = study.ask(3)
            seen.extend(trial.id for trial in trials)
            study.tell(trials, rng.random(3) < RATES[[trial.number for trial in trials]])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(180))
    assert study.counts.sum() == 180
    assert bits(fresh(study)) == bits(study._read())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_works_on_connections_of_its_own(lasting_url: str) -> None:
    study = begin(lasting_url)
    study.tell(study.ask(4), [1, 0, 1, 0])
    child = os.fork()
    if child == 0:
        try:
            study.tell(study.ask(4), [1, 1, 1, 1])
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    study.tell(study.ask(4), [0, 0, 0, 0])
    assert study.counts.sum() == 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_that_did_not_come_along(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"))
    held = threading.Event()
    done = threading.Event()

    def hold() -> None:
        with study._lock:
            held.set()
            done.wait(30.0)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30.0)
    child = os.fork()
    if child == 0:
        study.tell(study.ask(2), [1, 0])
        os._exit(0)
    end = time.monotonic() + 30.0
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.02)
    done.set()
    thread.join()
    assert ended == (child, 0)
    assert study.counts.sum() == 2
