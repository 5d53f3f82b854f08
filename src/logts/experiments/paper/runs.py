"""Cells of the paper's tables and figures, run, recorded, resumed: an algorithm, a stopping rule, a size."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from logts.experiments.instances import DELTA, Instance
from logts.experiments.paper.experiments import EXPERIMENTS, OWN, STOPPING
from logts.planning.simulate import simulate
from logts.policies import LogTS, Policy, RageGLMR, Uniform
from logts.tools.parallel import run_all, watched


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
    """One run. Its instance and outcomes depend on experiment, size, run and seed, not on the algorithm."""
    begin = time.perf_counter()
    instance = _instance(cell.experiment, cell.size, run, seed)
    world = (instance.arms, instance.theta, instance.problem)
    outcomes = _random(cell.experiment, cell.size, run, seed, 1)
    found = simulate(_policy(cell, instance), *world, delta=DELTA, runs=1, rng=outcomes)[0]
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
    """The algorithm, with the constants that it is granted: the norm of theta, which is 1, and the slopes."""
    flattest = float(instance.steepness.min())
    if cell.algorithm == "rage-glm-r":
        return lambda arms, problem, delta: RageGLMR(arms, problem, delta=delta, slope=flattest)
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
    """Run what is missing of some experiments, and give all rows.

    Each run is appended to ``folder/runs.jsonl`` as it ends: what was interrupted goes on where it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "runs.jsonl"
    wanted = {(cell, run) for cell in cells(names, stopping) for run in range(runs)}
    done = {(row.cell, row.run): row for row in read_rows(path) if row.seed == seed}
    missing = sorted(wanted - done.keys(), key=_turn)
    with path.open("a+") as file:
        if file.tell() and not path.read_text().endswith("\n"):
            file.write("\n")
        for row in _found(missing, seed, jobs, cluster, progress):
            file.write(json.dumps(asdict(row)) + "\n")
            file.flush()
            done[row.cell, row.run] = row
    rows = [row for row in done.values() if row.experiment in names]
    return sorted(rows, key=lambda row: (str(row.cell), row.run))


def _turn(pair: tuple[Cell, int]) -> tuple[int, str, int, str]:
    """A run of every cell, then the next of every cell, so that the time left is known early.

    Cells of one instance are neighbours.
    """
    cell, run = pair
    return run, cell.experiment, cell.size, str(cell)


def _found(
    missing: list[tuple[Cell, int]], seed: int, jobs: int, cluster: str | None, progress: bool
) -> Iterator[Row]:
    tasks = [(cell, run, seed) for cell, run in missing]
    rows = run_all(play, tasks, jobs=jobs, cluster=cluster)
    return watched(rows, len(tasks), "runs", show=progress and bool(tasks))


def mean(rows: Sequence[Row]) -> tuple[float, float]:
    """Mean samples and their standard deviation."""
    samples = np.array([row.samples for row in rows], dtype=float)
    return float(samples.mean()), float(samples.std(ddof=1)) if len(samples) > 1 else math.nan
