"""Forecasts, the evidence they make, and the intervals of what it does not refute."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import binom

from logts import Arms, BestArm, LogTS
from logts.evidence.forecast import Forecaster
from logts.evidence.intervals import ManyRates, NotRefuted, estimates_of, leading
from logts.evidence.likelihood import largest_alternative
from logts.evidence.tally import Tally
from logts.logistic import maximum_likelihood
from logts.problems import Question
from logts.tools.algebra import Array
from tests import reference
from tests.instances import soare
from tests.policies import PROBLEMS, play


def largest_ratios(*, peek: bool, runs: int, steps: int) -> Array:
    """The largest ``Q - L(theta)`` in each of many runs at a fixed theta.

    ``peek`` scores an outcome after learning from it.
    """
    arms = Arms(soare(2))
    theta = np.array([1.0, -0.5])
    eta = arms.features @ theta
    out = np.empty(runs)
    for run in range(runs):
        rng = np.random.default_rng(run)
        chosen = rng.integers(0, 3, steps)
        outcomes = (rng.random(steps) < expit(eta[chosen])).astype(np.int8)
        forecaster = Forecaster(arms.points)
        known, nothing = Tally.of_nothing(3), Tally.of_nothing(3)
        likelihood = 0.0
        best = 0.0
        for s in range(steps):
            arm = chosen[s : s + 1]
            outcome = outcomes[s : s + 1]
            if peek:
                forecaster.absorb(arm, outcome, known.copy(), nothing)
            forecaster.absorb(arm, outcome, known, nothing)
            likelihood += float(np.log(expit(eta[chosen[s]] if outcome[0] else -eta[chosen[s]])))
            best = max(best, known.score - likelihood)
        out[run] = best
    return out


def test_forecasts_keep_the_promise_of_ville() -> None:
    ratios = largest_ratios(peek=False, runs=1500, steps=80)
    for delta in (0.3, 0.1):
        assert (ratios >= math.log(1 / delta)).sum() <= binom.ppf(0.999, len(ratios), delta)


def test_forecasts_that_have_seen_the_outcome_break_it() -> None:
    ratios = largest_ratios(peek=True, runs=300, steps=80)
    assert (ratios >= math.log(1 / 0.1)).sum() > binom.ppf(0.999, len(ratios), 0.1)


def test_forecasts_are_nearly_as_good_as_the_best_fit() -> None:
    rng = np.random.default_rng(0)
    arms = Arms(rng.normal(size=(10, 3)))
    theta = rng.normal(size=3)
    chosen = rng.integers(0, 10, 20_000)
    outcomes = (rng.random(20_000) < expit(arms.features[chosen] @ theta)).astype(np.int8)
    forecaster = Forecaster(arms.points)
    known, nothing = Tally.of_nothing(10), Tally.of_nothing(10)
    for part in np.array_split(np.arange(20_000), 50):
        forecaster.absorb(chosen[part], outcomes[part], known, nothing)
    fit = maximum_likelihood(arms.points, known.trials, known.successes)
    assert 0 < fit.log_likelihood - known.score < 1.5 * math.log(20_000) + 6


def test_the_score_depends_on_the_order_of_the_asks_alone() -> None:
    """Not on when outcomes come back: otherwise a forecast might know its own outcome."""
    arms = Arms(soare(3))
    rates = expit(arms.features @ [0.6, -0.4, 0.2])
    scores = []
    for arrival in range(6):
        policy = LogTS(arms, BestArm(), delta=1e-9, schedule="doubling")
        rng = np.random.default_rng(5)
        chance = np.random.default_rng(arrival)
        fixed = np.random.default_rng(9).integers(0, 4, 700)  # what is tried must not differ
        policy.replay(fixed)
        outcomes = rng.random(700) < rates[fixed]
        late = 200 * chance.random(700) * outcomes if arrival else np.zeros(700)
        order = np.argsort(np.arange(700) + late)
        for part in np.array_split(order, [1, 40, 50, 2][arrival % 4]):
            policy.tell(part, outcomes[part])
        assert policy.judge.tally.total == 700
        scores.append(policy.judge.tally.score)
    assert scores == pytest.approx([scores[0]] * 6, abs=1e-10)  # sums are rounded differently, no more


def test_history_informs_no_trial_that_was_out_when_it_was_told() -> None:
    """It may hold their very outcomes."""
    arms = Arms(soare(2))
    first = np.tile([0, 1, 2], 20)
    later = np.tile([2, 1, 0], 20)
    outcomes = np.random.default_rng(0).random(60) < 0.7
    truth = np.array([20.0, 20.0, 20.0]), np.bincount(first[outcomes], minlength=3).astype(float)
    scores = {}
    for kind in ("none", "in the air", "before"):
        policy = LogTS(arms, BestArm(), delta=1e-9)
        if kind == "before":
            policy.tell_history(*truth)
        policy.replay(first)
        if kind == "in the air":
            policy.tell_history(1e4 * truth[0], 1e4 * truth[1])
        policy.replay(later)
        policy.tell(range(59), outcomes[:59])
        early = policy.judge.tally.score
        policy.tell(range(59, 120), [*outcomes[59:], *outcomes])
        scores[kind] = early, policy.judge.tally.score
    assert scores["in the air"][0] == scores["none"][0] < scores["before"][0]
    assert scores["in the air"][1] > scores["none"][1]


def test_an_arm_far_out_leaves_forecasts_whole() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(6, int(rng.integers(2, 5))))
        x[0] *= 10.0 ** rng.uniform(2, 7)
        arms = Arms(x)
        rates = expit(x @ rng.normal(size=x.shape[1]) * rng.choice([1e-3, 1.0]))
        policy = LogTS(arms, BestArm(), guard=False)
        past = np.full(6, 10.0 ** rng.integers(2, 9))
        policy.tell_history(past, np.round(past * rates))
        for _ in range(20):
            asked = policy.ask(30)
            policy.tell(asked.ids, rng.random(30) < rates[asked.arms])
        assert np.isfinite(policy.judge.tally.score)
        assert policy.judge.tally.score <= 0.0


def test_evidence_agrees_with_brute_force_over_all_half_spaces() -> None:
    """The screened check against SciPy's constrained solver on every half-space, from random states."""
    compared = 0
    for seed in range(240):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 5))
        problem = PROBLEMS[seed % len(PROBLEMS)]
        arms = Arms(rng.normal(size=(int(rng.integers(d + 2, 9)), d)))
        theta = rng.normal(size=d) * 0.7
        trials = rng.integers(3, 60, len(arms)).astype(float)
        successes = rng.binomial(trials.astype(int), expit(arms.features @ theta)).astype(float)
        fit = maximum_likelihood(arms.points, trials, successes)
        posed = Question(problem, arms).pose(fit.theta)
        reached = largest_alternative(
            arms.points, Tally.of_counts(trials, successes), fit, posed.alternatives
        )
        if reached is None:
            continue
        rows = posed.alternatives.take(np.arange(len(posed.alternatives)))

        def loss(v: Array, points: Array = arms.points, n: Array = trials, r: Array = successes) -> float:
            return -reference.log_likelihood(points, n, r, v)

        best = -math.inf
        for y, c in zip(rows.normals, rows.offsets, strict=True):
            inside = {"type": "ineq", "fun": lambda v, y=y, c=c: c - y @ v, "jac": lambda v, y=y: -y}
            start = fit.theta - y * (y @ fit.theta - c) / (y @ y)
            found = minimize(loss, start, constraints=inside, method="SLSQP", tol=1e-11)
            best = max(best, -found.fun)
        assert reached[0] == pytest.approx(best, abs=2e-5)
        compared += 1
    assert compared >= 200


def test_intervals_are_the_range_of_what_is_not_refuted() -> None:
    """Against SciPy: the extremes of z.lambda subject to L >= line."""
    rng = np.random.default_rng(3)
    arms = Arms(rng.normal(size=(6, 3)))
    trials = np.full(6, 80.0)
    successes = rng.binomial(80, expit(arms.features @ [0.5, -0.3, 0.8])).astype(float)
    fit = maximum_likelihood(arms.points, trials, successes)
    line = fit.log_likelihood - 4.0

    def above(v: Array) -> float:
        return reference.log_likelihood(arms.points, trials, successes, v) - line

    def smallest(y: Array) -> Array:
        likely = {"type": "ineq", "fun": above}
        return minimize(lambda v: y @ v, fit.theta, constraints=likely, method="SLSQP", tol=1e-12).x

    for z in arms.points:
        found = NotRefuted(arms.points, Tally.of_counts(trials, successes), fit, line).rate(z, "item")
        ends = [expit(z @ smallest(z)), expit(z @ smallest(-z))]
        assert [found.low, found.high] == pytest.approx(ends, abs=1e-5)
        assert found.low < found.estimate < found.high


def test_intervals_hold_for_all_arms_at_all_times() -> None:
    arms = Arms(soare(2))
    theta = np.array([0.8, -0.4])
    missed = 0
    rates = expit(arms.features @ theta)
    for seed in range(100):
        policy = LogTS(arms, BestArm(), delta=0.2)
        rng = np.random.default_rng(seed)
        ok = True
        for _ in range(8):
            asked = policy.ask(25)
            policy.tell(asked.ids, rng.random(25) < rates[asked.arms])
            ok &= all(r.low <= true <= r.high for r, true in zip(policy.rates(), rates, strict=True))
        missed += not ok
    assert missed <= binom.ppf(0.999, 100, 0.2)


def test_intervals_of_a_rate_that_may_be_one_reach_one() -> None:
    policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.1)
    assert [(r.low, r.high) for r in policy.rates()] == [(0.0, 1.0), (0.0, 1.0)]
    verdict = play(policy, np.array([1.0, 0.2]), 0)
    first, second = verdict.rates()
    assert (first.name, second.name) == ("a", "b")
    assert first.high == 1.0  # every trial of it was a success
    assert 0.0 < first.low < first.estimate == 1.0
    assert second.low < second.estimate < second.high < 1.0 or second.estimate == second.low == 0.0


def test_intervals_of_very_many_items_are_computed_when_looked_at() -> None:
    """The same as one by one, and estimates without intervals."""
    rng = np.random.default_rng(5)
    arms = Arms(rng.normal(size=(1500, 3)))
    trials = np.zeros(1500)
    trials[:40] = 30.0
    successes = np.zeros(1500)
    successes[:40] = rng.binomial(30, expit(arms.features[:40] @ [0.5, -0.3, 0.8]))
    possible = NotRefuted.of(arms.points, Tally.of_counts(trials, successes), -700.0)
    rates = possible.rates_of(arms.items)
    assert isinstance(rates, ManyRates)
    assert estimates_of(rates) == pytest.approx(expit(arms.points @ possible.fit.theta))
    best = leading(rates, 3)
    assert best == np.argsort(-(arms.points @ possible.fit.theta))[:3].tolist()
    assert rates[best[0]] == possible.rate(arms.points[best[0]], f"arm {best[0]}")
    assert rates[-1].name == "arm 1499"
    assert list(rates) == possible.rates(arms.points, arms.names)
    assert rates == list(rates)


def test_intervals_stay_right_where_outcomes_are_nearly_separable() -> None:
    """The set reaches far out, and the curvature is nearly lost at its ends."""
    compared = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        arms = Arms(rng.normal(size=(6, 2)))
        trials = rng.integers(1, 5, 6).astype(float)
        successes = rng.binomial(trials.astype(int), expit(arms.points @ [2.0, 1.0])).astype(float)
        counts = arms.points, trials, successes
        fit = maximum_likelihood(*counts)
        if not fit.proven:
            continue
        line = fit.log_likelihood - 6.0
        possible = NotRefuted(arms.points, Tally.of_counts(trials, successes), fit, line)
        for z, rate in zip(arms.points, possible.rates(arms.points, arms.names), strict=True):
            for end, inward in ((rate.low, 1.0), (rate.high, -1.0)):
                if not 1e-6 < end < 1.0 - 1e-6:
                    continue
                at = np.log(end / (1.0 - end))
                outside = maximum_likelihood(*counts, normal=z, offset=at - 1e-4 * inward)
                inside = maximum_likelihood(*counts, normal=z, offset=at + 1e-2 * inward)
                if not outside.proven:
                    continue
                assert outside.log_likelihood < line
                assert inside.log_likelihood > line
                compared += 1
    assert compared > 100
