"""Work over processes and over a real cluster."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import logts
from logts.tools.parallel import run_all, watched


def slow_square(number: int, folder: str) -> tuple[int, int]:
    """Leaves a mark, so that a test can see which worker is at it."""
    Path(folder, f"{number}.{os.getpid()}").touch()
    time.sleep(0.2)
    return number, number**2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    folder = tmp_path_factory.mktemp("dask")
    root = Path(__file__).parent.parent  # so that workers find this module, and the package that is tested
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
    dask = [sys.executable, "-m", "dask"]
    options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]

    def start(*words: str) -> subprocess.Popen[bytes]:
        silent = subprocess.DEVNULL
        return subprocess.Popen([*dask, *words], env=environment, cwd=folder, stdout=silent, stderr=silent)

    scheduler = start("scheduler", *options)
    worker = ["worker", address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"]
    workers = [start(*worker) for _ in range(2)]
    yield address, workers
    for process in [*workers, scheduler]:
        process.kill()
        process.wait()


def test_processes_give_every_result() -> None:
    tasks = [(base, 2) for base in range(20)]
    assert (
        sorted(run_all(pow, tasks, jobs=2)) == sorted(run_all(pow, tasks)) == [base**2 for base in range(20)]
    )


def test_a_progress_bar_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(iter(range(5)), 5, "things", show=True)) == list(range(5))
    assert capsys.readouterr().out == ""


def test_a_cluster_gives_the_runs_of_one_process_and_survives_a_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    arms = logts.Arms([[1, 0], [0, 1], [0.7, 0.7]])
    local, remote = (
        logts.simulate(
            logts.LogTS, arms, [1.0, 0.0], logts.BestArm(), delta=0.1, runs=6, rng=4, cluster=where
        )
        for where in (None, address)
    )
    assert [(row.run, row.samples, row.counts) for row in remote] == [
        (row.run, row.samples, row.counts) for row in local
    ]
    found = {}
    for number, square in run_all(slow_square, [(n, str(tmp_path)) for n in range(12)], cluster=address):
        found[number] = square
        if len(found) == 3:
            workers[0].kill()
    assert found == {n: n**2 for n in range(12)}
    marks = {mark.suffix for mark in tmp_path.iterdir()}
    assert len(marks) == 2  # both workers were at it before one died


def test_an_absent_scheduler_is_named() -> None:
    with pytest.raises(ValueError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        list(run_all(pow, [(1, 2)], cluster="tcp://127.0.0.1:9"))
