"""Every policy on the same instances in one run: samples beside the exact lower bound, errors, time for each sample."""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from logts.arms import Arms
from logts.experiments.instances import Instance, best_arm_benchmark
from logts.experiments.paper.experiments import EXPERIMENTS
from logts.planning.bounds import lower_bound
from logts.planning.simulate import Runs, simulate
from logts.policies import POLICIES
from logts.problems import Ranking

DELTA, BUDGET = 0.1, 20_000_000
OWN_RULE = ("rage-glm", "rage-glm-r", "glgape")  # they are told the smallest slope


@dataclass(frozen=True)
class Standing:
    """One policy with one stopping rule on one instance."""

    instance: str
    policy: str
    stopping: str
    runs: int
    samples: float
    error: float
    ratio: float
    wrong: int
    undecided: int
    microseconds: float


def _drawn(experiment: str, size: int) -> Instance:
    return EXPERIMENTS[experiment].instance(size, np.random.default_rng([0, size]))


INSTANCES: dict[str, Callable[[], Instance]] = {
    "Soare, d = 2": lambda: best_arm_benchmark(2, 0.3),
    "Soare, d = 6": lambda: best_arm_benchmark(6, 0.3),
    "circle, K = 100": lambda: _drawn("table1", 100),
    "threshold, K = 20": lambda: _drawn("table2", 20),
    "top 5, K = 20": lambda: _drawn("topm", 20),
    "pairwise, 5 items": lambda: Instance(Arms.pairwise(list("abcde")), np.array([1.2, 0.6, 0.0, -0.6, -1.2]), Ranking()),
}


def league(*, runs: int, few: int, seed: int = 0, jobs: int = 1, cluster: str | None = None) -> Iterator[Standing]:
    """All standings, one after the other. Rules of their own that need millions of samples get ``few`` runs."""
    for name, make in INSTANCES.items():
        instance = make()
        bound = lower_bound(instance.arms, instance.theta, instance.problem, delta=DELTA).samples
        for policy in POLICIES:
            for stopping in ("its own",) if policy in OWN_RULE else ("evidence", "stylized"):
                factory = _factory(policy, stopping, instance)
                count = few if policy == "glgape" else runs
                world = (instance.arms, instance.theta, instance.problem)
                try:  # a short run first, so that compiling is not counted
                    simulate(functools.partial(factory, max_trials=200), *world, delta=DELTA, runs=1, rng=seed, jobs=1)
                except ValueError:  # a question that this policy does not cover
                    continue
                found = simulate(factory, *world, delta=DELTA, runs=count, rng=seed, jobs=jobs, cluster=cluster)
                yield _standing(name, policy, stopping, found, bound)


def _factory(policy: str, stopping: str, instance: Instance) -> Callable[..., Any]:
    """A policy with the constants that it is granted: the true smallest slope, and for the oracle the truth."""
    make = functools.partial(POLICIES[policy], max_trials=BUDGET)
    if policy in OWN_RULE:
        return functools.partial(make, slope=float(instance.steepness.min()))
    granted = {"theta": instance.theta} if policy == "oracle" else {}
    return functools.partial(make, stopping=stopping, guard=False, **granted)


def _standing(name: str, policy: str, stopping: str, runs: Runs, bound: float) -> Standing:
    samples = np.array([row.samples for row in runs], dtype=float)
    error = float(samples.std(ddof=1) / math.sqrt(len(samples))) if len(samples) > 1 else math.nan
    undecided = sum(row.basis == "guess" for row in runs)
    wrong = sum(not row.correct and row.basis != "guess" for row in runs)
    pace = 1e6 * sum(row.seconds for row in runs) / float(samples.sum())
    average = float(samples.mean())
    return Standing(name, policy, stopping, len(runs), average, error, average / bound, wrong, undecided, pace)


def markdown(standings: list[Standing], *, delta: float = DELTA) -> str:
    """The league as a table for each instance, the fewest samples first, and where Log-TS does not lead."""
    parts = []
    for name in dict.fromkeys(standing.instance for standing in standings):
        here = sorted((s for s in standings if s.instance == name), key=lambda s: (s.stopping == "stylized", s.samples))
        lines = [
            "| policy | stopping | runs | samples | / bound | wrong | undecided | us a sample |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for s in here:
            cells = [s.policy, s.stopping, s.runs, f"{s.samples:,.0f} ± {s.error:,.0f}", f"{s.ratio:,.2f}", s.wrong, s.undecided]
            lines.append(f"| {' | '.join(map(str, cells))} | {s.microseconds:,.2f} |")
        parts.append(f"## {name}\n\n" + "\n".join(lines) + "\n\n" + _verdict(here))
    return f"delta = {delta:g}\n\n" + "\n\n".join(parts) + "\n"


def _verdict(here: list[Standing]) -> str:
    """Whether Log-TS leads among those that do not know the truth and have a proof."""
    proven = [s for s in here if s.stopping != "stylized" and s.policy not in ("oracle", "rage-glm-r")]
    ours = next(s for s in proven if s.policy == "log-ts")
    ahead = [s for s in proven if s.samples < ours.samples and s is not ours]
    if not ahead:
        return "Log-TS takes the fewest samples."
    told = ", ".join(f"{s.policy} takes {s.samples / ours.samples - 1.0:+.0%}" for s in ahead)
    clear = [s for s in ahead if ours.samples - s.samples > 2.0 * math.hypot(s.error, ours.error)]
    return f"Log-TS is not ahead of all: {told}" + ("; the differences are within two standard errors." if not clear else ".")
