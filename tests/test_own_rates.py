"""Intervals of rates by the own outcomes of an arm: against a search over all logits, for odd counts too."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import betaln, expit, log_expit

import logts
from logts.evidence.own_rates import own_rates
from logts.evidence.tally import Tally
from tests.studies import begin, fresh

# Everywhere a float knows, and closely where rates are neither 0 nor 1.
LOGITS = np.union1d(np.linspace(-750.0, 750.0, 30_001), np.linspace(-30.0, 30.0, 60_001))


def reference(n: float, r: float, k: int, delta: float) -> tuple[float, float, float, float]:
    """Logits next to both ends of the interval: outside and inside, inside and outside."""
    line = betaln(r + 0.5, n - r + 0.5) - math.log(math.pi) - math.log(k / delta)
    inside = np.flatnonzero(r * log_expit(LOGITS) + (n - r) * log_expit(-LOGITS) >= line)
    padded = np.concatenate([[-np.inf], LOGITS, [np.inf]])
    first, last = inside[0], inside[-1]
    return (
        padded[first] if r else -np.inf,
        padded[first + 1] if r else -np.inf,
        padded[last + 1] if r < n else np.inf,
        padded[last + 2] if r < n else np.inf,
    )


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10_000, 10**5, 10**6, 10**7, 10**9])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6, 1e-12, 1e-30, 1e-300])
def test_intervals_are_those_of_a_search(n: int, delta: float) -> None:
    for r in {0, 1, min(2, n), n // 3, n // 2, max(n - 2, 0), n - 1, n}:
        tally = Tally.of_counts(np.array([0.0, n]), np.array([0.0, r]))
        nothing, rate = own_rates(("new", "old"), tally, delta)
        assert (nothing.low, nothing.high) == (0.0, 1.0)
        outer_low, inner_low, inner_high, outer_high = reference(n, r, 2, delta)
        slack = 1e-9 + 1e-15 * n  # of the reference, which adds up large numbers
        assert expit(outer_low) * (1 - slack) <= rate.low <= expit(inner_low) * (1 + slack) + 1e-300
        assert expit(inner_high) * (1 - slack) <= rate.high <= expit(outer_high) * (1 + slack)
        assert 0.0 <= rate.low <= rate.estimate <= rate.high <= 1.0
        mirror = own_rates(
            ("new", "old"), Tally.of_counts(tally.trials, tally.trials - tally.successes), delta
        )
        assert mirror[1].low == pytest.approx(1.0 - rate.high, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("mirror", [False, True])
def test_a_study_with_one_failure_among_very_many_successes_goes_on(tmp_path: Path, mirror: bool) -> None:
    study = begin(str(tmp_path / "a.db"), arms=logts.Arms(names=["a", "b"]), delta=1e-30, max_trials=40_000)
    for _ in range(2):
        trials = study.ask(20_000)
        outcomes = np.ones(len(trials))
        outcomes[7] = study.verdict is not None or study.counts.sum() > 0
        study.tell(trials, 1.0 - outcomes if mirror else outcomes)
    assert study.verdict is not None
    assert all(0.0 <= rate.low <= rate.estimate <= rate.high <= 1.0 for rate in study.rates())
    assert fresh(study).verdict == study.verdict


def test_one_option_and_a_rate_need_no_model() -> None:
    """Outcomes that never vary have no maximum of a likelihood; by itself the option is soon settled."""
    for above, outcome, most in ((0.8, 1, 35), (0.9, 1, 70), (0.8, 0, 16)):
        policy = logts.LogTS(logts.Arms(names=["it"]), logts.Threshold(above))
        while policy.verdict is None:
            policy.tell(policy.ask().ids, [outcome])
        assert policy.verdict.basis == "model-free"
        assert policy.verdict.answer.items == ((0,) if outcome else ())
        assert policy.verdict.trials <= most
    best = logts.LogTS(logts.Arms(names=["it"]), logts.BestArm())  # there is nothing to compare it with
    assert best.verdict is not None
    assert best.verdict.trials == 0
