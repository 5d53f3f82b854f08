"""How long simulated runs take for each trial, rule by rule, beside plain NumPy (``plain.py``).

Arms are those of Soare's example, or uniform on the sphere with a parameter that ends within a sensible
number of trials. Every figure is the best of some repetitions of the same whole runs, after one that
compiles; rules and plain NumPy take turns, so that other work on the machine hits them alike. Two small
tables follow: time and memory as a study grows, and the first start. Writes ``benchmarks/results/runs.md``.
"""

import argparse
import itertools
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import expit

import plain
from designs import instance
from logts import Arms, BestArm, LogTS, lower_bound, simulate
from logts.tools.algebra import Array
from ways import soare

DELTA = 0.1
SEED = 0
BUDGET = 100_000  # trials, at most, in a run: a time for each trial needs no verdict
# characteristic times between which a random instance must lie
EASY = 300.0
HARD = 600.0
PIECE = 1_000  # trials asked for at a time while a study grows, so that what one piece needs stays the same
PLAIN = "forecast, no guard"  # the rule that plain NumPy follows
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
START = """
import time
begin = time.perf_counter()
import logts
loaded = time.perf_counter()
arms = logts.Arms([[1, 0], [0, 1], [0.955, 0.296]])
logts.simulate(logts.LogTS, arms, [1, 0], logts.BestArm(), delta=0.1, runs=1, rng=0)
print(loaded - begin, time.perf_counter() - loaded)
"""


class OneByOne(LogTS):
    """Asks for one trial at a time, as a live study does."""

    @property
    def block(self) -> int:
        return 1


@dataclass(frozen=True)
class World:
    """Arms and the true parameter, and how many runs to average."""

    arms: Arms
    theta: Array
    runs: int

    @property
    def rates(self) -> Array:
        return expit(self.arms.features @ self.theta)

    @property
    def rules(self) -> dict[str, Callable[..., LogTS]]:
        """Every stopping rule, told what it wants to know about the truth."""
        radius = float(np.linalg.norm(self.theta))
        rates = self.rates
        known = partial(LogTS, max_trials=BUDGET, radius=radius)
        return {
            "evidence": partial(LogTS, max_trials=BUDGET),
            "evidence, no guard": partial(LogTS, max_trials=BUDGET, guard=False),
            "the same, one by one": partial(OneByOne, max_trials=BUDGET, guard=False),
            PLAIN: partial(LogTS, max_trials=BUDGET, stopping="forecast", guard=False),
            "stylized": partial(LogTS, max_trials=BUDGET, stopping="stylized"),
            "likelihood-ratio": partial(known, stopping="likelihood-ratio"),
            "paper-practical": partial(known, stopping="paper-practical"),
            "paper": partial(known, stopping="paper", kappa=float((1.0 / (rates * (1.0 - rates))).max())),
        }


@dataclass
class Measured:
    """Trials of each run, and the least time for each trial over the repetitions."""

    samples: Array
    best: float = math.inf

    def __str__(self) -> str:
        mean = f"{self.samples.mean():,.0f}"
        cut = int((self.samples >= BUDGET).sum())
        if cut:
            return f"{mean} ({cut} of {len(self.samples)} cut off)"
        return f"{mean} ± {self.samples.std(ddof=1) / math.sqrt(len(self.samples)):,.0f}"


def characteristic_time(arms: Arms, theta: Array) -> float:
    return lower_bound(arms, theta, BestArm(), DELTA, tolerance=0.01).characteristic_time


def on_sphere(count: int, d: int, norm: float) -> tuple[Arms, Array]:
    """The first random instance that is neither trivial nor endless."""
    drawn = (instance(count, d, seed) for seed in itertools.count())
    scaled = ((arms, norm * direction) for arms, direction in drawn)
    return next(world for world in scaled if EASY < characteristic_time(*world) < HARD)


def worlds(quick: bool) -> list[World]:
    less = 5 if quick else 1
    return [
        World(soare(2, 0.3), np.eye(2)[0], 40 // less),
        World(*on_sphere(100, 2, 2.0), 10 // less),
        World(soare(6, 0.3), np.eye(6)[0], 15 // less),
        World(*on_sphere(100, 10, 2.0), 10 // less),
        World(*on_sphere(1_000, 20, 4.0), 2),
    ]


def run_package(rule: Callable[..., LogTS], world: World, runs: int) -> tuple[Array, float]:
    rows = simulate(rule, world.arms, world.theta, BestArm(), delta=DELTA, runs=runs, rng=SEED)
    return np.array([row.samples for row in rows]), sum(row.seconds for row in rows)


def run_plain(world: World, runs: int) -> tuple[Array, float]:
    streams = np.random.default_rng(SEED).spawn(runs)
    features = world.arms.features
    rates = world.rates
    begin = time.perf_counter()
    samples = [plain.run(features, rates, DELTA, stream, BUDGET) for stream in streams]
    return np.array(samples), time.perf_counter() - begin


def measure(world: World, repetitions: int) -> dict[str, Measured]:
    """Time every rule, and plain NumPy, in turns."""
    jobs: dict[str, Callable[[int], tuple[Array, float]]] = {
        name: partial(run_package, rule, world) for name, rule in world.rules.items()
    }
    for job in jobs.values():
        job(1)  # compile
    jobs["plain"] = partial(run_plain, world)
    found: dict[str, Measured] = {}
    for _ in range(repetitions):
        for name, job in jobs.items():
            samples, seconds = job(world.runs)
            entry = found.setdefault(name, Measured(samples))
            entry.best = min(entry.best, seconds / samples.sum())
    return found


def rule_lines(world: World, repetitions: int) -> list[str]:
    found = measure(world, repetitions)
    reference = found.pop("plain")
    about = (
        f"{world.arms.dimension} | {len(world.arms):,} | {characteristic_time(world.arms, world.theta):.0f}"
    )
    lines = []
    for name, ours in found.items():
        beside = (
            f"{reference} | {1e6 * reference.best:.0f} | {reference.best / ours.best:.0f}x"
            if name == PLAIN
            else "- | - | -"
        )
        lines.append(f"| {about} | {name} | {ours} | {1e6 * ours.best:.2f} | {beside} |")
    return lines


def grow(starts: Sequence[int]) -> list[tuple[float, int, int]]:
    """Seconds, and if traced memory held and its peak, while an endless study doubles its trials."""
    arms = soare(2, 0.3)
    theta = np.array([0.25, 0.0])
    study = LogTS(arms, BestArm(), delta=1e-300)
    rng = np.random.default_rng(SEED)
    rates = expit(arms.features @ theta)
    found = []
    told = 0
    for start in starts:
        for end in (start, 2 * start):
            tracemalloc.reset_peak()
            begin = time.perf_counter()
            for _ in range((end - told) // PIECE):
                asked = study.ask(PIECE)
                study.tell(asked.ids, rng.random(PIECE) < rates[asked.arms])
            told = end
        found.append((time.perf_counter() - begin, *tracemalloc.get_traced_memory()))
    return found


def growth_lines(quick: bool) -> list[str]:
    """Time for each trial, and memory, as a study grows."""
    starts = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    timed = [min(column) for column in zip(*[grow(starts) for _ in range(3)], strict=True)]
    tracemalloc.start()  # tracing takes time of its own
    traced = grow(starts)
    tracemalloc.stop()
    return [
        f"| {start:,} to {2 * start:,} | {1e6 * seconds / start:.2f} | {held / 1024:.0f} kB | "
        f"{peak / 1024:.0f} kB |"
        for start, (seconds, _, _), (_, held, peak) in zip(starts, timed, traced, strict=True)
    ]


def start_lines() -> list[str]:
    """Seconds to import the package and for its first run, in processes of their own."""

    def start(cache: str) -> tuple[float, float]:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(
            [sys.executable, "-c", START], env=environment, capture_output=True, text=True, check=True
        )
        loading, running = map(float, done.stdout.split())
        return loading, running

    with tempfile.TemporaryDirectory() as cache:
        first = start(cache)
        later = min((start(cache) for _ in range(3)), key=sum)
    named = {"empty": first, "filled": later}
    return [f"| {name} | {loading:.1f} s | {running:.1f} s |" for name, (loading, running) in named.items()]


def table(title: str, head: str, groups: list[Callable[[], list[str]]]) -> str:
    """Print a table while it grows, and return it."""
    lines = [f"## {title}", "", head, "|---" * (head.count("|") - 1) + "|"]
    print("\n".join(lines))
    for group in groups:
        lines += (more := group())
        print("\n".join(more), flush=True)
    print()
    return "\n".join(lines) + "\n\n"


def main() -> None:
    """Fill the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs and repetitions")
    parser.add_argument("--threads", type=int, default=1, help="threads for BLAS")
    options = parser.parse_args()
    chosen = dict.fromkeys(THREADS, str(options.threads))
    # BLAS reads them when it is loaded: start again.
    if any(os.environ.get(name) != value for name, value in chosen.items()):
        raise SystemExit(subprocess.run([sys.executable, *sys.argv], env={**os.environ, **chosen}).returncode)
    repetitions = 2 if options.quick else 3
    text = (
        f"# Whole runs at delta = {DELTA:g}: time for each trial\n\n"
        f"Made by `python {' '.join(['benchmarks/runs.py', *sys.argv[1:]])}` with Python "
        f"{platform.python_version()}, "
        f"NumPy {np.__version__}, on {platform.machine()}, BLAS threads: {options.threads}. Microseconds are "
        "the best of "
        f"{repetitions} repetitions of the same runs; drawing the outcomes is included. At most {BUDGET:,} "
        "trials a run. "
        "± is a standard error. Trials are asked for up to the next look at the evidence at once, except one "
        "by one; plain NumPy "
        "goes trial by trial.\n\n"
    )
    text += table(
        "Rules",
        "| d | K | T* | rule | trials | µs a trial | plain NumPy: trials | µs a trial | plain / logts |",
        [partial(rule_lines, world, repetitions) for world in worlds(options.quick)],
    )
    text += table(
        "A long study",
        "| trials | µs a trial | memory held | peak within |",
        [partial(growth_lines, options.quick)],
    )
    text += table("The first start", "| cache of compiled code | import logts | first run |", [start_lines])
    Path(__file__).with_name("results").joinpath("runs.md").write_text(text.rstrip() + "\n")


if __name__ == "__main__":
    main()
