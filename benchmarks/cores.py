"""How simulations scale: two processes, and two workers of a Dask cluster on this machine, beside one.

The same runs each time, in turns. Efficiency is the time of one process over twice that of two; the clock
runs from the call to the last row, workers being up and their code compiled. Writes
``benchmarks/results/cores.md``.
"""

import argparse
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import logts
from logts.experiments.instances import best_arm_benchmark
from logts.planning.simulate import Runs

OUT = Path(__file__).parent / "results" / "cores.md"
WAYS = ("one process", "two processes", "two workers")


@contextmanager
def cluster() -> Iterator[str]:
    """A scheduler and two workers of one thread each, on the loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    words = [["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]]
    words += [["worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]] * 2
    silent = subprocess.DEVNULL
    started = [subprocess.Popen([*dask, *said], env=alone, stdout=silent, stderr=silent) for said in words]
    try:
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def ready(address: str) -> None:
    """Wait until both workers are there."""
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)


def measure(runs: int, turns: int) -> list[str]:
    """A row for each instance: the best time of each way, and the efficiencies."""
    rows = []
    for d, guard in ((2, False), (2, True), (10, False), (10, True)):
        world = best_arm_benchmark(d, 0.3)
        make = partial(logts.LogTS, guard=guard)
        go = partial(logts.simulate, make, world.arms, world.theta, world.problem, delta=0.1, rng=0)
        with cluster() as address:
            ready(address)
            ways: dict[str, Callable[..., Runs]] = {
                WAYS[0]: go,
                WAYS[1]: partial(go, jobs=2),
                WAYS[2]: partial(go, cluster=address),
            }
            best = dict.fromkeys(WAYS, float("inf"))
            samples = set()
            for way in ways.values():  # processes start, compiled code is loaded
                way(runs=8)
            for _ in range(turns):
                for name, way in ways.items():
                    begin = time.perf_counter()
                    found = way(runs=runs)
                    best[name] = min(best[name], time.perf_counter() - begin)
                    samples.add(sum(row.samples for row in found))
        assert len(samples) == 1, "the runs do not depend on where they are made"
        alone = best[WAYS[0]]
        shares = " | ".join(f"{best[way]:.2f} s, {alone / (2 * best[way]):.0%}" for way in WAYS[1:])
        rows.append(f"| {d} | {'yes' if guard else 'no'} | {samples.pop():,} | {alone:.2f} s | {shares} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1600)
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    rows = measure(options.runs, options.turns)
    load = os.getloadavg()[0]
    OUT.write_text(
        "# Simulations over cores and machines\n\n"
        f"Made by `python benchmarks/cores.py --runs {options.runs} --turns {options.turns}`, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load average {load:.1f} at the end. "
        "Soare, alpha = .3, the best time of all turns; beside it the "
        "efficiency. Every call connects to the cluster anew, which takes some tenths of a second.\n\n"
        "| d | guard | samples | one process | two processes | two workers of Dask |\n"
        "|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )
    print(OUT.read_text())


if __name__ == "__main__":
    main()
