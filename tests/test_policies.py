"""Log-TS itself, from the first trial to the verdict."""

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import logts
from logts import Arms, BestArm, LogTS, Policy, Ranking, Rates, Threshold
from logts.sampling import Tracker
from tests.instances import soare
from tests.policies import PROBLEMS, play


def test_tracking_follows_the_weights_and_forced_exploration_keeps_pace() -> None:
    rng = np.random.default_rng(0)
    arms = Arms(rng.normal(size=(12, 4)))
    tracker = Tracker(arms.points, arms.spanning)
    weights = np.zeros(12)
    weights[[1, 3]] = [0.7, 0.3]
    tracker.aim(weights)
    order = np.concatenate([tracker.next(int(n)) for n in rng.integers(1, 60, 300)])
    assert abs((order == 1).mean() - 0.7) < 0.05
    basis = arms.points[arms.spanning]
    pace = np.linalg.eigvalsh(basis.T @ basis)[0] / 2.0
    x = arms.points[order]
    grams = np.cumsum(x[:, :, None] * x[:, None, :], axis=0)
    t = np.arange(1, len(order) + 1)
    late = t >= 5 * 4 / 4 + 1 / 16 + 3 / 2  # from here on Lemma 5 promises f(t - d - 1)
    assert (np.linalg.eigvalsh(grams)[late, 0] >= pace * np.sqrt(np.maximum(t[late] - 5, 0)) - 1e-9).all()


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_log_ts_answers_every_question(problem: logts.Problem) -> None:
    arms = Arms(np.random.default_rng(2).normal(size=(6, 3)))
    runs = logts.simulate(LogTS, arms, [0.9, -0.5, 0.4], problem, delta=0.1, runs=15, rng=3)
    assert all(row.proven and row.confidence >= 0.9 for row in runs)
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 15, 0.1)


def test_samples_on_the_benchmark_instance() -> None:
    runs = logts.simulate(LogTS, Arms(soare(2)), [1.0, 0.0], BestArm(), delta=0.1, runs=60, rng=1, jobs=2)
    samples = np.array([row.samples for row in runs])
    assert samples.mean() - 3 * samples.std() / np.sqrt(60) <= 5500
    assert samples.mean() > logts.lower_bound(Arms(soare(2)), [1.0, 0.0], BestArm(), delta=0.1).samples
    assert sum(not row.correct for row in runs) <= binom.ppf(0.999, 60, 0.1)


def test_the_same_seed_gives_the_same_runs_whatever_the_jobs() -> None:
    arms = Arms(names=["a", "b", "c"])
    theta = [1.0, 0.0, -1.0]
    alone = logts.simulate(LogTS, arms, theta, BestArm(), runs=6, rng=5, jobs=1)
    together = logts.simulate(LogTS, arms, theta, BestArm(), runs=6, rng=5, jobs=2)
    for one, other in zip(alone, together, strict=True):
        assert (one.samples, one.answer, one.confidence) == (other.samples, other.answer, other.confidence)
    assert list(alone.to_pandas()["samples"]) == list(alone.to_polars()["samples"])
    assert "6 runs" in str(alone)


def test_late_outcomes_change_nothing_but_the_order_they_are_used_in() -> None:
    """Successes return late; the evidence is that of the same outcomes in the order of the asks."""
    arms = Arms(soare(2))
    rates = expit(soare(2) @ [2.0, 0.0])
    late = LogTS(arms, BestArm(), delta=0.1)
    rng = np.random.default_rng(4)
    asked_arms: list[int] = []
    results: dict[int, bool] = {}
    waiting: list[int] = []
    while late.verdict is None:
        asked = late.ask(5)
        asked_arms += asked.arms.tolist()
        for i, arm in zip(asked.ids, asked.arms, strict=True):
            results[i] = bool(rng.random() < rates[arm])
        waiting += list(asked.ids)
        waiting.sort(key=lambda i: results[i])  # failures first
        while len(waiting) > 20 and late.verdict is None:
            late.tell([waiting[0]], [results[waiting.pop(0)]])
    used = late.ledger.complete
    assert late.verdict.trials == used
    counts = np.bincount(asked_arms[:used], minlength=3)
    assert late.judge.tally.trials.tolist() == counts.tolist()
    successes = [sum(results[i] for i in range(used) if asked_arms[i] == k) for k in range(3)]
    assert late.judge.tally.successes.tolist() == successes


def test_a_verdict_never_changes() -> None:
    policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.1)
    verdict = play(policy, np.array([0.9, 0.2]), 0)
    asked = policy.ask(200)
    policy.tell(asked.ids, np.random.default_rng(1).random(200) < np.array([0.0, 1.0])[asked.arms])
    assert policy.verdict is verdict
    assert "a" in str(verdict)
    assert "each arm with a rate of its own" in verdict.assumes


def test_a_budget_ends_with_a_guess_and_its_honest_confidence() -> None:
    policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.01, max_trials=50)
    verdict = play(policy, np.array([0.55, 0.5]), 0)
    assert verdict.trials == 50
    assert not verdict.proven
    assert verdict.confidence < 0.99
    assert "budget" in verdict.reason
    assert "logistic model" not in verdict.assumes  # there is none


def test_abandoned_trials_count_for_nothing_but_the_budget() -> None:
    policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.1, max_trials=6)
    asked = policy.ask(6)
    policy.tell(asked.ids[:2], [1, 0])
    policy.abandon(asked.ids[2:])
    assert policy.verdict is not None
    assert policy.verdict.trials == 2
    assert policy.verdict.basis == "guess"


def test_history_sharpens_forecasts_and_stays_out_of_the_evidence() -> None:
    arms = Arms(soare(2))
    rates = expit(soare(2) @ [1.0, 0.0])
    samples = {}
    for history in (False, True):
        total = 0
        for seed in range(12):
            policy = LogTS(arms, BestArm(), delta=0.1, stopping="forecast")
            if history:
                policy.tell_history(np.full(3, 2000.0), np.round(2000 * rates))
                assert policy.progress.confidence == 0.0
            total += play(policy, rates, seed).trials
        samples[history] = total
    assert samples[True] < samples[False]


def test_progress_names_leader_and_rival() -> None:
    policy = LogTS(Arms(names=["a", "b", "c"]), BestArm(), delta=0.001)
    rng = np.random.default_rng(0)
    for _ in range(12):
        asked = policy.ask(10)
        policy.tell(asked.ids, rng.random(10) < np.array([0.7, 0.5, 0.2])[asked.arms])
    progress = policy.progress
    assert str(progress.leader) == "best: a"
    assert set(progress.rival) <= {"a", "b", "c"}
    assert 0 <= progress.confidence <= 1
    assert progress.threshold == pytest.approx(math.log(1000))
    assert progress.remaining is None or progress.remaining >= 0


def test_a_misspecified_world_is_judged_by_its_rates() -> None:
    arms = Arms(names=["a", "b", "c"])
    runs = logts.simulate(LogTS, arms, Rates([0.8, 0.5, 0.2]), BestArm(), runs=5, rng=0)
    assert all(row.correct for row in runs)
    with pytest.raises(ValueError, match="one rate between 0 and 1"):
        logts.simulate(LogTS, Arms(names=["a", "b"]), Rates([0.8, 1.5]), BestArm())
    with pytest.raises(ValueError, match="runs must be"):
        logts.simulate(LogTS, Arms(names=["a", "b"]), [1.0, 0.0], BestArm(), runs=0)


def test_pairwise_studies_run() -> None:
    arms = Arms.pairwise(["x", "y", "z"])
    runs = logts.simulate(LogTS, arms, [1.5, 0.0, -1.5], Ranking(), delta=0.1, runs=5, rng=0)
    assert all(row.answer == "order: x > y > z" for row in runs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.5}, "delta"),
        ({"design": "magic"}, "design must be"),
        ({"max_trials": 0}, "max_trials"),
    ],
)
def test_bad_settings_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LogTS(Arms(names=["a", "b"]), BestArm(), **arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_questions_without_an_answer_or_without_need() -> None:
    with pytest.raises(ValueError, match="No amount of trials"):
        LogTS(Arms.pairwise(["x", "y", "z"]), Threshold(0.5))
    verdict = LogTS(Arms([[1.0]]), BestArm()).verdict
    assert verdict is not None
    assert verdict.trials == 0
    with pytest.raises(ValueError, match="at least one trial"):
        LogTS(Arms(names=["a", "b"]), BestArm()).ask(0)
    assert isinstance(LogTS(Arms(names=["a", "b"]), BestArm(), design="kl"), LogTS)


def test_memory_and_cost_do_not_grow_with_the_trials() -> None:
    policy: Policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(40):
        asked = policy.ask(5000)
        policy.tell(asked.ids, rng.random(5000) < 0.5)
    assert isinstance(policy, LogTS)
    assert sum(v.nbytes for v in vars(policy.ledger).values() if isinstance(v, np.ndarray)) < 1000
