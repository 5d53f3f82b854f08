"""How many samples every stopping rule takes, uniform sampling beside it, and as delta falls.

Arms ``e_1..e_d`` and ``cos(.3)e_1 + sin(.3)e_2``, ``theta = e_1``, best arm. Writes
``benchmarks/results/samples.md``.
"""

import argparse
import functools
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from logts import Arms, BestArm, LogTS, Policy, Runs, lower_bound, simulate
from logts.experiments.instances import best_arm_benchmark
from logts.policies import Uniform

DELTA = 0.1
ALPHA = 0.3


def soare(d: int) -> Arms:
    return best_arm_benchmark(d, ALPHA).arms


def run(policy: Callable[..., Policy], d: int, runs: int, jobs: int, delta: float = DELTA) -> Runs:
    return simulate(policy, soare(d), np.eye(d)[0], BestArm(), delta=delta, runs=runs, rng=0, jobs=jobs)


def mean(runs: Runs) -> tuple[float, float]:
    """Mean samples and their standard error."""
    samples = np.array([row.samples for row in runs])
    return float(samples.mean()), float(samples.std(ddof=1) / math.sqrt(len(samples))) if len(
        samples
    ) > 1 else math.nan


def main() -> None:
    """Fill the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--few", type=int, default=5, help="runs of the paper's rules")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    begin = time.perf_counter()
    many = options.runs
    few = options.few
    practical = functools.partial(LogTS, stopping="paper-practical", radius=1.0)
    kappa = 1.0 / (math.exp(-1.0) / (1.0 + math.exp(-1.0)) ** 2)  # 1/mu' at the largest logit, 1
    cells: list[tuple[str, Callable[..., Policy], int, int]] = [
        ("evidence", LogTS, 2, many),
        ("evidence", LogTS, 6, many),
        ("evidence, no guard", functools.partial(LogTS, guard=False), 2, many),
        ("evidence, no guard", functools.partial(LogTS, guard=False), 6, many),
        ("evidence, uniform sampling", Uniform, 2, many),
        ("evidence, uniform sampling", Uniform, 6, many),
        ("stylized (unproven)", functools.partial(LogTS, stopping="stylized"), 2, many),
        ("stylized (unproven)", functools.partial(LogTS, stopping="stylized"), 6, many),
        (
            "likelihood-ratio, S = 1",
            functools.partial(LogTS, stopping="likelihood-ratio", radius=1.0),
            2,
            many,
        ),
        (
            "likelihood-ratio, S = 1",
            functools.partial(LogTS, stopping="likelihood-ratio", radius=1.0),
            6,
            many,
        ),
        ("paper-practical, S = 1 (unproven)", practical, 2, few),
        ("paper, S = 1", functools.partial(LogTS, stopping="paper", radius=1.0, kappa=kappa), 2, few),
    ]
    lines = ["| stopping | d | runs | mean samples | standard error | wrong |", "|---|---|---|---|---|---|"]
    print("\n".join(lines))
    for name, policy, d, runs in cells:
        found = run(policy, d, runs, options.jobs)
        average, error = mean(found)
        lines.append(
            f"| {name} | {d} | {runs} | {average:,.0f} | {error:,.0f} | "
            f"{sum(not row.correct for row in found)} |"
        )
        print(lines[-1], flush=True)
    falling = [
        "| delta | runs | mean samples | samples / (T* log 1/delta) | wrong |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(falling))
    time_needed = lower_bound(soare(2), [1.0, 0.0], BestArm(), delta=DELTA).characteristic_time
    for delta in (1e-1, 1e-3, 1e-6, 1e-10):
        found = run(functools.partial(LogTS, guard=False), 2, many, options.jobs, delta)
        ratio = mean(found)[0] / (time_needed * math.log(1 / delta))
        falling.append(
            f"| {delta:g} | {many} | {mean(found)[0]:,.0f} | {ratio:.2f} | "
            f"{sum(not row.correct for row in found)} |"
        )
        print(falling[-1], flush=True)
    text = (
        f"# Samples\n\nArms e_1..e_d and cos(.3)e_1 + sin(.3)e_2, theta = e_1, delta = {DELTA:g}; made by\n"
        f"`python benchmarks/samples.py` in {(time.perf_counter() - begin) / 60:.0f} minutes on "
        f"{options.jobs} processes.\n\n"
    )
    falls = (
        "\n\n## As delta falls\n\nd = 2, no guard; the exact characteristic time T* is "
        f"{time_needed:.1f}.\n\n"
    )
    table = "\n".join(lines) + falls + "\n".join(falling)
    Path(__file__).with_name("results").joinpath("samples.md").write_text(text + table + "\n")


if __name__ == "__main__":
    main()
