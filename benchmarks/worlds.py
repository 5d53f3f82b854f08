"""What features cost when they mislead: random worlds in which the model is wrong, and their straight twins.

Every world is drawn: the options, their features and rates, and the question. In its straight twin each
option has the rate that the model fits best. A study by default is compared with one by names alone and,
where the model is right, with one that trusts it. Writes ``benchmarks/results/worlds.md``.
"""

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from logts import (
    Arms,
    BestArm,
    LogTS,
    Problem,
    Rates,
    Run,
    Threshold,
    TopM,
    VersusControl,
    lower_bound,
    simulate,
)
from logts.logistic import maximum_likelihood
from logts.tools.algebra import Array
from logts.tools.parallel import run_all, watched

DELTA = 0.05
BUDGET = 200_000
SIZES = (6, 12, 40)
# characteristic times by names alone between which a world must lie, for an option
EASY = 2.0
HARD = 120.0
LEAST = 0.02  # success rates lie between this and one minus it

Draw = Callable[[np.random.Generator, int], tuple[Array, Array]]


@dataclass(frozen=True)
class World:
    """Options by their features, the rate of each, and the question."""

    family: str
    number: int
    features: Array
    rates: Array
    problem: Problem
    theta: Array | None = None  # where the model is right

    @property
    def straight(self) -> bool:
        return self.theta is not None

    @property
    def names(self) -> list[str]:
        return [f"o{k}" for k in range(len(self.rates))]

    def by_model(self) -> Arms:
        return Arms(self.features, names=self.names)

    def by_name(self) -> Arms:
        return Arms(names=self.names)

    def twin(self) -> "World":
        """The same with the rates that the model fits best."""
        arms = self.by_model()
        fit = maximum_likelihood(arms.points, np.ones(len(arms)), self.rates)
        return replace(self, rates=expit(arms.points @ fit.theta), theta=arms.parameter(fit.theta))

    def sensible(self) -> bool:
        """Whether the question can be answered by names alone in a sensible number of trials."""
        if not ((self.rates > LEAST) & (self.rates < 1.0 - LEAST)).all():
            return False
        found = lower_bound(self.by_name(), logit(self.rates), self.problem, DELTA)
        return EASY < found.characteristic_time / len(self.rates) < HARD


def straight(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """Features of some options, an intercept first, and logits that follow them."""
    d = int(rng.integers(1, max(2, min(4, k // 3)) + 1))
    x = np.column_stack([np.ones(k), rng.normal(size=(k, d))])
    theta = np.append(rng.normal(scale=0.5), rng.normal(size=d) * 0.8 / np.sqrt(d))
    return x, x @ theta


def some_off(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """One or two options off the model by .7 to 3 logits."""
    x, logits = straight(rng, k)
    off = rng.choice(k, size=rng.integers(1, 3), replace=False)
    logits[off] += rng.uniform(0.7, 3.0, len(off)) * rng.choice([-1.0, 1.0], len(off))
    return x, logits


def interaction(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """Factors that are added up, while two of them interact."""
    sizes = {6: (2, 3), 12: (3, 4), 40: (2, 4, 5)}[k]
    levels = np.array(list(itertools.product(*map(range, sizes))))
    columns = [(levels[:, f] == at).astype(float) for f, n in enumerate(sizes) for at in range(1, n)]
    x = np.column_stack([np.ones(k), *columns])
    logits = x @ rng.normal(scale=0.6, size=x.shape[1])
    first, second = levels[:, -2], levels[:, -1]
    together = rng.normal(scale=1.0, size=(sizes[-2], sizes[-1]))
    return x, logits + together[first, second]


def curve(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """Doses whose effect saturates or has a peak, under a straight line."""
    dose = np.linspace(0.0, 1.0, k if k < 40 else 10)
    height = rng.uniform(1.5, 4.0)
    if rng.random() < 0.5:
        logits = height * (1.0 - ((dose - rng.uniform(0.3, 0.8)) / rng.uniform(0.4, 0.8)) ** 2)
    else:
        logits = height * dose / (dose + rng.uniform(0.1, 0.4))
        logits -= rng.uniform(0.3, 1.0) * np.maximum(dose - 0.7, 0.0) * height  # and falls a little
    return np.column_stack([np.ones(len(dose)), dose]), logits - rng.uniform(1.0, height)


def mediocre(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """The best of all is predicted to be in the middle."""
    x, logits = straight(rng, k)
    middle = int(np.argsort(logits)[k // 2])
    logits[middle] = logits.max() + rng.uniform(0.5, 1.5)
    return x, logits


def equal(rng: np.random.Generator, k: int) -> tuple[Array, Array]:
    """Options with equal features and different rates, among the best."""
    x, logits = straight(rng, k)
    best, other = np.argsort(logits)[[-1, 0]]
    x[other] = x[best]
    gap = rng.uniform(0.7, 2.0)
    logits[other] = logits[best] + gap * rng.choice([-1.0, 1.0])
    return x, logits


def three(rng: np.random.Generator, _: int) -> tuple[Array, Array]:
    """Three options in two dimensions."""
    return rng.normal(size=(3, 2)), rng.normal(size=3)


FAMILIES: dict[str, Draw] = {
    "one or two options off": some_off,
    "missing interaction": interaction,
    "curve under a line": curve,
    "best predicted mediocre": mediocre,
    "equal features": equal,
    "three options, two dimensions": three,
}


def question(rng: np.random.Generator, rates: Array) -> Problem:
    """Mostly the best; or some, a threshold, or a control."""
    k = len(rates)
    kind = rng.random()
    if kind < 0.55 or k == 3:
        return BestArm()
    if kind < 0.7:
        return TopM(2)
    if kind < 0.85:
        ordered = np.sort(logit(rates))
        gaps = np.diff(ordered)
        at = int(np.argmax(gaps))
        return Threshold(float(expit(0.5 * (ordered[at] + ordered[at + 1]))))
    return VersusControl(int(np.argsort(rates)[k // 2]), 0.0)


def worlds(family: str, count: int, seed: int) -> Iterator[World]:
    """Worlds of a family, each followed by its straight twin."""
    rng = np.random.default_rng([seed, list(FAMILIES).index(family)])
    made = 0
    while made < count:
        features, logits = FAMILIES[family](rng, SIZES[made % len(SIZES)])
        rates = expit(logits)
        world = World(family, made, features, rates, question(rng, rates))
        twin = world.twin()
        # Options with equal features tie in the twin: either is right, and names alone never end.
        if world.sensible() and (family == "equal features" or twin.sensible()):
            yield world
            yield twin
            made += 1


WAYS = ("default", "names alone", "model trusted")


def asked_of(world: World) -> tuple[str, ...]:
    """Who studies a world: to trust a wrong model, and names alone at a tie, are no use."""
    tied = world.family == "equal features" and world.straight
    return (WAYS[0], *([] if tied else WAYS[1:2]), *(WAYS[2:] if world.straight else []))


def run(world: World, way: str, seed: int) -> tuple[World, str, Run]:
    """One study of a world."""
    named = way == "names alone"
    arms = world.by_name() if named else world.by_model()
    truth = Rates(world.rates) if named or world.theta is None else world.theta
    policy = partial(LogTS, max_trials=BUDGET, guard=way != "model trusted")
    place = [seed, list(FAMILIES).index(world.family), world.number, WAYS.index(way), int(world.straight)]
    runs = simulate(policy, arms, truth, world.problem, delta=DELTA, runs=1, rng=np.random.default_rng(place))
    return world, way, runs[0]


Found = dict[tuple[str, bool, str], list[Run]]


def table(found: Found) -> list[str]:
    """A row for each family, wrong and straight."""
    lines = [
        "| family | model | studies | wrong by the model | wrong without it | guesses | by the model | "
        "alarms | trials | names alone | model trusted | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    ratios: dict[bool, list[float]] = {False: [], True: []}
    for family, right in itertools.product(FAMILIES, (False, True)):
        way = WAYS[0]
        if (family, right, way) not in found:
            continue
        runs = found[family, right, way]
        trials = {
            other: middle(found[family, right, other]) for other in WAYS if (family, right, other) in found
        }
        better = min(trials[other] for other in WAYS[1:] if other in trials)
        ratios[right].append(trials[way] / better)
        cells = [
            family,
            "right" if right else "wrong",
            len(runs),
            sum(r.basis == "model" and not r.correct for r in runs),
            sum(r.basis == "model-free" and not r.correct for r in runs),
            sum(r.basis == "guess" for r in runs),
            sum(r.basis == "model" for r in runs),
            sum(alarmed(r) for r in runs),
            *(f"{trials[other]:,.0f}" if other in trials else "-" for other in WAYS),
            f"{trials[way] / better:.2f}",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    runs = [r for (_, _, way), rows in found.items() if way == WAYS[0] for r in rows]
    wrong = sum(r.basis == "model" and not r.correct for r in runs)
    all_ratios = ratios[False] + ratios[True]
    straight_runs = [r for (_, right, way), rows in found.items() if way == WAYS[0] and right for r in rows]
    lines += [
        "",
        f"Wrong by the model: {wrong} of {len(runs)} ({wrong / len(runs):.1%}). Ratio to the better way: "
        f"{np.mean(all_ratios):.2f} on average over the rows ({np.mean(ratios[False]):.2f} where the model "
        f"is wrong, {np.mean(ratios[True]):.2f} where it is right), {max(all_ratios):.2f} at most. "
        f"Straight studies: {sum(map(alarmed, straight_runs))} of {len(straight_runs)} were alarmed.",
    ]
    return lines


def alarmed(run: Run) -> bool:
    """Whether the model was set aside: evidence without it may then use all of delta."""
    return run.basis == "model-free" and run.threshold < np.log(2.0 / DELTA)


def middle(runs: list[Run]) -> float:
    """The geometric mean of the trials."""
    return float(np.exp(np.mean([np.log(r.samples) for r in runs])))


def main() -> None:
    """Fill the table and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=167, help="worlds of each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "worlds.md")
    options = parser.parse_args()
    begin = time.perf_counter()
    tasks = [
        (world, way, options.seed)
        for family in options.families
        for world in worlds(family, options.count, options.seed)
        for way in asked_of(world)
    ]
    found: Found = {}
    for world, way, row in watched(run_all(run, tasks, jobs=options.jobs), len(tasks), "studies", show=True):
        found.setdefault((world.family, world.straight, way), []).append(row)
    lines = table(found)
    options.out.write_text("\n".join([*HEAD, *lines, ""]))
    print("\n".join(lines), f"\n{time.perf_counter() - begin:.0f} s")


HEAD = [
    "# Worlds in which the model is wrong, and their straight twins",
    "",
    "Made by `python benchmarks/worlds.py`: random worlds of 3 to 40 options, questions of all kinds, delta "
    f"= {DELTA}, at most {BUDGET:,} trials, one study each. Trials are geometric means. The ratio is to the "
    "better of names alone and, where the model is right, trusting it. An alarm where the model is right is "
    "a false one.",
    "",
]


if __name__ == "__main__":
    main()
