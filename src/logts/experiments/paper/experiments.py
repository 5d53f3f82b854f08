"""Cells of the paper's tables and figures: which algorithm, with which stopping rule, on which instance; run, recorded, resumed."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from logts.experiments.instances import DELTA, Instance, best_arm_benchmark, by_unproven_rule, circle, threshold_benchmark
from logts.planning.simulate import simulate
from logts.policies import LogTS, Policy, RageGLMR, Uniform
from logts.problems import BestArm, Problem, Threshold, TopM
from logts.tools.parallel import run_all, watched

STOPPING = ("paper", "paper-practical", "stylized", "evidence")
OWN = "its own"


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper.

    Attributes
    ----------
    title, sizes, unit
        What it shows, for which numbers, and of what these are numbers.
    algorithms
        Those compared; RAGE-GLM-R has a stopping rule of its own.
    paper
        For each size and algorithm the mean samples and standard deviation that the paper reports, where it has numbers.
    instance
        The instance for a size and a source of randomness.
    centres
        The centre of the window in which T* is kept, for each size; empty where there is none.
    """

    title: str
    sizes: tuple[int, ...]
    unit: str
    algorithms: tuple[str, ...]
    paper: dict[tuple[int, str], tuple[float, float]]
    instance: Callable[[int, np.random.Generator], Instance]
    centres: dict[int, float] = field(default_factory=dict)


def _reported(names: Sequence[str], rows: dict[int, Sequence[float]]) -> dict[tuple[int, str], tuple[float, float]]:
    """Means and deviations in thousands, two columns for each name."""
    return {(size, name): (1e3 * row[2 * i], 1e3 * row[2 * i + 1]) for size, row in rows.items() for i, name in enumerate(names)}


TABLE_1 = _reported(
    ("log-ts", "rage-glm-r", "random"),
    {
        100: (4.05, 0.35, 33.22, 19.14, 11.44, 1.59),
        200: (6.94, 0.39, 49.34, 13.26, 25.10, 5.86),
        300: (10.66, 1.44, 51.94, 15.96, 44.32, 6.44),
        400: (14.36, 2.31, 53.39, 18.40, 55.64, 11.86),
        500: (16.59, 2.32, 68.00, 19.13, 74.10, 14.41),
    },
)
TABLE_2 = _reported(
    ("log-ts", "random"),
    {
        20: (7.49, 2.36, 15.22, 4.06),
        30: (9.50, 0.65, 37.64, 10.84),
        40: (12.86, 0.44, 50.84, 12.21),
        50: (16.15, 3.64, 94.47, 23.06),
    },
)


CENTRES_1 = {size: by_unproven_rule(TABLE_1[100, "log-ts"][0]) * (size / 100) ** 2 for size in (100, 200, 300, 400, 500)}
CENTRES_2 = {size: by_unproven_rule(TABLE_2[size, "log-ts"][0]) for size in (20, 30, 40, 50)}
DIMENSIONS = (2, 4, 6, 8, 10)


def _on_circle(problem: Problem, centres: dict[int, float]) -> Callable[[int, np.random.Generator], Instance]:
    return lambda size, rng: circle(size, problem, centres[size], rng)


EXPERIMENTS = {
    "table1": Experiment(
        "Best arm on the unit circle",
        tuple(CENTRES_1),
        "K",
        ("log-ts", "rage-glm-r", "random"),
        TABLE_1,
        _on_circle(BestArm(), CENTRES_1),
        CENTRES_1,
    ),
    "table2": Experiment(
        "Thresholds on the unit circle",
        tuple(CENTRES_2),
        "K",
        ("log-ts", "random"),
        TABLE_2,
        _on_circle(Threshold(0.5), CENTRES_2),
        CENTRES_2,
    ),
    "figure1": Experiment(
        "Best arm, benchmark",
        DIMENSIONS,
        "d",
        ("log-ts", "rage-glm-r", "random"),
        {},
        lambda size, _: best_arm_benchmark(size),
    ),
    "figure2": Experiment(
        "Thresholds, benchmark", DIMENSIONS, "d", ("log-ts", "random"), {}, lambda size, _: threshold_benchmark(size)
    ),
    "topm": Experiment(
        "The best five on the unit circle (not in the paper)",
        tuple(CENTRES_2),
        "K",
        ("log-ts", "random"),
        {},
        _on_circle(TopM(5), CENTRES_2),
        CENTRES_2,
    ),
}


@dataclass(frozen=True)
class Cell:
    """One algorithm with one stopping rule at one size of an experiment."""

    experiment: str
    size: int
    algorithm: str
    stopping: str


@dataclass(frozen=True)
class Row:
    """One run of a cell, as it is written down."""

    experiment: str
    size: int
    algorithm: str
    stopping: str
    run: int
    seed: int
    samples: int
    correct: bool
    characteristic_time: float
    seconds: float

    @property
    def cell(self) -> Cell:
        return Cell(self.experiment, self.size, self.algorithm, self.stopping)


def cells(names: Sequence[str], stopping: Sequence[str]) -> list[Cell]:
    """All cells of some experiments with some stopping rules."""
    return [
        Cell(name, size, algorithm, rule)
        for name in names
        for size in EXPERIMENTS[name].sizes
        for algorithm in EXPERIMENTS[name].algorithms
        for rule in ((OWN,) if algorithm == "rage-glm-r" else stopping)
    ]


def play(cell: Cell, run: int, seed: int) -> Row:
    """One run. Instance and outcomes depend on experiment, size, run and seed alone, so all algorithms face the same instance."""
    begin = time.perf_counter()
    instance = _instance(cell.experiment, cell.size, run, seed)
    policy, outcomes = _policy(cell, instance), _random(cell.experiment, cell.size, run, seed, 1)
    found = simulate(policy, instance.arms, instance.theta, instance.problem, delta=DELTA, runs=1, rng=outcomes)[0]
    return Row(
        **asdict(cell),
        run=run,
        seed=seed,
        samples=found.samples,
        correct=found.correct,
        characteristic_time=instance.characteristic_time,
        seconds=time.perf_counter() - begin,
    )


def _random(experiment: str, size: int, run: int, seed: int, part: int) -> np.random.Generator:
    return np.random.default_rng([seed, sorted(EXPERIMENTS).index(experiment), size, run, part])


@lru_cache(maxsize=64)
def _instance(experiment: str, size: int, run: int, seed: int) -> Instance:
    return EXPERIMENTS[experiment].instance(size, _random(experiment, size, run, seed, 0))


def _policy(cell: Cell, instance: Instance) -> Callable[..., Policy]:
    """The algorithm, with the constants that it is granted: the norm of theta, which is one, and the true slopes."""
    flattest = float(instance.steepness.min())
    if cell.algorithm == "rage-glm-r":
        return lambda arms, problem, delta: RageGLMR(arms, problem, delta=delta, kappa=flattest)
    sampling = LogTS if cell.algorithm == "log-ts" else Uniform
    radius = 1.0 if cell.stopping.startswith("paper") else None
    kappa = 1.0 / flattest if cell.stopping == "paper" else None
    return lambda arms, problem, delta: sampling(
        arms, problem, delta=delta, stopping=cell.stopping, radius=radius, kappa=kappa, guard=False
    )


def read_rows(path: Path) -> list[Row]:
    """Rows written so far. A line that a killed process left half-written is no row."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(Row(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            continue
    return rows


def campaign(
    names: Sequence[str],
    folder: Path,
    *,
    runs: int = 10,
    stopping: Sequence[str] = STOPPING,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
    progress: bool = False,
) -> list[Row]:
    """Run what is missing of some experiments; each run is appended to ``folder/runs.jsonl`` as it ends. Returns all there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "runs.jsonl"
    wanted = {(cell, run) for cell in cells(names, stopping) for run in range(runs)}
    done = {(row.cell, row.run): row for row in read_rows(path) if row.seed == seed}
    # A run of every cell, then the next of every cell: the time left can be told early. Cells of one instance are neighbours.
    missing = sorted(wanted - done.keys(), key=lambda pair: (pair[1], pair[0].experiment, pair[0].size, str(pair[0])))
    with path.open("a+") as file:
        if file.tell() and not path.read_text().endswith("\n"):
            file.write("\n")
        for row in _found(missing, seed, jobs, cluster, progress):
            file.write(json.dumps(asdict(row)) + "\n")
            file.flush()
            done[row.cell, row.run] = row
    return sorted((row for row in done.values() if row.experiment in names), key=lambda row: (str(row.cell), row.run))


def _found(missing: list[tuple[Cell, int]], seed: int, jobs: int, cluster: str | None, progress: bool) -> Iterator[Row]:
    tasks = [(cell, run, seed) for cell, run in missing]
    rows = run_all(play, tasks, jobs=jobs, cluster=cluster)
    return watched(rows, len(tasks), "runs", show=progress and bool(tasks))


def mean(rows: Sequence[Row]) -> tuple[float, float]:
    """Mean samples and their standard deviation."""
    samples = np.array([row.samples for row in rows], dtype=float)
    return float(samples.mean()), float(samples.std(ddof=1)) if len(samples) > 1 else math.nan
