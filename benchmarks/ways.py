"""Hard instances, and ways of trying and telling that a guarantee must survive: for ``calibrate.py``.

"In order": asked for up to the next look and told at once. "Batches": fifty at a time. "Delayed": forty are
in the air and a success comes back up to a hundred and twenty trials late. "Adversarial": whoever tries knows
the truth and tries the arm that is furthest from what the nearest wrong answer needs, so that luck in its
favour is kept and the rest is tried again. "History in the air": the outcomes of trials that are out are told
as history first. Two are against the rules: "peeking forecasts" have seen the outcome, and of "lost failures"
one in five is abandoned, of the arms that should look good.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from logts import Arms, BestArm, LogTS, Problem, Ranking, Threshold, TopM, VersusControl, lower_bound
from logts.evidence.forecast import Forecaster
from logts.evidence.tally import Tally
from logts.experiments.instances import best_arm_benchmark
from logts.tools.algebra import Array, Indices

EASY = 300.0  # characteristic times between which a random instance must lie
HARD = 600.0
BATCH = 50
IN_THE_AIR = 40
BACK = 10  # outcomes told at a time, of those in the air
LATE = 120
LOST = 0.2
STUBBORN = 12  # whoever is adversarial tries an arm again for one in so many of the trials made

Step = Callable[[], None]


@dataclass(frozen=True)
class Instance:
    """A question and its world; at a ``tie`` no answer is right, and ``off`` the model are some logits."""

    name: str
    arms: Arms
    theta: Array
    problem: Problem
    tie: bool = False
    off: tuple[float, ...] = (0.0,)

    @cached_property
    def rates(self) -> Array:
        return expit(self.arms.features @ self.theta + self.off)

    @property
    def item_rates(self) -> Array:
        return expit(self.arms.item_features @ self.theta)

    @cached_property
    def _answer(self) -> tuple[int, ...]:
        if any(self.off):
            own = Arms(names=self.arms.names)
            return self.problem.answer(own.items, own.coordinates(logit(self.rates)))
        return self.problem.answer(self.arms.items, self.arms.coordinates(self.theta))

    @property
    def truth(self) -> tuple[int, ...] | None:
        return None if self.tie else self._answer

    @cached_property
    def wanted(self) -> Array:
        """For each arm 1 if successes speak for the nearest wrong answer, -1 if failures do."""
        theta = self.arms.coordinates(self.theta)
        alternatives = self.problem.alternatives(self.arms.items, self._answer)
        nearest, _ = alternatives.nearest(theta, np.eye(len(theta)), 1)
        away = alternatives.take(nearest).normals[0][: self.arms.dimension]
        return np.where(self.arms.points @ away < -1e-9, 1.0, -1.0)


def soare(d: int, angle: float) -> Arms:
    return best_arm_benchmark(d, angle).arms


def sphere(count: int, d: int, seed: int) -> tuple[Arms, Array]:
    """Arms uniform on the sphere, and a parameter of norm one."""
    rng = np.random.default_rng([count, d, seed])
    x = rng.normal(size=(count, d))
    theta = rng.normal(size=d)
    return Arms(x / np.linalg.norm(x, axis=1, keepdims=True)), theta / np.linalg.norm(theta)


def on_sphere(count: int, d: int, norm: float, delta: float) -> tuple[Arms, Array]:
    """The first such instance that is neither trivial nor endless."""
    drawn = (sphere(count, d, seed) for seed in itertools.count())
    for arms, direction in drawn:
        theta = norm * direction
        bound = lower_bound(arms, theta, BestArm(), delta, tolerance=0.01)
        if EASY < bound.characteristic_time < HARD:
            return arms, theta
    raise AssertionError("there is no end of seeds")


def named(*rates: float) -> tuple[Arms, Array]:
    """Arms by name alone, at these rates."""
    return Arms(names=[f"arm {i}" for i in range(len(rates))]), logit(np.array(rates))


TIE = Instance(
    "best arm, d=2, exact tie",
    Arms([[1, 0], [0, 1], [0.8, 0.6]]),
    np.array([1.0, 1 / 3]),
    BestArm(),
    tie=True,
)
TWO = Instance("best of two names, exact tie", *named(0.5, 0.5), BestArm(), tie=True)
THREE = Instance("best of three names, exact tie", *named(0.3, 0.3, 0.3), BestArm(), tie=True)
SIX = Instance("best arm, d=6", soare(6, 0.5), np.eye(6)[0], BestArm())
NAMES = Instance(
    "top 2 of 4, unrelated, near tie", Arms(names=list("abcd")), np.array([0.6, 0.25, 0.0, -0.5]), TopM(2)
)
RATE = Instance("threshold, d=2, near the rate", soare(2, 0.8), np.array([0.3, 0.5]), Threshold(0.55))
CONTROL = Instance(
    "versus control, rates near 0 and 1", soare(2, 1.2), np.array([4.0, -4.0]), VersusControl(2)
)
NEAR = Instance("best arm, d=2, near tie", soare(2, 0.2), np.array([1.0, 0.0]), BestArm())
HARDEST = [TIE, TWO, THREE, NEAR]
INSTANCES = [
    *HARDEST,
    SIX,
    NAMES,
    RATE,
    CONTROL,
    Instance("ranking by comparisons", Arms.pairwise(["a", "b", "c"]), np.array([0.4, 0.1, -0.3]), Ranking()),
]


# In these the model is wrong. Where options tie, whatever is proven without it is an error.
LINE = Arms(np.column_stack([np.ones(5), np.arange(5.0)]))
GRID = Arms([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
BENT = [
    Instance(
        "peak under a line, the best two tie",
        LINE,
        np.zeros(2),
        BestArm(),
        tie=True,
        off=(-2.0, -0.7, 0.6, 0.6, -0.9),
    ),
    Instance(
        "two of twelve are off and tie",
        GRID,
        np.array([-0.8, 0.3, 0.2]),
        BestArm(),
        tie=True,
        off=(1.9, 0, 0, 0, 0, 0, 1.2, 0, 0, 0, 0, -0.9),
    ),
    Instance(
        "equal features, unequal rates",
        Arms([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]),
        np.array([0.0, -0.4]),
        BestArm(),
        off=(0.0, 0.9, 0.0, 0.0),
    ),
    Instance("top 2, one is off", LINE, np.array([-0.5, 0.25]), TopM(2), off=(2.0, 0, 0, 0, 0)),
]


@dataclass
class Live:
    """A study under way, and its world."""

    policy: LogTS
    instance: Instance
    rng: np.random.Generator

    def outcomes(self, arms: Indices) -> Array:
        return self.rng.random(len(arms)) < self.instance.rates[arms]

    def ask_and_tell(self, n: int) -> None:
        asked = self.policy.ask(n)
        self.policy.tell(asked.ids, self.outcomes(asked.arms))


def in_order(live: Live) -> Step:
    return lambda: live.ask_and_tell(live.policy.block)


def batches(live: Live) -> Step:
    return lambda: live.ask_and_tell(BATCH)


def delayed(live: Live) -> Step:
    waiting: list[tuple[float, int, bool]] = []

    def step() -> None:
        asked = live.policy.ask(IN_THE_AIR - len(waiting))
        outcomes = live.outcomes(asked.arms)
        late = LATE * outcomes * live.rng.random(len(outcomes))
        waiting.extend(zip(asked.ids + late, asked.ids, outcomes.tolist(), strict=True))
        waiting.sort()
        back = waiting[:BACK]
        del waiting[:BACK]
        live.policy.tell([i for _, i, _ in back], [o for _, _, o in back])

    return step


def adversarial(live: Live) -> Step:
    rates = live.instance.rates
    tried = np.zeros(len(rates))
    won = np.zeros(len(rates))

    def step() -> None:
        policy = live.policy
        luck = live.instance.wanted * (won - tried * rates) / np.sqrt(tried * rates * (1.0 - rates) + 1e-9)
        luck[tried == 0] = -np.inf
        total = int(tried.sum())
        arms = np.full(1 + total // STUBBORN, luck.argmin())
        policy.replay(arms)
        outcomes = live.outcomes(arms)
        policy.tell(range(total, total + len(arms)), outcomes)
        tried[arms[0]] += len(arms)
        won[arms[0]] += outcomes.sum()

    return step


def history_in_the_air(live: Live) -> Step:
    count = len(live.instance.rates)

    def step() -> None:
        asked = live.policy.ask(BATCH)
        outcomes = live.outcomes(asked.arms)
        trials = np.bincount(asked.arms, minlength=count).astype(float)
        live.policy.tell_history(trials, np.bincount(asked.arms, outcomes, count))
        live.policy.tell(asked.ids, outcomes)

    return step


def lost_failures(live: Live) -> Step:
    def step() -> None:
        asked = live.policy.ask(live.policy.block)
        outcomes = live.outcomes(asked.arms)
        good = live.instance.wanted[asked.arms] > 0
        lost = good & ~outcomes.astype(bool) & (live.rng.random(len(outcomes)) < LOST)
        ids = np.asarray(asked.ids)
        live.policy.abandon(ids[lost])
        live.policy.tell(ids[~lost], outcomes[~lost])

    return step


class PeekingForecaster(Forecaster):
    """Broken on purpose: scores each outcome after having learnt from it."""

    def absorb(self, arms: Indices, outcomes: Array, tally: Tally, past: Tally) -> None:
        for s in range(len(arms)):
            one = arms[s : s + 1], outcomes[s : s + 1]
            super().absorb(*one, tally.copy(), past)
            super().absorb(*one, tally, past)


def peeking(live: Live) -> Step:
    live.policy.judge._model._forecaster = PeekingForecaster(live.instance.arms.points)
    return in_order(live)


WAYS: dict[str, Callable[[Live], Step]] = {
    "in order": in_order,
    "batches": batches,
    "delayed": delayed,
    "adversarial": adversarial,
    "history in the air": history_in_the_air,
}
BROKEN: dict[str, Callable[[Live], Step]] = {"peeking forecasts": peeking, "lost failures": lost_failures}


def ended(instance: Instance, way: str, delta: float, trials: int, seed: int) -> LogTS:
    """A policy at the end of a run."""
    guard = way != "peeking forecasts"
    policy = LogTS(instance.arms, instance.problem, delta=delta, max_trials=trials, guard=guard)
    step = (WAYS | BROKEN)[way](Live(policy, instance, np.random.default_rng([seed, 7])))
    while policy.verdict is None:
        step()
    return policy


def run(instance: Instance, way: str, delta: float, trials: int, seed: int) -> str:
    """One run: 'right', 'wrong' or 'undecided'."""
    verdict = ended(instance, way, delta, trials, seed).verdict
    if verdict is None or not verdict.proven:
        return "undecided"
    return "right" if verdict.answer.items == instance.truth else "wrong"


def watched(instance: Instance, way: str, delta: float, trials: int, seed: int) -> tuple[str, bool]:
    """One run in which the model is watched: what the verdict rests on and how it is; and the alarm."""
    policy = ended(instance, way, delta, trials, seed)
    verdict = policy.verdict
    alarmed = policy.judge.alarmed
    if verdict is None or not verdict.proven:
        return "undecided", alarmed
    right = verdict.answer.items == instance.truth
    return f"{verdict.basis}: {'right' if right else 'wrong'}", alarmed


def missed(instance: Instance, way: str, delta: float, moments: Indices, seed: int) -> bool:
    """Whether an interval ever misses the rate of an item, at some moments of a run that has no end."""
    policy = LogTS(instance.arms, instance.problem, delta=delta)
    step = WAYS[way](Live(policy, instance, np.random.default_rng([seed, 11])))
    truth = instance.item_rates
    for moment in moments:
        while policy.ledger.complete < moment:
            step()
        for rate, true in zip(policy.rates(), truth, strict=True):
            if not rate.low - 1e-9 <= true <= rate.high + 1e-9:
                return True
    return False


def least_p_values(instance: Instance, way: str, trials: int, seed: int) -> dict[tuple[int, ...], float]:
    """For each answer the smallest p-value ever against it being wrong, read at every look of a run."""
    policy = LogTS(instance.arms, instance.problem, delta=1e-12)
    step = WAYS[way](Live(policy, instance, np.random.default_rng([seed, 13])))
    least: dict[tuple[int, ...], float] = {}
    while policy.ledger.complete < trials and policy.verdict is None:
        step()
        # While little is enough all alternatives are looked at, so that a confidence is said from zero on.
        policy.judge.delta = 0.999
        said = policy.progress
        policy.judge.delta = 1e-12
        if said.leader is not None:
            items = said.leader.items
            least[items] = min(least.get(items, 1.0), 1.0 - said.confidence)
    return least
