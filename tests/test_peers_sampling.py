"""Peers that choose arms by other rules: their contract on every question, and how well they do."""

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from logts import Arms, BestArm, Problem, Ranking, Threshold, TopM, VersusControl, lower_bound, simulate
from logts.judge import Judge
from logts.policies import TrackAndStop
from logts.policies.frank_wolfe_sampling import FrankWolfeSampling, OneStep
from logts.policies.lazy_track_and_stop import LazyTrackAndStop
from logts.policies.lin_game import LinGame, NoRegret
from logts.policies.oracle import Oracle
from logts.policies.top_two import LeaderAndChallenger, TopTwo
from logts.problems import Posed, Question
from logts.sampling import Sampler, rounds
from logts.tools.algebra import Array
from tests.instances import soare

PEERS: dict[str, Callable[..., TrackAndStop]] = {
    "lin-game": LinGame,
    "frank-wolfe": FrankWolfeSampling,
    "top-two": TopTwo,
    "lazy": LazyTrackAndStop,
    "oracle": Oracle,
}
RULES: dict[str, Callable[[Arms], Sampler]] = {
    "lin-game": NoRegret,
    "frank-wolfe": OneStep,
    "top-two": lambda arms: LeaderAndChallenger(arms, pair=False, rng=np.random.default_rng(0)),
}
# Easy for every question below: characteristic times from 11 to 35.
FEATURES = np.random.default_rng(158).normal(size=(5, 3))
THETA = np.array([1.04, -1.38, 1.0])
CASES: list[tuple[Arms, Array, Problem]] = [
    *((Arms(FEATURES), THETA, p) for p in (BestArm(), TopM(2), Threshold(0.45), VersusControl(0), Ranking())),
    (Arms.pairwise(["a", "b", "c", "d"]), np.array([1.8, 0.6, -0.6, -1.8]), Ranking()),
]


def peer(name: str, theta: Array, **settings: object) -> Callable[..., TrackAndStop]:
    """The policy of this name; the oracle is told theta."""
    return functools.partial(PEERS[name], **({"theta": theta} if name == "oracle" else {}), **settings)


def at(arms: Arms, theta: Array, problem: Problem) -> Posed:
    return Question(problem, arms).pose(arms.coordinates(theta))


def slopes_at(posed: Posed, arms: Arms) -> Array:
    eta = arms.points @ posed.theta
    return expit(eta) * expit(-eta)


def psi(arms: Arms, posed: Posed, weights: Array) -> Array:
    """Nature's quadratic cost of each half-space, written out plainly."""
    rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
    inverse = np.linalg.inv((arms.points * (weights * slopes_at(posed, arms))[:, None]).T @ arms.points)
    return rows.margins(posed.theta) ** 2 / (
        2 * np.einsum("ji,ik,jk->j", rows.normals, inverse, rows.normals)
    )


def moves(arms: Arms, posed: Posed, weights: Array) -> Array:
    """Nature's best step into each half-space."""
    rows = posed.alternatives.take(np.arange(len(posed.alternatives)))
    h = (arms.points * (weights * slopes_at(posed, arms))[:, None]).T @ arms.points
    directions = np.linalg.solve(h, rows.normals.T).T
    return -(rows.margins(posed.theta) / (rows.normals * directions).sum(axis=1))[:, None] * directions


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[2]!r}-{len(c[0])}")
@pytest.mark.parametrize("name", PEERS)
def test_peers_keep_the_contract_and_answer_every_question(
    name: str, case: tuple[Arms, Array, Problem]
) -> None:
    arms, theta, problem = case
    rates = expit(arms.features @ theta)
    make = peer(name, theta, delta=0.1, guard=False)
    told = []
    for _ in range(2):
        policy = make(arms, problem)
        rng = np.random.default_rng(1)
        sizes = [1, 7, 1, 7]
        asked_for = []
        while policy.verdict is None:
            asked = policy.ask(sizes.pop() if sizes else policy.block)
            assert asked.arms.dtype == np.intp
            assert 0 <= asked.arms.min() <= asked.arms.max() < len(arms)
            asked_for.append(asked.arms)
            policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
        told.append((np.concatenate(asked_for).tolist(), policy.verdict))
    assert told[0] == told[1]
    runs = simulate(make, arms, theta, problem, delta=0.1, runs=8, rng=2)
    assert all(row.proven and row.basis == "model" for row in runs)
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 8, 0.1)


@pytest.mark.parametrize("problem", [BestArm(), TopM(2), VersusControl(0)], ids=repr)
@pytest.mark.parametrize("name", PEERS)
def test_peers_go_on_without_the_model_after_an_alarm(
    name: str, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "alarm_threshold", -math.inf)
    (run,) = simulate(peer(name, THETA), Arms(FEATURES), THETA, problem, delta=0.1, runs=1, rng=0)
    assert (run.correct, run.proven, run.basis) == (True, True, "model-free")


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[2]!r}-{len(c[0])}")
def test_rounds_do_not_depend_on_the_size_of_asks(name: str, case: tuple[Arms, Array, Problem]) -> None:
    arms, theta, problem = case
    found = []
    for sizes in ([1] * 20 + [7, 30], [57]):
        sampler = RULES[name](arms)
        first = sampler.next(12)
        sampler.learn(at(arms, theta, problem), np.bincount(first, minlength=len(arms)).astype(float))
        found.append(np.concatenate([sampler.next(n) for n in sizes]).tolist())
    assert found[0] == found[1]


@functools.cache
def samples(name: str) -> float:
    """Mean samples where the second arm is neither far nor near."""
    runs = simulate(
        peer(name, np.array([1.0, 0.0]), guard=False),
        Arms(soare(2, 0.8)),
        [1.0, 0.0],
        BestArm(),
        delta=0.1,
        runs=24,
        rng=4,
    )
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 24, 0.1)
    return float(np.mean([row.samples for row in runs]))


@pytest.mark.parametrize("name", [name for name in PEERS if name != "oracle"])
def test_peers_come_near_to_the_oracle(name: str) -> None:
    assert samples(name) < 1.6 * samples("oracle")


def settle(sampler: Sampler, arms: Arms, posed: Posed, t: int) -> Array:
    """Proportions after ``t`` rounds at a parameter known from the start; looks by doubling."""
    trials = np.bincount(sampler.next(4 * arms.dimension), minlength=len(arms)).astype(float)
    while trials.sum() < t:
        sampler.learn(posed, trials)
        trials += np.bincount(sampler.next(int(min(trials.sum(), t - trials.sum()))), minlength=len(arms))
    return trials / trials.sum()


@pytest.mark.parametrize("name", ["lin-game", "frank-wolfe"])
@pytest.mark.parametrize(
    "case", [*CASES, (Arms(soare(2)), np.array([1.0, 0.0]), BestArm())], ids=lambda c: f"{c[2]!r}-{len(c[0])}"
)
def test_proportions_tend_to_the_optimum(name: str, case: tuple[Arms, Array, Problem]) -> None:
    arms, theta, problem = case
    posed = at(arms, theta, problem)
    bound = lower_bound(arms, theta, problem, divergence="quadratic")
    reached = psi(arms, posed, settle(RULES[name](arms), arms, posed, 20_000)).min()
    assert 0.9 < reached * bound.characteristic_time < 1.0 + 1e-5


@pytest.mark.parametrize("name", ["lin-game", "frank-wolfe", "top-two"])
def test_many_half_spaces_are_met_by_the_nearest(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    arms = Arms(rng.normal(size=(30, 3)))
    theta = 2.0 * rng.normal(size=3)
    posed = at(arms, theta, TopM(10))
    everything = psi(arms, posed, settle(RULES[name](arms), arms, posed, 20_000)).min()
    monkeypatch.setattr(rounds, "WRITTEN", 20)
    monkeypatch.setattr(rounds, "NEAR", 8)
    nearest = psi(arms, posed, settle(RULES[name](arms), arms, posed, 20_000)).min()
    assert nearest > 0.95 * everything
