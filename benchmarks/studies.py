"""Live studies: pairs of ask and tell a second, one by one, in batches, and by ten processes at once.

Ten million trials asked for at once; memory and opening of a study with very many.

Beside each store, in the same run, what the disk and the server alone would allow: appends of a small event,
and commits of one row by the driver itself. The study has 12 arms in 4 dimensions, with rates so near to each
other that it stays undecided. Every figure is the median of some repetitions that take turns. Writes
``benchmarks/results/studies.md``.
"""

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np

import logts
from kills import stores
from logts.journal import open_store

SINGLE = 400
BATCHES = 20
BATCH = 1000
AT_ONCE = 10**7
WORKERS = 10
OPEN = """
import os, sys, time
import logts, logts.study

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

begin, before = time.perf_counter(), resident()
study = logts.Study.open(sys.argv[1], sys.argv[2])
opened = time.perf_counter() - begin
print(opened, resident() - before, int(study.counts.sum()))
"""

WORK = """
import sys, time
import logts
study = logts.Study.open(sys.argv[1], sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()  # until all are
end, made = time.monotonic() + float(sys.argv[3]), 0
while time.monotonic() < end:
    study.tell(study.ask(), made % 2)
    made += 1
print(made)
"""
MANY = """
import resource, sys, time
sys.path.insert(0, sys.argv[3])
import numpy as np
import logts
from studies import begin
study, rng = begin(sys.argv[1]), np.random.default_rng(0)
study.tell(study.ask(1000), rng.random(1000) < 0.5)
times = [time.perf_counter()]
trials = study.ask(int(sys.argv[2]))
times.append(time.perf_counter())
study.tell(trials, rng.random(len(trials)) < 0.5)
times.append(time.perf_counter())
logts.Study.open(sys.argv[1], study.name).summary()
times.append(time.perf_counter())
print(*np.diff(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def begin(url: str) -> logts.Study:
    arms = logts.Arms(np.random.default_rng(1).normal(size=(12, 4)))
    return logts.Study.create(url, str(uuid.uuid4()), arms=arms, problem=logts.BestArm(), delta=1e-6)


def pairs(study: logts.Study, times: int, batch: int, rng: np.random.Generator) -> None:
    for _ in range(times):
        trials = study.ask(batch)
        study.tell(trials, rng.random(len(trials)) < 0.5)


def a_second(part: Callable[[], None], count: int) -> float:
    start = time.perf_counter()
    part()
    return count / (time.perf_counter() - start)


def appends(url: str, times: int) -> None:
    journal = open_store(url, create=True).create(str(uuid.uuid4()), [{"kind": "created"}])
    for position in range(1, times):
        journal.append(position, lambda _: [{"kind": "told", "ids": [1], "outcomes": [1]}])


def commits(url: str, times: int, folder: Path) -> None:
    """The driver by itself: a row, a commit."""
    if "://" in url:
        import psycopg

        with psycopg.connect(url) as server:
            server.execute("CREATE TABLE IF NOT EXISTS bare (x text)")
            for _ in range(times):
                server.execute("INSERT INTO bare VALUES ('x')")
                server.commit()
        return
    import sqlite3

    file = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for line in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE IF NOT EXISTS bare (x text)",
    ):
        file.execute(line)
    for _ in range(times):
        file.execute("INSERT INTO bare VALUES ('x')")
    file.close()


def throughput(url: str, folder: Path, repeat: int) -> list[float]:
    study = begin(url)
    rng = np.random.default_rng(0)
    found = []
    pairs(study, 20, 50, rng)  # past the first trials, between which the evidence is looked at most often
    for _ in range(repeat):
        found.append(
            (
                a_second(lambda: pairs(study, SINGLE, 1, rng), SINGLE),
                a_second(lambda: pairs(study, BATCHES, BATCH, rng), BATCHES * BATCH),
                a_second(lambda: appends(url, SINGLE), SINGLE),
                a_second(lambda: commits(url, SINGLE, folder), SINGLE),
            )
        )
    study.close()
    return [statistics.median(column) for column in zip(*found, strict=True)]


def together(url: str, seconds: float) -> list[float]:
    """Pairs a second of ten processes on one study: all, and of the one that made least and most."""
    study = begin(url)
    pairs(study, 20, 50, np.random.default_rng(0))
    study.close()
    words = [sys.executable, "-c", WORK, url, study.name, str(seconds)]
    pipe = subprocess.PIPE
    workers = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for _ in range(WORKERS)]
    for worker in workers:
        if worker.stdout is not None:
            worker.stdout.readline()
    for worker in workers:
        if worker.stdin is not None:
            worker.stdin.write("go\n")
            worker.stdin.flush()
    made = [int(worker.communicate()[0]) for worker in workers]
    return [sum(made) / seconds, min(made) / seconds, max(made) / seconds]


def at_once(url: str) -> list[float]:
    """Seconds to ask for very many trials at once, to tell them, to open the study; memory in the end."""
    words = [sys.executable, "-c", MANY, url, str(AT_ONCE), str(Path(__file__).parent)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def million(url: str, trials: int) -> list[float]:
    """Make a study of so many trials; the last thousand one by one, so that opening has events to replay."""
    study = begin(url)
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    pairs(study, trials // BATCH, BATCH, rng)
    spent = time.perf_counter() - start
    pairs(study, 990, 1, rng)
    study.close()
    words = [sys.executable, "-c", OPEN, url, study.name]
    seen = [
        list(map(float, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()))
        for _ in range(3)
    ]
    opened, memory, counted = (statistics.median(column) for column in zip(*seen, strict=True))
    return [counted, spent, opened, memory, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--trials", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "studies.md")
    given = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    lines = ["# Live studies", "", " ".join((__doc__ or "").split("\n\n")[1].split()), ""]
    lines += [
        f"Python {platform.python_version()}, {os.cpu_count()} cores.",
        "",
        "## Pairs of ask and tell a second",
        "",
    ]
    lines += [
        f"| store | one by one | in batches of {BATCH} | appends of one event | bare commits of one row |",
        "|---|--:|--:|--:|--:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for store, url in stores(Path(folder)).items():
            found = throughput(url, Path(folder), given.repeat)
            lines.append(f"| {store} | {' | '.join(f'{value:,.0f}' for value in found)} |")
            print(lines[-1], flush=True)
        lines += [
            "",
            "A pair is two appends; the second waits for the disk, and a bare commit does.",
            "",
            f"## {WORKERS} processes on one study, pairs a second",
            "",
            "| store | all | the one that made least | most |",
            "|---|--:|--:|--:|",
        ]
        for store, url in stores(Path(folder)).items():
            found = together(url, given.seconds)
            lines.append(f"| {store} | {' | '.join(f'{value:,.0f}' for value in found)} |")
            print(lines[-1], flush=True)
        lines += [
            "",
            f"## {AT_ONCE:,} trials in one ask and one tell",
            "",
            "| store | ask in s | tell in s | open in s | memory of the process, MB |",
            "|---|--:|--:|--:|--:|",
        ]
        for store, url in stores(Path(folder)).items():
            found = at_once(url)
            lines.append(f"| {store} | {' | '.join(f'{value:,.1f}' for value in found)} |")
            print(lines[-1], flush=True)
        lines += [
            "",
            f"## {given.trials:,} trials",
            "",
        ]
        lines += [
            "| store | trials | made in s | opened in s | memory of the opened study, MB | of the process "
            "that made it, MB |"
        ]
        lines += ["|---|--:|--:|--:|--:|--:|"]
        for store, url in stores(Path(folder)).items():
            for trials in (1_000, given.trials):
                counted, spent, opened, memory, process = million(url, trials)
                lines.append(
                    f"| {store} | {counted:,.0f} | {spent:.0f} | {opened:.2f} | {memory:.0f} | {process:.0f} "
                    "|"
                )
                print(lines[-1], flush=True)
    lines += ["", "Reproduce: `python benchmarks/studies.py`.", ""]
    given.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
