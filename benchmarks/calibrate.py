"""Are verdicts, intervals and p-values wrong at most as often as promised? Thousands of runs, hard instances.

Instances and ways of trying and telling are those of ``ways.py``. A run that reaches its budget ends
undecided, which is not an error; at an exact tie every verdict is one. Broken policies come last: a check
that cannot fail would be no check. Writes ``benchmarks/results/calibration.md``.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

import ways
from logts.judge.judge import ALARM
from ways import BENT, CONTROL, HARDEST, INSTANCES, NAMES, NEAR, RATE, SIX, THREE, TIE, TWO, WAYS, Instance

DELTAS = {0.2: INSTANCES, 0.5: HARDEST}
BROKEN = [(SIX, "peeking forecasts", 0.2), (TWO, "lost failures", 0.2)]
COVERAGE = 0.2  # delta of the intervals
MOMENTS = 10
LEVELS = (0.5, 0.2, 0.05)
TRY = 3  # runs of each cell from which the time is estimated

Result = list[Any]


@dataclass(frozen=True)
class Cell:
    """Many runs of one kind, and the lines of a table that they make."""

    work: Callable[[int], Any]
    lines: Callable[[Result], list[str]]


@dataclass(frozen=True)
class Table:
    """Cells under a head."""

    title: str
    about: str
    head: str
    cells: list[Cell] = field(default_factory=list)

    @property
    def top(self) -> list[str]:
        rule = "|---" * (self.head.count("|") - 1) + "|"
        return [f"## {self.title}", "", self.about, "", self.head, rule]


def interval(count: int, runs: int) -> tuple[float, float]:
    """Clopper and Pearson's 95%."""
    low = beta.ppf(0.025, count, runs - count + 1) if count else 0.0
    return float(low), float(beta.ppf(0.975, count + 1, runs - count)) if count < runs else 1.0


def shown(count: int, runs: int, limit: float) -> str:
    """The interval of a probability, with a mark where it is not shown to be below its limit."""
    low, high = interval(count, runs)
    mark = " **above**" if low > limit else "" if high < limit else " (not shown to be below)"
    return f"{low:.4f} to {high:.4f}{mark}"


def verdict_lines(instance: Instance, way: str, delta: float, ends: Result) -> list[str]:
    wrong = ends.count("wrong")
    counts = f"{len(ends)} | {ends.count('right')} | {ends.count('undecided')} | {wrong}"
    return [f"| {instance.name} | {way} | {delta:g} | {counts} | {shown(wrong, len(ends), delta)} |"]


def verdicts(names: list[str], trials: int) -> Table:
    kinds = [(i, way, delta) for delta, chosen in DELTAS.items() for way in names for i in chosen]
    return Table(
        "Verdicts",
        f"At most {trials:,} trials a run. The last two are broken and must fail.",
        "| instance | way | delta | runs | right | undecided | wrong | 95% interval of the error |",
        [Cell(partial(ways.run, *kind, trials), partial(verdict_lines, *kind)) for kind in [*kinds, *BROKEN]],
    )


def watched_lines(instance: Instance, way: str, delta: float, ends: Result) -> list[str]:
    found = [end for end, _ in ends]
    kinds = ("model-free: right", "model-free: wrong", "model: right", "model: wrong", "undecided")
    alarms = sum(alarm for _, alarm in ends)
    right = not any(instance.off)
    error = alarms if right else found.count("model-free: wrong")
    counts = " | ".join(str(found.count(kind)) for kind in kinds)
    limit = ALARM if right else delta
    return [
        f"| {instance.name} | {'right' if right else 'wrong'} | {way} | {len(ends)} | {counts} | {alarms} | "
        f"{shown(error, len(ends), limit)} |"
    ]


def guarded(names: list[str], trials: int) -> Table:
    kinds = [(i, way, 0.2) for way in names if way in ("in order", "delayed") for i in [*BENT, NEAR, SIX]]
    return Table(
        "With a watched model, delta = 0.2",
        f"At most {trials:,} trials a run. Where the model is wrong, errors of verdicts without it, which\n"
        f"are proven to be at most delta; where it is right, alarms, which are at most {ALARM:g}.",
        "| instance | model | way | runs | without it: right | wrong | by the model: right | wrong | "
        "undecided | alarms | 95% interval |",
        [Cell(partial(ways.watched, *kind, trials), partial(watched_lines, *kind)) for kind in kinds],
    )


def coverage_lines(instance: Instance, way: str, ends: Result) -> list[str]:
    count = sum(ends)
    return [
        f"| {instance.name} | {way} | {len(ends)} | {count} | {shown(count, len(ends), COVERAGE)} |",
    ]


def coverage(names: list[str], trials: int) -> Table:
    moments = np.unique(np.geomspace(min(ways.BATCH, trials), trials, MOMENTS).astype(int))
    kinds = [(instance, "batches") for instance in (TIE, SIX, RATE, CONTROL, TWO, NAMES)]
    kinds += [(TIE, "adversarial"), (TWO, "adversarial")]
    return Table(
        f"Intervals at delta = {COVERAGE:g}",
        f"Runs in which the interval of any item missed its rate at any of {len(moments)} moments, "
        f"{moments[0]} to {moments[-1]:,} trials.",
        "| instance | way | runs | missed | 95% interval |",
        [
            Cell(
                partial(ways.missed, instance, way, COVERAGE, moments), partial(coverage_lines, instance, way)
            )
            for instance, way in kinds
            if way in names
        ],
    )


def p_value_lines(instance: Instance, way: str, found: Result) -> list[str]:
    """A line for each level: how often any answer got so far, and the answer that did most often."""
    answers = sorted({answer for least in found for answer in least}) or [()]
    lines = []
    for level in LEVELS:
        below = np.array([[least.get(answer, 1.0) <= level for answer in answers] for least in found])
        one = int(below.sum(axis=0).max())
        either = int(below.any(axis=1).sum())
        lines.append(
            f"| {instance.name} | {way} | {level:g} | {len(found)} | {one} | {shown(one, len(found), level)} "
            f"| {either} | {shown(either, len(found), level)} |"
        )
    return lines


def p_values(names: list[str], trials: int) -> Table:
    kinds = [(instance, way) for way in ("in order", "adversarial") for instance in (TIE, TWO, THREE)]
    return Table(
        "P-values at exact ties",
        f"How often one minus the confidence ever fell to a, read at every look up to {trials:,} trials:\n"
        "for the answer for which it did so most often, and for any answer. The first is what is promised\n"
        "where rivals have accounts of their own: at an exact tie each tied answer may err so often.",
        "| instance | way | a | runs | one answer | 95% interval | any answer | 95% interval |",
        [
            Cell(partial(ways.least_p_values, instance, way, trials), partial(p_value_lines, instance, way))
            for instance, way in kinds
            if way in names
        ],
    )


def estimate(tables: list[Table], runs: int, jobs: int) -> float:
    """Minutes that all of it will take; compiles whatever is needed, for the processes to come."""
    seconds = 0.0
    for cell in (cell for table in tables for cell in table.cells):
        cell.work(0)
        begin = time.perf_counter()
        for seed in range(TRY):
            cell.work(seed)
        seconds += (time.perf_counter() - begin) / TRY
    return seconds * runs / jobs / 60


def fill(pool: ProcessPoolExecutor, tables: list[Table], runs: int) -> Iterator[str]:
    """All lines of all tables as they are done."""
    for table in tables:
        yield from table.top
        for cell in table.cells:
            chunk = max(1, min(25, runs // 8))
            yield from cell.lines(list(pool.map(cell.work, range(runs), chunksize=chunk)))
        yield ""


def main() -> None:
    """Fill the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--trials", type=int, default=2000, help="at most, in a run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results") / "calibration.md")
    options = parser.parse_args()
    tables = [make(options.ways, options.trials) for make in (guarded, verdicts, coverage, p_values)]
    begin = time.perf_counter()
    lines = []
    print(f"about {estimate(tables, options.runs, options.jobs):.0f} minutes", flush=True)
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("fork")) as pool:
        for line in fill(pool, tables, options.runs):
            lines.append(line)
            print(line, flush=True)
    minutes = (time.perf_counter() - begin) / 60
    told = (ways.__doc__ or "").split("\n\n")[1].strip()
    text = (
        "# Calibration\n\n"
        f"Made by `python benchmarks/calibrate.py --runs {options.runs} --trials {options.trials}` in "
        f"{minutes:.0f} minutes on {options.jobs} processes.\n"
        "At an exact tie every verdict counts as wrong.\n\n"
        f"{told}\n\n"
    )
    options.out.write_text(text + "\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
