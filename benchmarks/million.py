"""Very many options: whole studies among a million of them, until the verdict.

Arms on the sphere in 20 dimensions, one of them clearly the best; names alone; comparisons of every two of
300 items. Each in a process of its own, so that its peak of memory is its own; one thread. Writes
``benchmarks/results/million.md``.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from logts import Arms, BestArm, LogTS, __version__, simulate
from logts.tools.algebra import Array

DELTA = 0.1
DIMENSION = 20
MILLION = 1_000_000
# The second has its features in a file, in half the precision, mapped into memory.
STUDIES = (
    "features",
    "features in a file",
    "features, no guard",
    "10,000 names",
    "100,000 names",
    "pairs of 300",
)
LIMIT = 120.0  # seconds of a study, at most
SINGLES = 50  # asks one by one, in the middle of a study
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
ABOUT = f"""
Made by `python benchmarks/million.py` on {date.today()} with logts {__version__}, Python
{platform.python_version()}, NumPy {np.__version__}, {platform.machine()}. Whole studies, best arm, delta =
{DELTA}, with the guard unless said otherwise. Features of {DIMENSION} dimensions: one option succeeds in 92%,
all others in at most 82%; *in a file*: float32, mapped into memory. Names: one succeeds in 90%, the others in
10 to 50%. Pairs: comparisons of items, the best of which is a logit ahead. / Seconds of the processor, one
thread. *Asks* and *looks* are all that was spent in `ask` and in `tell`; *one ask* is the median of {SINGLES}
made one by one in the middle. A study
ends without a verdict after {LIMIT:.0f} seconds. *Peak* holds Python, NumPy and the features as well:
{MILLION * DIMENSION * 8 // 10**6} MB where they are a million in memory, and as much in the package's own
coordinates.
"""


def sphere(count: int, d: int) -> tuple[Array, Array]:
    """Arms on the sphere and their rates: one of 0.92, the others at most 0.82."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, d))
    x /= np.linalg.norm(x, axis=1)[:, None]
    x[x[:, 0] > 0.6] *= 0.6
    x[0] = np.eye(d)[0]
    return x, expit(2.5 * x[:, 0])


def instance(name: str, count: int, folder: Path) -> tuple[Any, Array]:
    """How the arms are made, and their rates."""
    if name.startswith("features"):
        points, rates = sphere(count, DIMENSION)
        if "file" not in name:
            return (lambda: Arms(points)), rates
        file = folder / "features.npy"
        np.save(file, points.astype(np.float32))
        return (lambda: Arms(np.load(file, mmap_mode="r"))), rates
    if "names" in name:
        rates = np.random.default_rng(0).uniform(0.1, 0.5, count)
        rates[count // 3] = 0.9
        return (lambda: Arms(names=[f"option {i}" for i in range(count)])), rates
    strength = np.random.default_rng(0).normal(size=count)
    strength[0] = strength.max() + 1.0
    first, second = np.triu_indices(count, 1)
    return (lambda: Arms.pairwise([f"item {i}" for i in range(count)])), expit(
        strength[first] - strength[second]
    )


def play(name: str, count: int) -> dict[str, Any]:
    """One study, from nothing to its verdict."""
    for few in (Arms(sphere(50, 3)[0]), Arms(names=["a", "b"])):  # what was compiled before is loaded
        simulate(LogTS, few, few.features[0], BestArm(), runs=1)
    with tempfile.TemporaryDirectory() as folder:
        make, rates = instance(name, count, Path(folder))
        begin = time.process_time()
        policy = LogTS(make(), BestArm(), delta=DELTA, guard="no guard" not in name)
        made = time.process_time() - begin
        asks: list[float] = []
        looks: list[float] = []
        singles: list[float] = []
        rng = np.random.default_rng(1)
        end = time.process_time() + LIMIT
        while policy.verdict is None and time.process_time() < end:
            one = len(looks) >= 10 and len(singles) < SINGLES
            begin = time.process_time()
            asked = policy.ask(1 if one else policy.block)
            middle = time.process_time()
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
            (singles if one else asks).append(middle - begin)
            looks.append(time.process_time() - middle)
        verdict = policy.verdict
        return {
            "arms": len(policy.arms),
            "made": made,
            "first": asks[0],
            "trials": policy.complete,
            "tried": int((policy.counts > 0).sum()),
            "asks": sum(asks) + sum(singles),
            "looks": sum(looks),
            "slowest": max(looks),
            "single": float(np.median(singles)) if singles else None,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "verdict": f"{verdict.answer} ({verdict.basis})" if verdict else f"none in {LIMIT:.0f} s",
        }


def row(name: str, found: dict[str, Any]) -> str:
    single = "-" if found["single"] is None else f"{1e6 * found['single']:,.0f}"
    cells = (
        name,
        f"{found['arms']:,}",
        f"{found['made'] + found['first']:.2f}",
        f"{found['trials']:,}",
        f"{found['tried']:,}",
        f"{found['asks']:.2f}",
        f"{found['looks']:.1f}",
        f"{found['slowest']:.2f}",
        single,
        f"{found['peak']:,.0f}",
        found["verdict"],
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Play every study in a process of its own, and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", choices=STUDIES, help="play this one here, and print what was found")
    parser.add_argument("--only", choices=STUDIES, nargs="*", help="these alone, and write nothing")
    parser.add_argument("--arms", type=int, default=MILLION, help="how many arms have features")
    options = parser.parse_args()
    counts = dict.fromkeys(STUDIES, options.arms)
    counts |= {"10,000 names": 10_000, "100,000 names": 100_000, "pairs of 300": 300}
    if options.one:
        print(json.dumps(play(options.one, counts[options.one])))
        return
    heads = "study | arms | arms made and first ask | trials | arms tried | asks | looks | slowest look"
    lines = [f"| {heads} | one ask, us | peak, MB | verdict |", f"| --- | {'--: | ' * 9}--- |"]
    print("\n".join(lines))
    for name in options.only or STUDIES:
        told = subprocess.run(
            [sys.executable, __file__, "--one", name, "--arms", str(options.arms)],
            env=os.environ | dict.fromkeys(THREADS, "1"),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        lines.append(row(name, json.loads(told.stdout)))
        print(lines[-1], flush=True)
        if not options.only and options.arms == MILLION:
            write(lines)


def write(lines: list[str]) -> None:
    """The page, after every study: the last ones take long."""
    text = "# A million options\n\n" + " ".join(ABOUT.split()).replace(" / ", "\n\n") + "\n\n"
    Path(__file__).with_name("results").joinpath("million.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
