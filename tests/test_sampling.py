"""Sampling rules: when weights are computed, and who is tried."""

import functools
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import logts
from logts import Arms, BestArm, LogTS
from logts.design.renew import renew
from logts.policies import Uniform
from logts.problems import Question
from logts.sampling import Even, OptimalTracking, Patrol
from tests.instances import soare


def estimates(seed: int) -> list[np.ndarray]:
    """A parameter that settles down."""
    rng = np.random.default_rng(seed)
    return [np.array([1.0, 0.0]) + rng.normal(size=2) / math.sqrt(t) for t in range(1, 65)]


@pytest.mark.parametrize("schedule", ["certificate", "every-step", "doubling", "geometric"])
def test_weights_are_computed_on_schedule(schedule: str) -> None:
    arms = Arms(soare(2))
    question = Question(BestArm(), arms)
    sampler = OptimalTracking(arms, divergence="quadratic", schedule=schedule)  # type: ignore[arg-type]  # a name
    trials = np.zeros(3)
    solved_at = []
    for t, theta in enumerate(estimates(0), start=1):
        trials[sampler.next(1)] += 1
        before = sampler.solved
        sampler.learn(question.pose(arms.coordinates(theta)), trials)
        if sampler.solved > before:
            solved_at.append(t)
        due = {
            "certificate": math.inf,
            "every-step": t + 1,
            "doubling": 2 ** t.bit_length(),
            "geometric": max(t + 1, math.floor(1.1 * solved_at[-1]) + 1),
        }
        assert t + sampler.patience(t) == due[schedule]
    if schedule == "every-step":
        assert solved_at == list(range(1, 65))
    elif schedule == "doubling":
        assert solved_at == [1, 2, 4, 8, 16, 32, 64]
    elif schedule == "geometric":
        assert np.diff(solved_at).max() <= 7
        assert all(later >= 1.1 * earlier for earlier, later in itertools.pairwise(solved_at))
    else:
        assert 1 < len(solved_at) < 40


def test_kept_weights_are_within_a_tenth_of_the_optimum() -> None:
    arms = Arms(soare(2))
    question = Question(BestArm(), arms)
    sampler = OptimalTracking(arms, divergence="quadratic", schedule="certificate")
    kept = 0
    for theta in estimates(1):
        before = sampler.solved
        sampler.learn(question.pose(arms.coordinates(theta)), np.ones(3))
        best = logts.lower_bound(arms, theta, BestArm(), divergence="quadratic").characteristic_time
        assert sampler.characteristic_time <= 1.1 * best * (1 + 1e-6)
        kept += sampler.solved == before
    assert kept > 20


def test_schedules_end_with_the_same_answer() -> None:
    arms = Arms(soare(2, 1.0))
    for schedule in ("every-step", "doubling", "geometric"):
        policy = functools.partial(LogTS, schedule=schedule)
        runs = logts.simulate(policy, arms, [1.0, 0.0], BestArm(), delta=0.1, runs=5, rng=1)
        assert sum(row.correct for row in runs) >= 4
    with pytest.raises(ValueError, match="schedule must be one of certificate"):
        LogTS(arms, BestArm(), schedule="never")  # type: ignore[arg-type]  # wrong on purpose


def test_patrol_gives_every_arm_its_turn_whatever_the_blocks() -> None:
    class Stubborn:
        characteristic_time = math.inf

        def next(self, n: int) -> np.ndarray:
            return np.full(n, 3)

        def learn(self, posed: object, trials: object) -> None: ...

        def patience(self, t: int) -> float:
            return math.inf

    whole = Patrol(Stubborn(), 3, 5).next(45)
    patrol = Patrol(Stubborn(), 3, 5)
    parts = np.concatenate([patrol.next(n) for n in (1, 3, 1, 4, 1, 30, 5)])
    assert (whole == parts).all()
    assert whole[4::5].tolist() == [0, 1, 2] * 3
    assert np.bincount(whole, minlength=4).tolist() == [3, 3, 3, 36]


def test_uniform_sampling_is_even_and_needs_more_trials() -> None:
    arms = Arms(soare(2))
    even = Even(arms)
    assert np.concatenate([even.next(4), even.next(5)]).tolist() == [0, 1, 2] * 3
    uniform = logts.simulate("uniform", arms, [1.0, 0.0], BestArm(), delta=0.1, runs=20, rng=0)
    ours = logts.simulate("log-ts", arms, [1.0, 0.0], BestArm(), delta=0.1, runs=20, rng=0)
    assert all(max(row.counts) - min(row.counts) <= 2 for row in uniform)
    assert np.mean([row.samples for row in uniform]) > 1.3 * np.mean([row.samples for row in ours])
    policy = Uniform(arms, BestArm())
    asked = policy.ask(300)
    policy.tell(asked.ids, np.random.default_rng(0).random(300) < 0.6)
    assert policy.progress.leader is not None
    with pytest.raises(ValueError, match=r"there are: .*log-ts"):
        logts.simulate("nobody", arms, [1.0, 0.0], BestArm())


def test_compiling_is_announced_once_and_kept(tmp_path: Path) -> None:
    code = "from logts.logistic.kernels import mean, slope; mean(0.5), slope(0.5)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stderr
        for _ in range(2)
    )
    assert first.count("compiling") == 1
    assert second == ""


def test_code_kept_by_another_version_is_no_obstacle(tmp_path: Path) -> None:
    """What was compiled for a named tuple that has since got another name is compiled anew."""
    text = """
from typing import NamedTuple
import numpy as np
from logts.tools.compiling import compiled
class {name}(NamedTuple):
    values: np.ndarray
@compiled
def first(pair):
    return pair.values[0]
print(first({name}(np.full(1, {value}))))
"""
    search = os.pathsep.join([str(tmp_path), *sys.path])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": search}
    for name, value in (("Former", 1.0), ("Later", 2.0), ("Later", 2.0)):
        (tmp_path / "kernels_of_a_test.py").write_text(text.format(name=name, value=value))
        command = [sys.executable, "-c", "import kernels_of_a_test"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert float(done.stdout) == value


def test_weights_leave_a_corner_from_which_the_best_arms_do_not_span() -> None:
    """All weight on two arms of a factorial: whatever the new parameter, the weights follow it."""
    levels = itertools.product(range(2), range(3), range(4))
    rows = [
        [1.0, *(float(at == k) for at, n in zip(row, (2, 3, 4), strict=True) for k in range(1, n))]
        for row in levels
    ]
    arms = Arms(rows)
    rng = np.random.default_rng(0)
    for _ in range(40):
        theta = np.concatenate([[0.0], rng.normal(scale=0.2, size=6)])
        posed = Question(BestArm(), arms).pose(arms.coordinates(theta))
        rivals = posed.alternatives.take(np.arange(23))
        weights = np.full(24, 1e-6)
        weights[rng.choice(24, 2, replace=False)] = 0.5
        weights /= weights.sum()
        game = arms.points, posed.theta, rivals.normals, rivals.offsets
        evidence, new = renew(*game, weights, np.full(23, 1.0 / 23.0), (0.1, 0.05))
        best = logts.lower_bound(arms, theta, BestArm(), divergence="quadratic").characteristic_time
        assert new
        assert best <= 1.0 / evidence * (1 + 1e-6)
        assert 1.0 / evidence <= 1.05 * best * (1 + 1e-6)
