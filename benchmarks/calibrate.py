"""Is a verdict wrong at most as often as promised? Thousands of runs on hard instances.

Delta is 0.2. "Delayed": twenty trials are in the air and a success comes back up to sixty trials late.
"Batches": fifty are asked for and told at once. A run that reaches its budget ends undecided, which is not an
error; at an exact tie every verdict is one. The last line is a broken policy, whose forecasts have seen the
outcome: a check that cannot fail would be no check. Writes ``benchmarks/results/calibration.md``.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy.stats import beta

from logts import Arms, BestArm, LogTS, Problem, Ranking, Threshold, TopM, VersusControl
from logts.evidence.forecast import Forecaster
from logts.evidence.tally import Tally
from logts.experiments.instances import best_arm_benchmark
from logts.tools.algebra import Array

DELTA = 0.2
BUDGET = 8000
IN_THE_AIR = 20
LATE = 60
BATCH = 50


@dataclass(frozen=True)
class Instance:
    """A question and its world."""

    name: str
    arms: Arms
    theta: Array
    problem: Problem

    @property
    def rates(self) -> Array:
        return 1.0 / (1.0 + np.exp(-self.arms.features @ self.theta))

    @property
    def truth(self) -> tuple[int, ...]:
        return (
            ()
            if "exact tie" in self.name
            else self.problem.answer(self.arms.items, self.arms.coordinates(self.theta))
        )


def soare(d: int, angle: float) -> Arms:
    return best_arm_benchmark(d, angle).arms


INSTANCES = [
    Instance(
        "best arm, d=2, exact tie", Arms([[1, 0], [0, 1], [0.8, 0.6]]), np.array([1.0, 1 / 3]), BestArm()
    ),
    Instance("best arm, d=2, near tie", soare(2, 0.2), np.array([1.0, 0.0]), BestArm()),
    Instance("best arm, d=6", soare(6, 0.5), np.eye(6)[0], BestArm()),
    Instance(
        "top 2 of 4, unrelated, near tie", Arms(names=list("abcd")), np.array([0.6, 0.25, 0.0, -0.5]), TopM(2)
    ),
    Instance("threshold, d=2, near the rate", soare(2, 0.8), np.array([0.3, 0.5]), Threshold(0.55)),
    Instance("versus control, rates near 0 and 1", soare(2, 1.2), np.array([4.0, -4.0]), VersusControl(2)),
    Instance("ranking by comparisons", Arms.pairwise(["a", "b", "c"]), np.array([0.4, 0.1, -0.3]), Ranking()),
]


class PeekingForecaster(Forecaster):
    """Broken on purpose: scores each outcome after having learnt from it."""

    def absorb(self, arms: Array, outcomes: Array, before: Tally, past: Tally) -> None:
        for s in range(len(arms)):
            score = self.score
            super().absorb(arms[s : s + 1], outcomes[s : s + 1], before, past)
            self.score = score
            super().absorb(arms[s : s + 1], outcomes[s : s + 1], before, past)
            before = before.after(arms[s : s + 1], outcomes[s : s + 1], 0.0)


def run(instance: Instance, mode: str, seed: int) -> str:
    """One run: 'right', 'wrong' or 'undecided'."""
    rng = np.random.default_rng([seed, 7])
    rates = instance.rates
    policy = LogTS(instance.arms, instance.problem, delta=DELTA, max_trials=BUDGET, guard=mode != "broken")
    if mode == "broken":
        policy.judge._model._forecaster = PeekingForecaster(instance.arms.points)
    waiting: list[tuple[float, int, bool]] = []
    while policy.verdict is None:
        if mode == "delayed":
            asked = policy.ask(IN_THE_AIR - len(waiting))
            outcomes = rng.random(len(asked.arms)) < rates[asked.arms]
            waiting += [
                (i + LATE * o * rng.random(), i, bool(o)) for i, o in zip(asked.ids, outcomes, strict=True)
            ]
            waiting.sort()
            back = waiting[:5]
            waiting = waiting[5:]
            policy.tell([i for _, i, _ in back], [o for _, _, o in back])
        else:
            asked = policy.ask(BATCH if mode == "batches" else policy.block)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    if not policy.verdict.proven:
        return "undecided"
    return "right" if policy.verdict.answer.items == instance.truth else "wrong"


def main() -> None:
    """Fill the table and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--orders", nargs="+", default=["in order", "batches", "delayed"])
    options = parser.parse_args()
    lines = [
        "| instance | order | runs | right | undecided | wrong | 95% interval of the error |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    begin = time.perf_counter()
    cells = [(i, m) for m in options.orders for i in INSTANCES] + [(INSTANCES[2], "broken")]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("fork")) as pool:
        for instance, mode in cells:
            ends = list(pool.map(partial(run, instance, mode), range(options.runs), chunksize=25))
            wrong = ends.count("wrong")
            count = len(ends)
            low = beta.ppf(0.025, wrong, count - wrong + 1) if wrong else 0.0
            high = beta.ppf(0.975, wrong + 1, count - wrong)
            verdict = "" if high < DELTA else " **above delta**"
            lines.append(
                f"| {instance.name} | {mode} | {count} | {ends.count('right')} | {ends.count('undecided')} | "
                f"{wrong} "
                f"| {low:.4f} to {high:.4f}{verdict} |"
            )
            print(lines[-1], flush=True)
    text = (
        f"# Calibration at delta = {DELTA}\n\n"
        f"Made by `python benchmarks/calibrate.py --runs {options.runs}` "
        f"in {(time.perf_counter() - begin) / 60:.0f} minutes on {options.jobs} "
        f"processes. At most {BUDGET:,} trials a run; the broken policy peeks at outcomes and must fail.\n\n"
    )
    Path(__file__).with_name("results").joinpath("calibration.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
