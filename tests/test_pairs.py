"""Evidence without a model: bets on a shift against each comparison, and what they promise."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import betaln, log_expit
from scipy.stats import binom

from logts import Arms, BestArm, LogTS, Ranking, Threshold, TopM
from logts.alternatives import Comparisons
from logts.evidence.pairs import FORECAST, Pairs
from logts.evidence.sides import Bet
from logts.evidence.tally import Tally
from logts.tools.algebra import Array
from tests.wealth import Account, least, log_wealth

PAIR = Comparisons(np.array([0]), np.array([1]), np.zeros(1), 1)
Count = np.intp


def score(n: Array, r: Array) -> Array:
    """What the forecasts ``(r + 1/2) / (n + 1)`` of each arm earn, in logs."""
    return np.asarray(betaln(r + 0.5, n - r + 0.5) - math.log(math.pi))


def account_of(pairs: Pairs, tally: Tally, row: int = 0) -> Account:
    """What there is on the pair of arms (0, 1), as the derivation has it; no bets if there is no such row."""
    n, r = tally.trials[:2], tally.successes[:2]
    sides = pairs.sides
    before = sides.opened.trials[:2], sides.opened.successes[:2]
    bet = Bet(*sides.bets[row]) if row < len(sides) else None
    return Account(
        np.eye(2),
        n,
        r,
        math.log(FORECAST) + float(score(n, r).sum()),
        bet.cash if bet else math.log(1.0 - FORECAST),
        np.array([bet.constant] if bet else []),
        np.array([[bet.slope, bet.other_slope]]) if bet else np.empty((0, 2)),
        np.array([[bet.shift, bet.other_shift]]) if bet else np.empty((0, 2)),
        sides.least[:2],
        sides.most[:2],
        (n - before[0], r - before[1], score(n, r) - score(*before)),
    )


def history(seed: int) -> tuple[Pairs, Tally, Comparisons]:
    """Some trials of two arms, with bets placed on the way."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.05, 0.95, 2)
    share = rng.uniform(0.2, 0.8)
    c = 0.0 if rng.random() < 0.5 else -float(rng.uniform(0.05, 0.5))
    pair = Comparisons(np.array([0]), np.array([1]), np.array([c]), 1)
    pairs = Pairs(2)
    tally = Tally.of_nothing(2)
    for _ in range(int(rng.integers(1, 5))):
        arms = (rng.random(int(rng.integers(10, 150))) > share).astype(Count)
        tally = tally.after(arms, (rng.random(len(arms)) < rates[arms]).astype(np.int8))
        pairs.place(pair, tally)
    arms = (rng.random(200) > share).astype(Count)
    return pairs, tally.after(arms, (rng.random(200) < rates[arms]).astype(np.int8)), pair


def test_the_minimum_agrees_with_a_general_solver() -> None:
    """200 random states: the bound is the least log M over the half-plane, or no more than the cash."""
    decided = 0
    for seed in range(200):
        pairs, tally, pair = history(seed)
        account = account_of(pairs, tally)
        (found,) = pairs.evidence(pair, tally)
        own = np.log((tally.successes + 0.5) / (tally.trials - tally.successes + 0.5))
        starts = own, np.full(2, own.mean())
        expected = least(account, np.array([1.0, -1.0]), float(pair.offset[0]), starts)
        assert found <= expected + 1e-6  # never more than is proven
        if found > account.cash + 1e-9:
            assert found == pytest.approx(expected, abs=1e-6)
            decided += 1
    assert decided > 80


def test_wealth_is_convex_and_starts_at_one() -> None:
    nothing = Tally.of_nothing(2)
    # No claim before a trial.
    assert Pairs(2).evidence(PAIR, nothing) == pytest.approx([math.log(1.0 - FORECAST)])
    for seed in range(60):
        pairs, tally, pair = history(seed)
        account = account_of(pairs, tally)
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(2, 2)) * 3.0
        ends = log_wealth(a, account)[0], log_wealth(b, account)[0]
        assert log_wealth(0.5 * (a + b), account)[0] <= 0.5 * sum(ends) + 1e-9
        # Closed and opened anew at the same counts it is worth no more, whatever the parameter.
        pairs.place(pair, tally)
        again = account_of(pairs, tally)
        for at, value in zip((a, b), ends, strict=True):
            assert log_wealth(at, again)[0] <= value + 1e-9
        # The first bets are worth their capital.
        one = Pairs(2)
        one.place(pair, tally)
        before = log_wealth(a, account_of(Pairs(2), tally))[0]
        assert log_wealth(a, account_of(one, tally))[0] == pytest.approx(before)


def test_scores_are_those_of_the_sequential_forecasts() -> None:
    """A comparison with a rate: the first term is what forecasts earn, one outcome after the other."""
    earned = 0.0
    yes = 0
    for seen, outcome in enumerate([1, 0, 0, 1, 1, 1, 0, 1, 1, 1]):
        forecast = (yes + 0.5) / (seen + 1)
        earned += math.log(forecast if outcome else 1 - forecast)
        yes += outcome
    above_half = Comparisons(np.array([0]), np.array([-1]), np.zeros(1), 1)
    (found,) = Pairs(1).evidence(above_half, Tally.of_counts(np.array([10.0]), np.array([7.0])))
    ratio = earned - 10 * math.log(0.5)
    assert found == pytest.approx(np.logaddexp(math.log(1 - FORECAST), math.log(FORECAST) + ratio))
    below_half = Comparisons(np.array([-1]), np.array([0]), np.zeros(1), 1)
    (other,) = Pairs(1).evidence(below_half, Tally.of_counts(np.array([10.0]), np.array([3.0])))
    assert other == pytest.approx(found)  # the same with yes and no exchanged


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_evidence_without_a_model_keeps_its_promise(delta: float) -> None:
    """Two arms with equal rates, tried by whim: any claim that the first is better is wrong."""
    wrong = 0
    runs = 1500
    for run in range(runs):
        rng = np.random.default_rng(run)
        rate = rng.uniform(0.1, 0.9)
        pairs = Pairs(2)
        tally = Tally.of_nothing(2)
        for block in range(12):
            behind = tally.successes[0] * max(tally.trials[1], 1.0) < tally.successes[1] * max(
                tally.trials[0], 1.0
            )
            arms = (rng.random(30) < (0.2 if behind else 0.7)).astype(Count)
            tally = tally.after(arms, (rng.random(30) < rate).astype(np.int8))
            if block in (0, 2, 5):
                pairs.place(PAIR, tally)
            if pairs.evidence(PAIR, tally)[0] >= math.log(1.0 / delta):
                wrong += 1
                break
    assert wrong <= binom.ppf(0.999, runs, delta)


def test_bets_on_one_leader_serve_another_no_better_than_they_are() -> None:
    """Bets on the arms (0, 2) against the claim that 1 beats 2: what they are worth where 2 is best."""
    names = Arms(names=list("abc")).items
    used = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rates = rng.uniform(0.2, 0.8, 3)
        pairs = Pairs(3)
        tally = Tally.of_nothing(3)
        for size in (60, 60, 90):
            arms = rng.integers(0, 3, size)
            tally = tally.after(arms, (rng.random(size) < rates[arms]).astype(np.int8))
            if size == 60:
                pairs.place(BestArm().comparisons(names, (0,)), tally)
        asked = BestArm().comparisons(names, (1,))
        found = pairs.evidence(asked, tally)[asked.low.tolist().index(2)]
        account = _third(pairs, tally, asked.union)
        own = np.log((tally.successes + 0.5) / (tally.trials - tally.successes + 0.5))
        best = {"type": "ineq", "fun": lambda z: np.array([z[2] - z[0], z[2] - z[1]])}
        start = np.minimum(own, own[2])
        options = {"ftol": 1e-13, "maxiter": 300}
        there = minimize(
            log_wealth, start, (account,), jac=True, constraints=best, method="SLSQP", options=options
        )
        assert found <= there.fun + 1e-6
        used += found > account.cash + 1e-6
    assert used > 5


def _third(pairs: Pairs, tally: Tally, union: int) -> Account:
    """The account of arm 2, as far as it is about the arms 0 and 2: bets, and a share of the forecasts."""
    sides = pairs.sides
    row = sides.low.tolist().index(2)
    assert sides.high[row] == 0
    n, r = tally.trials, tally.successes
    before = sides.opened.trials, sides.opened.successes
    counted = np.array([1.0, 0.0, 1.0])
    matched = math.log((1.0 - FORECAST) / 3) + pairs.matched.evidence()[2]  # the K-th part
    bet = Bet(*sides.bets[row])
    return Account(
        np.eye(3),
        n * counted,
        r * counted,
        math.log(FORECAST / union) + float(score(n, r)[[0, 2]].sum()),
        float(np.logaddexp(bet.cash, matched)),
        np.array([bet.constant]),
        np.array([[bet.slope, 0.0, bet.other_slope]]),
        np.array([[bet.shift, 0.0, bet.other_shift]]),
        sides.least,
        sides.most,
        (n - before[0], r - before[1], score(n, r) - score(*before)),
    )


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
        found.append((policy.progress.evidence, policy.judge._own._pairs.state()))
    assert all(one == found[0] for one in found)


def test_fewer_trials_than_the_scores_of_both_arms_alone() -> None:
    """In the mean over the same outcomes; the first term of M by itself is what there was before."""
    samples = []
    for run in range(30):
        rng = np.random.default_rng(run)
        arms = np.tile([0, 1], 6000).astype(Count)
        outcomes = (rng.random(12_000) < np.array([0.58, 0.5])[arms]).astype(np.int8)
        ends = []
        for betting in (True, False):
            pairs = Pairs(2)
            end = 12_000
            for t in range(40, 12_001, 40):
                tally = Tally.of_nothing(2).after(arms[:t], outcomes[:t])
                if betting and t >= pairs.due:
                    pairs.place(PAIR, tally)
                value = pairs.evidence(PAIR, tally)[0] if betting else _both_scores(tally)
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
    return float((score(n, r) - r * log_expit(level) - (n - r) * log_expit(-level)).sum())
