"""Evidence without a model: bets on a shift against each comparison, and what they promise."""

import math

import numpy as np
import pytest
from logts.evidence.shifts import FORECAST, Bets, Shifts
from scipy.optimize import minimize, minimize_scalar
from scipy.special import betaln, log_expit, logsumexp
from scipy.stats import binom

from logts import Arms, BestArm, LogTS, Ranking, Threshold, TopM
from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.tools.algebra import Array

PAIR = Comparisons(np.array([0]), np.array([1]), np.zeros(1), 1)


def score(n: float, r: float) -> float:
    """What the forecasts ``(r + 1/2) / (n + 1)`` earn, in logs."""
    return float(betaln(r + 0.5, n - r + 0.5) - math.log(math.pi))


def likelihood(n: float, r: float, z: float) -> float:
    return float(r * log_expit(z) + (n - r) * log_expit(-z))


def log_wealth(z: Array, tally: Tally, bets: Bets) -> float:
    """Log M of the pair (0, 1) as the derivation has it, term by term."""
    n, r = tally.trials, tally.successes
    terms = [math.log(FORECAST) + sum(score(n[k], r[k]) - likelihood(n[k], r[k], z[k]) for k in range(2))]
    cash = 1.0 - FORECAST
    for b in range(len(bets.capital)):
        gain = math.log(bets.capital[b])
        for k in range(2):
            h = bets.shifts[b, k]
            w = math.exp(-abs(h))
            m, s = n[k] - bets.trials[b, k], r[k] - bets.successes[b, k]
            since = score(n[k], r[k]) - score(bets.trials[b, k], bets.successes[b, k])
            gain += w * likelihood(m, s, z[k] + h) + (1.0 - w) * since - likelihood(m, s, z[k])
        terms.append(gain)
        cash -= bets.capital[b]
    return float(logsumexp([math.log(cash), *terms]))


def bets_of(shifts: Shifts) -> Bets:
    return Bets(*shifts._bets)


def history(seed: int) -> tuple[Shifts, Tally, float]:
    """Some trials of two arms, with bets placed on the way."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.05, 0.95, 2)
    share = rng.uniform(0.2, 0.8)
    c = 0.0 if rng.random() < 0.5 else -float(rng.uniform(0.05, 0.5))
    pair = Comparisons(np.array([0]), np.array([1]), np.array([c]), 1)
    shifts = Shifts()
    tally = Tally.of_nothing(2)
    for _ in range(int(rng.integers(1, 5))):
        arms = (rng.random(int(rng.integers(10, 150))) > share).astype(np.intp)
        tally = tally.after(arms, (rng.random(len(arms)) < rates[arms]).astype(np.int8), 0.0)
        shifts.place(pair, tally)
    arms = (rng.random(200) > share).astype(np.intp)
    return shifts, tally.after(arms, (rng.random(200) < rates[arms]).astype(np.int8), 0.0), c


def test_the_minimum_agrees_with_a_general_solver() -> None:
    """200 random states: the bound is the least log M over the half-plane, or no more than the cash."""
    decided = 0
    for seed in range(200):
        shifts, tally, c = history(seed)
        pair = Comparisons(np.array([0]), np.array([1]), np.array([c]), 1)
        bets = bets_of(shifts)
        (found,) = shifts.evidence(pair, tally)
        cash = math.log(1.0 - FORECAST - bets.capital.sum())
        own = np.log((tally.successes + 0.5) / (tally.trials - tally.successes + 0.5))
        inside = {"type": "ineq", "fun": lambda z, c=c: c - z[0] + z[1]}
        least = min(
            minimize(
                log_wealth, start, (tally, bets), constraints=inside, method="SLSQP", options={"ftol": 1e-13}
            ).fun
            for start in (
                np.array([own.mean() + c, own.mean()]),
                own - np.array([max(0.0, own[0] - own[1] - c), 0.0]),
            )
        )
        line = minimize_scalar(
            lambda z, c=c, tally=tally, bets=bets: log_wealth(np.array([z + c, z]), tally, bets),
            bracket=(own.mean() - 0.5, own.mean() + 0.5),
            tol=1e-11,
        )
        assert found <= least + 1e-6  # never more than is proven
        if found > cash + 1e-9:
            assert found == pytest.approx(line.fun, abs=1e-6)
            decided += 1
    assert decided > 80


def test_wealth_is_convex_and_starts_at_one() -> None:
    nothing = Tally.of_nothing(2)
    assert Shifts().evidence(PAIR, nothing) == pytest.approx(
        [math.log(1.0 - FORECAST)]
    )  # no claim before a trial
    for seed in range(60):
        shifts, tally, _ = history(seed)
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 2)) * 3.0
        ends = log_wealth(a, tally, bets_of(shifts)), log_wealth(b, tally, bets_of(shifts))
        assert log_wealth(0.5 * (a + b), tally, bets_of(shifts)) <= 0.5 * sum(ends) + 1e-9
        before = Tally(bets_of(shifts).trials[0], bets_of(shifts).successes[0])
        one = Shifts()
        one.place(PAIR, before)  # when it is placed a bet is worth its capital, whatever the parameter
        assert log_wealth(a, before, bets_of(one)) == pytest.approx(log_wealth(a, before, bets_of(Shifts())))


def test_scores_are_those_of_the_sequential_forecasts() -> None:
    """A comparison with a rate: the first term is what forecasts earn, one outcome after the other."""
    earned = 0.0
    yes = 0
    for seen, outcome in enumerate([1, 0, 0, 1, 1, 1, 0, 1, 1, 1]):
        forecast = (yes + 0.5) / (seen + 1)
        earned += math.log(forecast if outcome else 1 - forecast)
        yes += outcome
    above_half = Comparisons(np.array([0]), np.array([-1]), np.zeros(1), 1)
    (found,) = Shifts().evidence(above_half, Tally(np.array([10.0]), np.array([7.0])))
    ratio = earned - 10 * math.log(0.5)
    assert found == pytest.approx(np.logaddexp(math.log(1 - FORECAST), math.log(FORECAST) + ratio))
    below_half = Comparisons(np.array([-1]), np.array([0]), np.zeros(1), 1)
    (other,) = Shifts().evidence(below_half, Tally(np.array([10.0]), np.array([3.0])))
    assert other == pytest.approx(found)  # the same with yes and no exchanged


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_evidence_without_a_model_keeps_its_promise(delta: float) -> None:
    """Two arms with equal rates, tried by whim: any claim that the first is better is wrong."""
    wrong = 0
    runs = 1500
    for run in range(runs):
        rng = np.random.default_rng(run)
        rate = rng.uniform(0.1, 0.9)
        shifts = Shifts()
        tally = Tally.of_nothing(2)
        for block in range(12):
            behind = tally.successes[0] * max(tally.trials[1], 1.0) < tally.successes[1] * max(
                tally.trials[0], 1.0
            )
            arms = (rng.random(30) < (0.2 if behind else 0.7)).astype(np.intp)
            tally = tally.after(arms, (rng.random(30) < rate).astype(np.int8), 0.0)
            if block in (0, 2, 5):
                shifts.place(PAIR, tally)
            if shifts.evidence(PAIR, tally)[0] >= math.log(1.0 / delta):
                wrong += 1
                break
    assert wrong <= binom.ppf(0.999, runs, delta)


@pytest.mark.parametrize("problem", [BestArm(), BestArm(0.2), TopM(2), Threshold(0.4), Ranking()], ids=repr)
def test_bets_depend_on_the_order_of_the_asks_alone(problem: BestArm) -> None:
    arms = Arms(names=list("abcd"))
    chosen = np.random.default_rng(3).integers(0, 4, 400)
    outcomes = np.random.default_rng(4).random(400) < np.array([0.3, 0.5, 0.55, 0.7])[chosen]
    found = []
    for arrival in range(4):
        policy = LogTS(arms, problem, delta=1e-12)
        policy.replay(chosen)
        late = 100 * np.random.default_rng(arrival).random(400) * outcomes if arrival else np.zeros(400)
        for part in np.array_split(np.argsort(np.arange(400) + late), [1, 30, 7, 400][arrival]):
            policy.tell(part, outcomes[part])
        found.append((policy.progress.evidence, policy.judge._own._shifts.state()))
    assert all(one == found[0] for one in found)


def test_fewer_trials_than_the_scores_of_both_arms_alone() -> None:
    """In the mean over the same outcomes; the first term of M by itself is what there was before."""
    samples = []
    for run in range(30):
        rng = np.random.default_rng(run)
        arms = np.tile([0, 1], 6000).astype(np.intp)
        outcomes = (rng.random(12_000) < np.array([0.58, 0.5])[arms]).astype(np.int8)
        ends = []
        for betting in (True, False):
            shifts = Shifts()
            due = 32
            end = 12_000
            for t in range(40, 12_001, 40):
                tally = Tally.of_nothing(2).after(arms[:t], outcomes[:t], 0.0)
                if betting and t >= due:
                    shifts.place(PAIR, tally)
                    due = 2 * t
                value = shifts.evidence(PAIR, tally)[0] if betting else _both_scores(tally)
                if value >= math.log(20.0):
                    end = t
                    break
            ends.append(end)
        samples.append(ends)
    with_bets, without = np.mean(samples, axis=0)
    assert with_bets < 0.75 * without


def _both_scores(tally: Tally) -> float:
    n, r = tally.trials, tally.successes
    if r[0] * n[1] <= r[1] * n[0]:
        return 0.0
    pooled = float(r.sum() / n.sum())
    level = math.log(pooled / (1.0 - pooled))
    return sum(score(n[k], r[k]) - likelihood(n[k], r[k], level) for k in range(2))
