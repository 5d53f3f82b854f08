"""What is known before the proof: the posterior against integrals, differences against brute force."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import beta

import logts
from logts.evidence.intervals import Rate
from logts.reports.preview import Preview, against_control, gap_between, posterior, preview_of, rates_apart
from logts.reports.standing import Standing, standing_of
from logts.tools.algebra import Array
from tests.reference import log_likelihood
from tests.studies import ARMS, MoreOftenThanNot, X, begin, bits, carried_out

TRIALS = np.array([40, 35, 50, 60, 30])
SUCCESSES = np.array([12, 15, 24, 41, 21])
QUESTIONS = [logts.BestArm(), logts.TopM(2), logts.Threshold(0.45), logts.VersusControl(0), logts.Ranking()]


def stands(
    arms: logts.Arms, problem: Any, trials: Any, successes: Any, delta: float = 1e-6, **given: Any
) -> Standing:
    """How a study stands that was told these counts, in a random order."""
    policy = logts.LogTS(arms, problem, delta=delta, **given)
    rng = np.random.default_rng(5)
    asked = np.repeat(np.arange(len(arms)), trials)
    told = np.concatenate([np.arange(n) < r for n, r in zip(trials, successes, strict=True)])
    order = rng.permutation(len(asked))
    if len(asked):
        policy.replay(asked[order])
        policy.tell(np.arange(len(asked)), told[order])
    return standing_of(policy, [], None)


def seen(*about: Any, **given: Any) -> Preview:
    return preview_of(stands(*about, **given))


def test_names_have_the_posterior_of_their_own_counts() -> None:
    n, r = np.array([20, 30, 25]), np.array([9, 17, 12])
    found = seen(logts.Arms(names=list("abc")), logts.BestArm(), n, r)
    laws = [beta(won + 0.5, made - won + 0.5) for made, won in zip(n, r, strict=True)]
    best = quad(lambda x: laws[1].pdf(x) * laws[0].cdf(x) * laws[2].cdf(x), 0, 1)[0]
    largest = quad(lambda x: 1.0 - np.prod([law.cdf(x) for law in laws]), 0, 1)[0]
    assert found.leader is not None
    assert found.leader.text == "best: b"
    assert found.probability == pytest.approx(best, abs=0.03)
    assert found.expected_loss == pytest.approx(largest - laws[1].mean(), abs=0.003)


def test_within_the_model_the_posterior_is_nearly_the_true_one() -> None:
    points = np.array([[1.0, -1.0], [1.0, 0.2], [1.0, 1.1]])
    n, r = np.array([60, 80, 70]), np.array([25, 40, 39])
    arms = logts.Arms(points)
    found = seen(arms, logts.BestArm(), n, r)
    at = np.linspace(-3.0, 3.0, 301)
    grid = np.array(list(itertools.product(at, at)))  # in the package's coordinates, where the prior is round
    logits = grid @ arms.points.T
    weight = logits @ r - np.logaddexp(0.0, logits) @ n - 0.5 * (2 / 2.0**2) * (grid**2).sum(axis=1)
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    rates = expit(logits)
    assert found.leader == logts.Answer((2,), "")
    assert found.probability == pytest.approx(weight[rates.argmax(axis=1) == 2].sum(), abs=0.03)
    loss = weight @ (rates.max(axis=1) - rates[:, 2])
    assert found.expected_loss == pytest.approx(loss, abs=0.002)


@pytest.mark.parametrize("arms", [logts.Arms(X), logts.Arms(names=list("abcde"))], ids=["model", "names"])
@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_an_answer_is_right_where_it_is_the_answer(arms: logts.Arms, problem: Any) -> None:
    at = stands(arms, problem, TRIALS, SUCCESSES)
    found = preview_of(at)
    assert found.leader == at.answer
    draws = posterior(at)
    names = arms.items.names
    answers = [problem.answer(logts.arms.Items(row[:, None], names), np.ones(1)) for row in draws]
    assert found.leader is not None
    assert found.probability == np.mean([answer == found.leader.items for answer in answers])
    # How far it is off at its worst place, written down without the comparisons of the question.
    chosen = found.leader.items
    rates = expit(draws)
    others = [i for i in range(5) if i not in chosen]
    if isinstance(problem, logts.BestArm | logts.TopM):
        off = rates[:, others].max(axis=1) - rates[:, list(chosen)].min(axis=1)
    elif isinstance(problem, logts.Ranking):
        off = np.diff(rates[:, list(chosen)], axis=1).max(axis=1)
    else:
        line = rates[:, 0] if isinstance(problem, logts.VersusControl) else np.full(len(rates), 0.45)
        wrong = [line - rates[:, i] if i in chosen else rates[:, i] - line for i in range(5)]
        off = np.max(wrong, axis=0)
    assert found.expected_loss == pytest.approx(np.maximum(off, 0.0).mean())


def test_what_is_within_the_tolerance_is_right() -> None:
    names = logts.Arms(names=["a", "b"])
    close = seen(names, logts.BestArm(), [50, 50], [25, 26])
    tolerant = seen(names, logts.BestArm(epsilon=2.0), [50, 50], [25, 26])
    assert close.probability == pytest.approx(0.58, abs=0.04)
    assert tolerant.probability == pytest.approx(1.0, abs=0.001)
    assert tolerant.expected_loss == close.expected_loss  # what does not matter is lost all the same


@pytest.mark.parametrize("seed", range(40))
def test_rates_apart_is_the_largest_difference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (np.sort(expit(rng.normal(scale=2.0, size=2))) for _ in range(2))
    p, q = (np.linspace(ends[0], ends[1], 1500) for ends in (one, other))
    apart = logit(p)[:, None] - logit(q)
    most = rng.uniform(apart.min(), 1.2 * apart.max())
    brute = (p[:, None] - q)[apart <= most].max()
    found = rates_apart(Rate("", one[0], one[0], one[1]), Rate("", other[0], other[0], other[1]), most)
    assert brute - 1e-9 <= found <= brute + 0.003
    whole = Rate("", 0.0, 0.5, 1.0)
    assert rates_apart(whole, whole, np.inf) == 1.0
    assert rates_apart(whole, whole, 1.0) == pytest.approx(expit(0.5) - expit(-0.5))


def smallest_difference(one: Array, other: Array, start: Array, line: float) -> float:
    """Of two rates, over all parameters with a log-likelihood above the line: by a nonlinear program."""
    inside = {"type": "ineq", "fun": lambda theta: log_likelihood(X, TRIALS, SUCCESSES, theta) - line}
    found = minimize(
        lambda theta: expit(one @ theta) - expit(other @ theta),
        start,
        constraints=inside,
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 300},
    )
    return float(found.fun)


def test_differences_within_the_model_hold_all_that_is_not_refuted() -> None:
    at = stands(logts.Arms(X), logts.BestArm(), TRIALS, SUCCESSES, delta=0.05)
    fit = minimize(lambda theta: -log_likelihood(X, TRIALS, SUCCESSES, theta), np.zeros(3), tol=1e-12).x
    for first, second in itertools.permutations(range(5), 2):
        gap = gap_between(at, first, second)
        assert gap is not None
        assert (gap.better, gap.worse) == (at.arms.names[first], at.arms.names[second])
        assert gap.estimate == pytest.approx(expit(X[first] @ fit) - expit(X[second] @ fit), abs=1e-6)
        lowest = smallest_difference(X[first], X[second], fit, at.possible.line)
        highest = -smallest_difference(X[second], X[first], fit, at.possible.line)
        assert gap.low <= lowest + 1e-5
        assert gap.high >= highest - 1e-5
        one, other = at.rates[first], at.rates[second]
        assert gap.low >= one.low - other.high - 1e-9
        assert gap.high <= one.high - other.low + 1e-9


def test_within_the_model_differences_are_sharper_than_by_intervals() -> None:
    # The first two differ in a feature that many others share.
    points = [[1, i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)]
    at = stands(logts.Arms(points), logts.BestArm(), [50] * 8, [15, 25] * 4, delta=0.05)
    gap = gap_between(at, 1, 0)
    assert gap is not None
    assert gap.high - gap.low < 0.8 * sum(at.rates[i].high - at.rates[i].low for i in (0, 1))


@pytest.mark.parametrize("arms", [ARMS, logts.Arms(names=list("abcd"))], ids=["model", "names"])
def test_differences_hold_at_all_times(arms: logts.Arms) -> None:
    """At delta 0.2 all differences of a study hold at all looks, but for 20% of the studies at most."""
    rates = expit(ARMS.features @ [-1.0, 0.7, 0.9])
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        policy = logts.LogTS(arms, logts.BestArm(), delta=0.2)
        held = True
        while policy.verdict is None and policy.ledger.complete < 600:
            asked = policy.ask(60)
            policy.tell(asked.ids, rng.random(60) < rates[asked.arms])
            at = standing_of(policy, [], None)
            for first, second in itertools.combinations(range(4), 2):
                gap = gap_between(at, first, second)
                held &= gap is None or gap.low <= rates[first] - rates[second] <= gap.high
        missed += not held
    assert missed <= 12


def test_every_option_is_held_against_the_control() -> None:
    at = stands(logts.Arms(names=list("abcde")), logts.VersusControl("b"), TRIALS, SUCCESSES)
    gaps = against_control(at)
    assert list(gaps) == [0, 2, 3, 4]
    for item, gap in gaps.items():
        assert gap.worse == "b"
        assert gap.estimate == pytest.approx((SUCCESSES / TRIALS)[item] - 15 / 35)
        assert gap.low == pytest.approx(at.rates[item].low - at.rates[1].high)
    assert list(against_control(at, [1, 4])) == [4]
    assert against_control(stands(logts.Arms(names=["a", "b"]), logts.BestArm(), [9, 9], [1, 8])) == {}


def test_compared_items_win_against_each_other() -> None:
    arms = logts.Arms.pairwise(["tea", "coffee", "milk"])
    at = stands(arms, logts.BestArm(), [40, 40, 40], [24, 30, 22], delta=0.05)
    found = preview_of(at)
    assert found.leader is not None
    assert found.leader.text == "best: tea"
    assert found.gap is not None
    assert found.gap.wins
    assert (found.gap.better, found.gap.worse) == ("tea", "coffee")
    assert 0.0 < found.gap.low < found.gap.estimate < found.gap.high < 1.0
    assert found.gap.estimate == pytest.approx(expit((arms.points @ at.fit.theta)[0]))


@pytest.mark.parametrize("problem", [*QUESTIONS, MoreOftenThanNot()], ids=repr)
@pytest.mark.parametrize(
    "arms",
    [
        logts.Arms(X),
        logts.Arms(names=list("abcde")),
        logts.Arms(np.vstack([X[:4], X[3]])),  # two with equal features
        logts.Arms.pairwise(X),
    ],
    ids=["model", "names", "equal", "pairs"],
)
def test_there_is_something_to_say_from_the_first_trial_on(arms: logts.Arms, problem: Any) -> None:
    if len(arms) > 5 and isinstance(problem, logts.Threshold | MoreOftenThanNot):
        return  # no question about comparisons
    for trials, yes in ((0, 0), (1, 1), (1, 0), (3, 3), (10, 5)):
        at = stands(arms, problem, [trials] * len(arms), [yes] * len(arms))
        found = preview_of(at)
        if not trials:
            assert found == Preview()
            continue
        assert found.leader is not None
        assert found.probability is not None
        assert 0.0 <= found.probability <= 1.0
        if isinstance(problem, MoreOftenThanNot):
            assert found.expected_loss is None
        else:
            assert found.expected_loss is not None
            assert 0.0 <= found.expected_loss < 1.0
    one = stands(arms, problem, [1] + [0] * (len(arms) - 1), [1] + [0] * (len(arms) - 1))
    assert preview_of(one).probability is not None


def test_many_options_are_looked_at_by_fewer_draws() -> None:
    rng = np.random.default_rng(0)
    trials = np.full(150, 30)
    won = rng.binomial(30, 0.5, size=150)
    found = seen(logts.Arms(names=[str(i) for i in range(150)]), logts.TopM(75), trials, won)
    assert found.probability == 0.0
    assert found.expected_loss is not None
    assert found.expected_loss > 0.1


def test_to_look_changes_nothing(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "studies.db"))
    trials = study.ask(60)
    study.tell(trials, np.arange(60) % 3 == 0)
    before = bits(study._read())
    events = len(study.events())
    first = study.preview()
    assert study.preview() == first  # the seed is fixed
    assert first.probability is not None
    study.standing()
    assert bits(study._read()) == before
    assert len(study.events()) == events


def test_what_is_ruled_out_is_what_is_settled(tmp_path: Path) -> None:
    arms = logts.Arms(names=["worst", "bad", "good", "best"])
    study = carried_out(tmp_path, arms, logts.BestArm(), [0.02, 0.3, 0.6, 0.75], most=160)
    assert study.verdict is None
    found = study.preview()
    at = study.standing()
    assert "worst" in found.ruled_out
    assert set(found.ruled_out) == {arms.names[i] for i, after in at.settled.items() if after and i != 3}
    assert found.settled + found.open == 4


def test_nothing_is_said_by_a_model_that_is_refuted(tmp_path: Path) -> None:
    """Where items are not arms, the study ends with a guess."""
    wins = {(0, 1): 0.95, (1, 2): 0.95, (0, 2): 0.05}  # each beats the next, in a circle
    arms = logts.Arms.pairwise(["tea", "coffee", "milk"])
    rates = [wins[pair] for pair in itertools.combinations(range(3), 2)]
    study = carried_out(tmp_path, arms, logts.BestArm(), rates, most=5_000)
    assert study.standing().doubtful
    assert study.preview() == Preview(leader=study.standing().answer)


def test_what_a_study_goes_on_from_counts_without_a_model(tmp_path: Path) -> None:
    names = logts.Arms(names=["a", "b"])
    first = carried_out(tmp_path, names, logts.BestArm(), [0.4, 0.6], most=60)
    assert first.verdict is None
    url = str(tmp_path / "studies.db")
    after = logts.Study.create(url, "after", arms=names, problem=logts.BestArm(), after=first)
    one, two = first.preview(), after.preview()
    assert two.probability == one.probability
    assert two.expected_loss == one.expected_loss
    assert two.gap == one.gap
    model = logts.Arms([[1.0], [2.0]], names=["a", "b"])
    within = logts.Study.create(url, "within", arms=model, problem=logts.BestArm(), after=first)
    assert within.preview() == Preview()  # there they are history


@pytest.mark.parametrize("arms", [logts.Arms(X), logts.Arms(names=list("abcde"))], ids=["model", "names"])
def test_rates_of_nothing_and_everything_do_no_harm(arms: logts.Arms) -> None:
    trials = [100_000] * 4 + [0]
    found = seen(arms, logts.BestArm(), trials, [0, 100_000, 0, 100_000, 0], guard=False)
    assert found.probability is not None
    assert found.expected_loss is not None
    assert np.isfinite(found.expected_loss)
