"""How many samples every stopping rule takes, on instances easy and hard, and as delta falls.

Best arm throughout. Soare: arms ``e_1..e_d`` and ``cos(alpha) e_1 + sin(alpha) e_2``, ``theta = e_1`` unless
said. Factorial: 2 x 3 x 4 levels, in which the best level of each factor is ahead of the others by a gap.
Writes ``benchmarks/results/samples.md``.
"""

import argparse
import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from logts import Arms, BestArm, LogTS, Policy, Runs, lower_bound, simulate
from logts.experiments.instances import best_arm_benchmark
from logts.experiments.league import INSTANCES as LEAGUE
from logts.policies import Uniform
from logts.tools.algebra import Array
from ways import named, on_sphere

DELTA = 0.1
# evidence by names alone in version 0.2, measured then with the same seeds: mean (standard error)
BEFORE = {"two .55/.5": "4,352 (191)", "two .10/.05": "1,435 (53)"}

Rule = Callable[..., Policy]


@dataclass(frozen=True)
class World:
    """Arms and the truth, delta, and by how much to divide the runs."""

    arms: Arms
    theta: Array
    delta: float = DELTA
    less: int = 1

    @cached_property
    def characteristic_time(self) -> float:
        """T*, exact up to a thousandth."""
        world = (self.arms, self.theta, BestArm())
        return lower_bound(*world, delta=self.delta, tolerance=1e-3).characteristic_time

    def run(self, rule: Rule, runs: int, jobs: int) -> Runs:
        count = max(2, runs // self.less)
        world = (self.arms, self.theta, BestArm())
        return simulate(rule, *world, delta=self.delta, runs=count, rng=0, jobs=jobs)


def soare(d: int, alpha: float, norm: float = 1.0, delta: float = DELTA) -> World:
    return World(best_arm_benchmark(d, alpha).arms, norm * np.eye(d)[0], delta)


def circle() -> World:
    found = LEAGUE["circle, K = 100"]()
    return World(found.arms, found.theta)


def factorial(gap: float) -> World:
    """An intercept and a column for each level but the first, which is the best."""
    sizes = (2, 3, 4)
    levels = itertools.product(*map(range, sizes))
    rows = [
        [1.0, *(float(at == k) for at, n in zip(row, sizes, strict=True) for k in range(1, n))]
        for row in levels
    ]
    return World(Arms(rows), np.array([0.0, *[-gap] * (len(rows[0]) - 1)]))


def names(*rates: float, delta: float = DELTA) -> World:
    return World(*named(*rates), delta)


WITH_FEATURES: dict[str, Callable[[], World]] = {
    "Soare, d=2, alpha=1": lambda: soare(2, 1.0),
    "Soare, d=2, alpha=.5": lambda: soare(2, 0.5),
    "Soare, d=2, alpha=.3": lambda: soare(2, 0.3),
    "Soare, d=2, alpha=.1": lambda: soare(2, 0.1),
    "Soare, d=5, alpha=.5": lambda: soare(5, 0.5),
    "Soare, d=5, alpha=.1, theta=2e_1": lambda: soare(5, 0.1, 2.0),
    "Soare, d=6, alpha=.3": lambda: soare(6, 0.3),
    "Soare, d=10, alpha=.3": lambda: soare(10, 0.3),
    "circle, K=100": circle,
    "sphere, d=10, K=100": lambda: World(*on_sphere(100, 10, 2.0, DELTA)),
    "sphere, d=20, K=1,000": lambda: World(*on_sphere(1_000, 20, 4.0, DELTA), less=10),
    "factorial, gap .15": lambda: factorial(0.15),
    "factorial, gap .4": lambda: factorial(0.4),
}
BY_NAME: dict[str, Callable[[], World]] = {
    "24 names, one .55, others .5": lambda: names(0.55, *[0.5] * 23),
    "four names .5 .45 .43 .4": lambda: names(0.5, 0.45, 0.43, 0.4),
    "two .55/.5": lambda: names(0.55, 0.5, delta=0.05),
    "two .10/.05": lambda: names(0.1, 0.05, delta=0.05),
}
COLUMNS: dict[str, Rule] = {
    "forecast, no guard": partial(LogTS, stopping="forecast", guard=False),
    "evidence, no guard": partial(LogTS, guard=False),
    "evidence, guard": LogTS,
    "stylized (unproven)": partial(LogTS, stopping="stylized"),
}
NO_MODEL = ("evidence, guard", "stylized (unproven)")  # the columns that make sense for names alone
KAPPA = 1.0 / (math.exp(-1.0) / (1.0 + math.exp(-1.0)) ** 2)  # 1/mu' at the largest logit, 1
OTHERS: list[tuple[str, Rule, tuple[int, ...]]] = [
    ("evidence, uniform sampling", Uniform, (2, 6)),
    ("likelihood-ratio, S = 1", partial(LogTS, stopping="likelihood-ratio", radius=1.0), (2, 6)),
    ("paper-practical, S = 1 (unproven)", partial(LogTS, stopping="paper-practical", radius=1.0), (2,)),
    ("paper, S = 1", partial(LogTS, stopping="paper", radius=1.0, kappa=KAPPA), (2,)),
]


def mean(runs: Runs) -> tuple[float, float]:
    """Mean samples and their standard error."""
    samples = np.array([row.samples for row in runs])
    error = samples.std(ddof=1) / math.sqrt(len(samples)) if len(samples) > 1 else math.nan
    return float(samples.mean()), float(error)


def wrong(runs: Runs) -> int:
    return sum(not row.correct for row in runs)


def cell(runs: Runs) -> str:
    average, error = mean(runs)
    return f"{average:,.0f} ({error:,.0f}), wrong {wrong(runs)}"


def every_instance(options: argparse.Namespace) -> Iterator[str]:
    """Every instance under every rule that makes sense there."""
    head = ["instance", "delta", "runs", "T*", *COLUMNS, "version 0.2 by names"]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for name, make in {**WITH_FEATURES, **BY_NAME}.items():
        if options.only not in name:
            continue
        world = make()
        cells = [
            cell(world.run(rule, options.runs, options.jobs))
            if name in WITH_FEATURES or column in NO_MODEL
            else "-"
            for column, rule in COLUMNS.items()
        ]
        count = max(2, options.runs // world.less)
        about = f"{name} | {world.delta:g} | {count} | {world.characteristic_time:,.0f}"
        yield f"| {about} | {' | '.join(cells)} | {BEFORE.get(name, '-')} |"


def as_delta_falls(options: argparse.Namespace) -> Iterator[str]:
    yield "| d | delta | runs | mean samples | samples / (T* log 1/delta) | wrong |"
    yield "|---|---|---|---|---|---|"
    for d, delta in itertools.product((2, 6), (1e-1, 1e-3, 1e-6, 1e-10)):
        world = soare(d, 0.3, delta=delta)
        found = world.run(COLUMNS["evidence, no guard"], options.runs, options.jobs)
        ratio = mean(found)[0] / (world.characteristic_time * math.log(1 / delta))
        yield f"| {d} | {delta:g} | {len(found)} | {mean(found)[0]:,.0f} | {ratio:.2f} | {wrong(found)} |"


def other_rules(options: argparse.Namespace) -> Iterator[str]:
    yield "| rule | d | runs | mean samples | standard error | wrong |"
    yield "|---|---|---|---|---|---|"
    for name, rule, dimensions in OTHERS:
        runs = options.few if name.startswith("paper") else options.runs
        for d in dimensions:
            found = soare(d, 0.3).run(rule, runs, options.jobs)
            average, error = mean(found)
            yield f"| {name} | {d} | {len(found)} | {average:,.0f} | {error:,.0f} | {wrong(found)} |"


def table(title: str, about: str, lines: Iterator[str]) -> str:
    """Print the lines of a table as they are done, with the seconds that each took, and return it."""
    done = []
    print(f"{title}\n", flush=True)
    begin = time.perf_counter()
    for line in lines:
        done.append(line)
        print(f"{line} {time.perf_counter() - begin:.0f} s", flush=True)
        begin = time.perf_counter()
    print(flush=True)
    return f"## {title}\n\n{about}\n\n" + "\n".join(done) + "\n\n"


def main() -> None:
    """Fill the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--few", type=int, default=5, help="runs of the paper's rules")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="instances whose names contain this")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results") / "samples.md")
    options = parser.parse_args()
    begin = time.perf_counter()
    text = table(
        "Every instance",
        'Each entry is "mean (standard error), wrong". T* is exact. For names alone the guard is on and\n'
        "there is no model; the last column is the evidence rule of version 0.2 there, with the same seeds.",
        every_instance(options),
    )
    text += table(
        "As delta falls", "Soare, alpha = .3; evidence, no guard; T* is exact.", as_delta_falls(options)
    )
    text += table("Other rules", f"Soare, alpha = .3, delta = {DELTA:g}.", other_rules(options))
    minutes = (time.perf_counter() - begin) / 60
    told = (__doc__ or "").split("\n\n")[1].partition("\nWrites")[0]
    made = f"Made by `python benchmarks/samples.py --runs {options.runs}` in {minutes:.0f} minutes on"
    options.out.write_text(f"# Samples\n\n{told}\n{made} {options.jobs} processes.\n\n{text.rstrip()}\n")


if __name__ == "__main__":
    main()
