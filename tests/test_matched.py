"""Matched pairs: a bet that is fair or worse whatever the rates, on blocks in the order of the asks."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from logts import Arms, BestArm, LogTS
from logts.evidence.matched import RATIOS, Matched
from logts.tools.algebra import Array, Indices


def factor(base: float, ratio: float, first: bool, second: bool) -> float:
    """What a block multiplies by, from the definition."""
    u_a, u_b = expit(logit(base) + 0.5 * ratio), expit(logit(base) - 0.5 * ratio)
    p = 0.5 * (u_a + u_b)
    return float((u_a / p if first else (1 - u_a) / (1 - p)) * (u_b / p if second else (1 - u_b) / (1 - p)))


def test_the_mean_is_at_most_one_unless_the_first_arm_is_better() -> None:
    """All pairs of rates, all bases, by summing over the four outcomes."""
    for base in (0.001, 0.05, 0.3, 0.5, 0.9, 0.999):
        for ratio in RATIOS:
            for p_a, p_b in np.random.default_rng(0).random((300, 2)).tolist():
                mean = sum(
                    (p_a if first else 1 - p_a)
                    * (p_b if second else 1 - p_b)
                    * factor(base, ratio, first, second)
                    for first in (False, True)
                    for second in (False, True)
                )
                assert mean <= 1.0 + 1e-12 or p_a > p_b
    better = [0.6 if yes else 0.4 for yes in (False, True)]
    worse = [0.4 if yes else 0.6 for yes in (False, True)]
    gain = sum(better[a] * worse[b] * factor(0.5, 1.0, bool(a), bool(b)) for a in (0, 1) for b in (0, 1))
    assert gain > 1.01  # and it pays where the first arm is


def by_definition(arms: Indices, outcomes: Array, opponents: list[int]) -> Array:
    """Log wealth of each account, block by block: the latest free trial of one arm, the next of the other."""
    out = []
    for k, opponent in enumerate(opponents):
        free: tuple[int, bool] | None = None
        wealth = np.full(RATIOS.size, 1.0 / RATIOS.size)
        won = blocks = 0
        for arm, yes in zip(arms.tolist(), outcomes.astype(bool).tolist(), strict=True):
            if arm not in (k, opponent):
                continue
            if free is None or free[0] == arm:
                free = arm, yes
                continue
            first, second = (yes, free[1]) if arm == opponent else (free[1], yes)
            base = (won + 0.5) / (2 * blocks + 1)
            wealth *= [factor(base, ratio, first, second) for ratio in RATIOS]
            won += first + second
            blocks += 1
            free = None
        out.append(math.log(wealth.sum()))
    return np.array(out)


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_formed_as_defined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    arms = rng.choice(count, 300, p=rng.dirichlet(np.ones(count)))
    outcomes = (rng.random(300) < rng.random(count)[arms]).astype(np.int8)
    rates = rng.random(count)
    matched = Matched(count)
    matched.oppose(rates)
    for part in np.array_split(np.arange(300), int(rng.integers(1, 30))):
        matched.hear(arms[part], outcomes[part])
    order = np.argsort(-rates)
    opponents = [int(order[0]) if k != order[0] else int(order[1]) for k in range(count)]
    assert matched.evidence() == pytest.approx(by_definition(arms, outcomes, opponents), abs=1e-9)


def test_an_account_goes_on_when_its_opponent_changes() -> None:
    """If arm 2 is the best, bets that either of the others is better lose in the mean."""
    matched = Matched(3)
    matched.oppose(np.array([0.9, 0.5, 0.1]))
    matched.hear(np.array([0, 2, 0]), np.array([1, 0, 1]))
    gained = matched.evidence()[2]
    assert gained > 0.0
    matched.oppose(np.array([0.5, 0.9, 0.1]))
    matched.hear(np.array([2]), np.array([0]))  # the trial of arm 0 that waited is in no block any more
    assert matched.evidence()[2] == gained
    matched.hear(np.array([1]), np.array([1]))
    assert matched.evidence()[2] > gained


def test_ville_at_a_tie_with_a_sampler_that_helps_the_leader() -> None:
    """Arms are tried where it hurts most: whoever leads rests, the other is tried until it fails."""
    runs = 1500
    tops = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        matched = Matched(2)
        tries = np.zeros(2)
        wins = np.zeros(2)
        highest = 0.0
        for _ in range(60):
            arm = (
                int(wins[0] / (tries[0] + 1) > wins[1] / (tries[1] + 1))
                if tries.min() > 3
                else int(tries[0] > tries[1])
            )
            outcome = rng.random() < 0.4
            tries[arm] += 1
            wins[arm] += outcome
            matched.hear(np.array([arm]), np.array([outcome], dtype=np.int8))
            highest = max(highest, float(matched.evidence()[1]))  # the account of one arm, fixed beforehand
        tops.append(highest)
    for delta in (0.5, 0.2):
        assert sum(top >= math.log(1 / delta) for top in tops) <= binom.ppf(0.999, runs, delta)


def test_two_names_take_fewer_trials_with_matched_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    def mean() -> float:
        trials = []
        for seed in range(40):
            rng = np.random.default_rng(seed)
            policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.05)
            while policy.verdict is None:
                asked = policy.ask(policy.block)
                policy.tell(asked.ids, rng.random(len(asked.arms)) < np.array([0.2, 0.1])[asked.arms])
            trials.append(policy.verdict.trials)
        return float(np.mean(trials))

    with_pairs = mean()
    monkeypatch.setattr(Matched, "evidence", lambda self: np.full(2, -np.inf))
    assert with_pairs < 0.95 * mean()
