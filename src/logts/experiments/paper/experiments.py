"""The tables and figures of the paper: which algorithms, on which instances, and what it reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from logts.experiments.instances import (
    Instance,
    best_arm_benchmark,
    by_unproven_rule,
    circle,
    threshold_benchmark,
)
from logts.problems import BestArm, Problem, Threshold, TopM

Reported = dict[tuple[int, str], tuple[float, float]]  # by size and algorithm: mean samples, deviation

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
        For each size and algorithm the mean samples and standard deviation that the paper reports, where it
        has numbers.
    instance
        The instance for a size and a source of randomness.
    centres
        The centre of the window in which T* is kept, for each size; empty where there is none.
    """

    title: str
    sizes: tuple[int, ...]
    unit: str
    algorithms: tuple[str, ...]
    paper: Reported
    instance: Callable[[int, np.random.Generator], Instance]
    centres: dict[int, float] = field(default_factory=dict)


def _reported(names: Sequence[str], rows: dict[int, Sequence[float]]) -> Reported:
    """Means and deviations in thousands, two columns for each name."""
    return {
        (size, name): (1e3 * row[2 * i], 1e3 * row[2 * i + 1])
        for size, row in rows.items()
        for i, name in enumerate(names)
    }


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

CENTRES_1 = {
    size: by_unproven_rule(TABLE_1[100, "log-ts"][0]) * (size / 100) ** 2
    for size in (100, 200, 300, 400, 500)
}
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
        "Thresholds, benchmark",
        DIMENSIONS,
        "d",
        ("log-ts", "random"),
        {},
        lambda size, _: threshold_benchmark(size),
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
