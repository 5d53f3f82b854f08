"""How fast it is, on one page: ``benchmarks/results/speed.md``, with pictures and with its history.

Microseconds a sample as dimensions, arms and trials grow; certified designs and memory as arms grow; beside
plain NumPy (``plain.py``), the pseudo-code to the letter (``naive.py``), and what the machine could do at
most. All of it in one run, so that ratios mean something on a busy machine; figures are the best of some
repetitions that take turns. What would take longer than its share of the time is cut, and the page says so.
"""

import argparse
import cProfile
import json
import math
import os
import platform
import pstats
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit

import naive
import plain
from designs import GAP, game
from logts import Arms, BestArm, LogTS, __version__
from logts.design import solve
from logts.tools.algebra import Array
from logts.tools.compiling import progress
from speed_page import HISTORY, write_page
from ways import soare, sphere

DELTA = 0.1
TRIALS = 3_000  # for each figure, of as many runs as that takes
DIMENSIONS = (2, 4, 8, 16, 32)
ARMS = 100
COUNTS = (10, 100, 1_000, 10_000, 100_000)
DIMENSION = 5
COMPARED = 1_000  # arms, at most, for plain NumPy, whose designs take the square of them
STARTS = (1_000, 10_000, 100_000, 1_000_000)
PIECE = 500
PATIENCE = 15.0  # seconds for a figure, at most
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
START = """
import time
begin = time.perf_counter()
import logts
loaded = time.perf_counter()
arms = logts.Arms([[1, 0], [0, 1], [0.955, 0.296]])
logts.simulate(logts.LogTS, arms, [1, 0], logts.BestArm(), delta=0.1, runs=1, rng=0)
print(loaded - begin, time.perf_counter() - begin)
"""

T = TypeVar("T")
# A program takes arms, their true rates, and trials to make; it returns how many it made in its time.
Program = Callable[[Arms, Array, int, float], int]


def package(arms: Arms, rates: Array, trials: int, patience: float, **settings: Any) -> int:
    """Whole runs, one after the other; the last may be cut off."""
    rng = np.random.default_rng(0)
    end = time.perf_counter() + patience
    made = 0
    while made < trials and time.perf_counter() < end:
        policy = LogTS(arms, BestArm(), delta=DELTA, **settings)
        while policy.verdict is None and made < trials and time.perf_counter() < end:
            asked = policy.ask(policy.block)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
            made += len(asked.arms)
    return made


def plain_numpy(arms: Arms, rates: Array, trials: int, patience: float) -> int:
    rng = np.random.default_rng(0)
    made = 0
    while made < trials:
        made += plain.run(arms.features, rates, DELTA, rng, trials - made)
    return made


def pseudo_code(arms: Arms, rates: Array, trials: int, patience: float) -> int:
    """The first trials of a run: with the history the time for each still grows."""
    end = time.perf_counter() + patience / 5.0
    made = 0
    for _ in naive.steps(arms.features, rates, np.random.default_rng(0)):
        made += 1
        if made >= trials or time.perf_counter() > end:
            break
    return made


PROGRAMS: dict[str, Program] = {
    "logts": package,
    "logts, forecast, no guard": partial(package, stopping="forecast", guard=False),
    "plain NumPy": plain_numpy,
    "pseudo-code": pseudo_code,
}


def clocked(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds and the result of some work; it is done again if something had to be compiled for it."""
    while True:
        compiled = len(progress.seconds)
        begin = time.perf_counter()
        result = work()
        spent = time.perf_counter() - begin
        if len(progress.seconds) == compiled:
            return spent, result


def timed(count: int, d: int, trials: int, repeat: int) -> dict[str, tuple[float, int]]:
    """Microseconds a sample of every program on random arms, and of how many; NaN where not measured."""
    arms, theta = sphere(count, d, 0)
    rates = expit(2.0 * (arms.features @ theta))
    _ = arms.spanning
    found = dict.fromkeys(PROGRAMS, (math.nan, 0))
    for _ in range(repeat):
        for name, program in PROGRAMS.items():
            if name in ("plain NumPy", "pseudo-code") and count > COMPARED:
                continue
            seconds, made = clocked(partial(program, arms, rates, trials, PATIENCE / repeat))
            us = float(np.nanmin([found[name][0], 1e6 * seconds / made]))
            found[name] = us, max(made, found[name][1])
    return found


def lasting(starts: tuple[int, ...]) -> list[float]:
    """Microseconds a sample while an endless study doubles its trials, from each of these on."""
    arms = soare(2, 0.3)
    study = LogTS(arms, BestArm(), delta=1e-300)
    rng = np.random.default_rng(0)
    rates = expit(arms.features @ np.array([0.25, 0.0]))
    found = []
    told = 0
    for start in starts:
        for end in (start, 2 * start):
            begin = time.perf_counter()
            for _ in range((end - told) // PIECE):
                asked = study.ask(PIECE)
                study.tell(asked.ids, rng.random(PIECE) < rates[asked.arms])
            told = end
        found.append(1e6 * (time.perf_counter() - begin) / start)
    return found


def designed(count: int, repeat: int) -> tuple[float, int]:
    """Seconds and scans for a certified design; to build the game is left out."""
    arms, theta = sphere(count, DIMENSION, 0)
    spanning = arms.spanning
    best = math.inf
    for _ in range(repeat):
        played = game(arms, theta, exact=False)
        seconds, found = clocked(partial(solve, played, spanning, tolerance=GAP))
        best = min(best, seconds)
    return best, found.scans


def remembered(count: int) -> tuple[float, float]:
    """Megabytes that a study of a few looks holds, and its peak, beside the features themselves."""
    arms, theta = sphere(count, DIMENSION, 0)
    rates = expit(arms.features @ theta)
    _ = arms.spanning
    rng = np.random.default_rng(0)
    tracemalloc.start()
    policy = LogTS(arms, BestArm(), delta=DELTA)
    for _ in range(3):
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / 1e6, peak / 1e6


def limits() -> dict[str, float]:
    """What this machine reads in a second, by a copy, and multiplies, by a small matrix product."""
    source = np.ones(8_000_000)
    target = np.empty_like(source)
    square = np.ones((256, 256))
    copies, products = [], []
    for _ in range(7):
        begin = time.perf_counter()
        np.copyto(target, source)
        copies.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        _ = square @ square
        products.append(time.perf_counter() - begin)
    return {"GB/s": 2 * source.nbytes / min(copies) / 1e9, "GFLOP/s": 2 * 256**3 / min(products) / 1e9}


def started() -> dict[str, float]:
    """Seconds to import the package, and to its first verdict, with an empty and a filled cache."""

    def start(cache: str) -> tuple[float, float]:
        words = [sys.executable, "-c", START]
        there = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(words, env=there, capture_output=True, text=True, check=True)
        imported, verdict = map(float, done.stdout.split())
        return imported, verdict

    with tempfile.TemporaryDirectory() as cache:
        first = start(cache)
        later = [start(cache) for _ in range(3)]
    return {
        "import logts": min(imported for imported, _ in later),
        "first verdict, nothing compiled": first[1],
        "first verdict, later": min(verdict for _, verdict in later),
    }


def profiled(count: int, d: int) -> list[tuple[str, float]]:
    """Where the time goes: functions by their own time, that of compiled code they call in it."""
    arms, theta = sphere(count, d, 0)
    rates = expit(2.0 * (arms.features @ theta))
    watched = cProfile.Profile()
    watched.runcall(package, arms, rates, TRIALS, PATIENCE / 3)
    stats = pstats.Stats(watched).stats  # type: ignore[attr-defined]  # not in the stubs
    whole = sum(entry[2] for entry in stats.values())
    found = []
    for (file, _, function), entry in stats.items():
        room = file.partition("/logts/")[2].removesuffix(".py").replace("/", ".")
        if not room:
            room = "numpy, scipy, Python" if file != __file__ else "this program"
            function = ""
        found.append((f"{room}.{function}".rstrip("."), entry[2] / whole))
    summed: dict[str, float] = {}
    for name, share in found:
        summed[name] = summed.get(name, 0.0) + share
    return sorted(summed.items(), key=lambda item: -item[1])[:8]


def measure(quick: bool) -> dict[str, Any]:
    """Everything, as plain data."""
    repeat = 2 if quick else 3  # the first loads what was compiled
    trials = 600 if quick else TRIALS
    counts = COUNTS[:3] if quick else COUNTS
    dimensions = DIMENSIONS[:3] if quick else DIMENSIONS
    starts = STARTS[:2] if quick else STARTS
    told = partial(print, flush=True)
    told("steps, as dimensions grow")
    by_d = {d: timed(ARMS, d, trials, repeat) for d in dimensions}
    told("steps, as arms grow")
    by_k = {count: timed(count, DIMENSION, trials, repeat) for count in counts}
    told("steps, as trials grow")
    growth = [
        min(us) for us in zip(*[clocked(partial(lasting, starts))[1] for _ in range(repeat)], strict=True)
    ]
    told("designs, memory, starts")
    played = {count: designed(count, repeat) for count in counts}
    kept = {count: remembered(count) for count in counts}
    rows = [(us["logts"][0], ARMS, d) for d, us in by_d.items()]
    rows += [(us["logts"][0], count, DIMENSION) for count, us in by_k.items()]
    told("profiles")
    slowest = sorted(rows, reverse=True)[:3]
    return {
        "date": date.today().isoformat(),
        "version": __version__,
        "quick": quick,
        "trials": trials,
        "made with": f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}",
        "limits": limits(),
        "d": by_d,
        "K": by_k,
        "t": dict(zip(starts, growth, strict=True)),
        "designs": played,
        "memory": kept,
        "starts": started(),
        "profiles": {f"K = {count:,}, d = {d}": profiled(count, d) for _, count, d in slowest},
    }


def main() -> None:
    """Measure, note it in the history, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing goes into the history")
    parser.add_argument("--page", action="store_true", help="write the page of the last run again")
    parser.add_argument("--out", type=Path, default=HISTORY.parent, help="where the page goes")
    options = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREADS):  # BLAS reads them when it is loaded: start again
        once = {**os.environ, **dict.fromkeys(THREADS, "1")}
        raise SystemExit(subprocess.run([sys.executable, *sys.argv], env=once).returncode)
    history = [json.loads(line) for line in HISTORY.read_text().splitlines()] if HISTORY.exists() else []
    if not options.page:
        begin = time.perf_counter()
        # As it is read back: numbers of arms and dimensions become words.
        found = json.loads(json.dumps({**measure(options.quick), "minutes": 0.0}))
        found["minutes"] = (time.perf_counter() - begin) / 60
        history.append(found)
        if not options.quick:
            with HISTORY.open("a") as file:
                file.write(json.dumps(found) + "\n")
    write_page(history, options.out)


if __name__ == "__main__":
    main()
