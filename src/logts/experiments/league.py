"""Every policy on the same instances in one run: samples beside the exact lower bound, errors, time."""

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

DELTA = 0.1
BUDGET = 20_000_000
TOLD_SLOPE = ("rage-glm", "rage-glm-r", "glgape")  # the smallest one over the arms
OWN_RULE = (*TOLD_SLOPE, "rage", "melk", "gaussian-plug-in")
COSTLY = ("glgape", "gaussian-plug-in")  # many millions of samples, where arms are many or share features
HEAD = (
    "| policy | stopping | runs | samples | / bound | wrong | undecided | proven | us a sample |",
    "|---|---|---|---|---|---|---|---|---|",
)


@dataclass(frozen=True)
class Place:
    """How one policy did with one stopping rule on one instance."""

    instance: str
    policy: str
    stopping: str
    runs: int
    samples: float
    error: float
    ratio: float
    wrong: int
    undecided: int
    proven: bool
    microseconds: float


def _drawn(experiment: str, size: int) -> Instance:
    return EXPERIMENTS[experiment].instance(size, np.random.default_rng([0, size]))


def _five_items() -> Instance:
    return Instance(Arms.pairwise(list("abcde")), np.array([1.2, 0.6, 0.0, -0.6, -1.2]), Ranking())


INSTANCES: dict[str, Callable[[], Instance]] = {
    "Soare, d = 2": lambda: best_arm_benchmark(2, 0.3),
    "Soare, d = 6": lambda: best_arm_benchmark(6, 0.3),
    "circle, K = 100": lambda: _drawn("table1", 100),
    "threshold, K = 20": lambda: _drawn("table2", 20),
    "top 5, K = 20": lambda: _drawn("topm", 20),
    "pairwise, 5 items": _five_items,
}


def league(
    *, runs: int, few: int, seed: int = 0, jobs: int = 1, cluster: str | None = None
) -> Iterator[Place]:
    """All places, one after the other. Rules of their own that need millions of samples get ``few`` runs."""
    for name, make in INSTANCES.items():
        instance = make()
        world = (instance.arms, instance.theta, instance.problem)
        bound = lower_bound(*world, delta=DELTA).samples
        for policy in POLICIES:
            for stopping in ("its own",) if policy in OWN_RULE else ("evidence", "stylized"):
                factory = _factory(policy, stopping, instance)
                short = functools.partial(factory, max_trials=200)
                try:  # a short run first, so that compiling is not counted
                    simulate(short, *world, delta=DELTA, runs=1, rng=seed, jobs=1)
                except ValueError:  # a question that this policy does not cover
                    continue
                count = few if policy in COSTLY else runs
                found = simulate(
                    factory, *world, delta=DELTA, runs=count, rng=seed, jobs=jobs, cluster=cluster
                )
                yield _place(name, policy, stopping, found, bound)


def _factory(policy: str, stopping: str, instance: Instance) -> Callable[..., Any]:
    """A policy with the constants that it is granted: the smallest slope, and for the oracle the truth."""
    make = functools.partial(POLICIES[policy], max_trials=BUDGET)
    if policy in TOLD_SLOPE:
        return functools.partial(make, slope=float(instance.steepness.min()))
    if policy in OWN_RULE:
        return make
    granted = {"theta": instance.theta} if policy == "oracle" else {}
    return functools.partial(make, stopping=stopping, guard=False, **granted)


def _place(name: str, policy: str, stopping: str, runs: Runs, bound: float) -> Place:
    samples = np.array([row.samples for row in runs], dtype=float)
    average = float(samples.mean())
    return Place(
        instance=name,
        policy=policy,
        stopping=stopping,
        runs=len(runs),
        samples=average,
        error=float(samples.std(ddof=1) / math.sqrt(len(samples))) if len(samples) > 1 else math.nan,
        ratio=average / bound,
        wrong=sum(not row.correct and row.basis != "guess" for row in runs),
        undecided=sum(row.basis == "guess" for row in runs),
        proven=all(row.proven for row in runs if row.basis != "guess"),
        microseconds=1e6 * sum(row.seconds for row in runs) / float(samples.sum()),
    )


def markdown(places: list[Place], *, delta: float = DELTA) -> str:
    """The league as a table for each instance, the fewest samples first, and where Log-TS does not lead."""
    parts = []
    for name in dict.fromkeys(place.instance for place in places):
        here = [place for place in places if place.instance == name]
        here.sort(key=lambda place: (not place.proven, place.samples))
        lines = [*HEAD, *map(_row, here)]
        parts.append(f"## {name}\n\n" + "\n".join(lines) + "\n\n" + _verdict(here))
    return f"delta = {delta:g}\n\n" + "\n\n".join(parts) + "\n"


def _row(place: Place) -> str:
    cells = [
        place.policy,
        place.stopping,
        place.runs,
        f"{place.samples:,.0f} ± {place.error:,.0f}",
        f"{place.ratio:,.2f}",
        place.wrong,
        place.undecided,
        "yes" if place.proven else "no",
        f"{place.microseconds:,.2f}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _verdict(here: list[Place]) -> str:
    """Whether Log-TS leads among those that do not know the truth and have a proof."""
    proven = [s for s in here if s.proven and s.policy != "oracle"]
    ours = next(s for s in proven if s.policy == "log-ts")
    ahead = [s for s in proven if s.samples < ours.samples and s is not ours]
    if not ahead:
        return "Log-TS takes the fewest samples."
    told = ", ".join(f"{s.policy} takes {s.samples / ours.samples - 1.0:+.0%}" for s in ahead)
    clear = any(ours.samples - s.samples > 2.0 * math.hypot(s.error, ours.error) for s in ahead)
    end = "." if clear else "; the differences are within two standard errors."
    return f"Log-TS is not ahead of all: {told}{end}"
