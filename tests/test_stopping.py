"""Stopping rules: published thresholds, what each one promises, and mistakes."""

import functools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import logts
from logts import Arms, BestArm, LogTS
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic import maximum_likelihood
from logts.problems import Question
from logts.stopping import RULES, Case, Reading, make_rule
from logts.stopping.likelihood_ratio import LikelihoodRatio
from tests import reference
from tests.instances import soare


def case(
    arms: Arms, trials: list[float], theta: list[float], delta: float = 0.1, *, bets: bool = False
) -> Case:
    counts = np.array(trials)
    successes = np.round(counts * expit(arms.features @ np.array(theta)))
    fit = maximum_likelihood(arms.points, counts, successes)
    tally = Tally(counts, successes, np.full(len(arms), (fit.log_likelihood - 8.0) / len(arms)))
    wealth = Wealth.at_first(len(arms), arms.dimension, bets=bets)
    return Case(arms.points, arms.metric, tally, fit, fit.theta, delta, wealth)


def read(rule: str, arms: Arms, count: float, delta: float = 0.1) -> Reading:
    """What a rule says of so many trials, with the question posed at its own estimate."""
    made = make_rule(rule, SETTINGS[rule])
    data = case(arms, [count / 4, count / 2, count / 4], [0.9, 0.0], delta, bets=made.bets)
    theta = made.estimate(data)
    assert theta is not None
    return made.read(data, Question(BestArm(), arms).at(theta))


SETTINGS: dict[str, dict[str, float]] = {
    "evidence": {},
    "forecast": {},
    "stylized": {},
    "likelihood-ratio": {"radius": 1.0},
    "paper": {"radius": 1.0, "kappa": 5.1},
    "paper-practical": {"radius": 1.0},
}


@pytest.mark.parametrize(
    ("rule", "t", "threshold"),
    [
        ("stylized", 100_000, 4.8),
        ("likelihood-ratio", 100_000, math.log(10) + 2 * math.log(math.e * 100_000)),
        ("paper", 100_000, 2070.0),
        ("paper", 10_000, 1629.0),
        ("paper-practical", 10_000, 1629.0),
        ("evidence", 100_000, math.log(10)),
        ("forecast", 100_000, math.log(10)),
    ],
)
def test_thresholds_are_the_published_ones(rule: str, t: float, threshold: float) -> None:
    reading = read(rule, Arms(soare(2)), t)
    assert reading.threshold == pytest.approx(threshold, rel=0.01)
    assert str(reading.answer) == "best: arm 0"


@pytest.mark.parametrize("rule", RULES)
def test_p_value_is_the_delta_at_which_the_rule_would_stop(rule: str) -> None:
    arms = Arms(soare(2, 0.8))
    count = 4e6 if rule.startswith("paper") else 4e3
    reading = read(rule, arms, count)
    assert 0 < reading.p_value < 1
    for factor, enough in ((1.01, True), (0.99, False)):
        assert read(rule, arms, count, reading.p_value * factor).enough is enough


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_runs_and_says_what_it_assumes(rule: str) -> None:
    policy = functools.partial(LogTS, stopping=rule, **SETTINGS[rule])  # type: ignore[arg-type]  # numbers by name
    runs = logts.simulate(policy, Arms(soare(2, 1.2)), [0.9, 0.0], BestArm(), delta=0.1, runs=2, rng=0)
    assert all(row.correct and row.rule == rule for row in runs)
    assert all(row.proven == (rule not in ("stylized", "paper-practical")) for row in runs)


def test_likelihood_ratio_uses_the_best_fit_in_the_ball() -> None:
    rng = np.random.default_rng(0)
    arms = Arms(rng.normal(size=(6, 3)))
    data = case(arms, [30.0] * 6, [2.0, -1.0, 1.5])
    counts = data.tally.trials, data.tally.successes
    ball = {"type": "ineq", "fun": lambda v: 1.0 - v @ v}
    found = minimize(
        lambda v: -reference.log_likelihood(arms.features, *counts, v),
        np.zeros(3),
        constraints=ball,
        tol=1e-12,
    )
    assert LikelihoodRatio(1.0)._height(data) == pytest.approx(-found.fun, abs=1e-5)
    assert np.linalg.norm(found.x) == pytest.approx(1.0)


def test_metric_keeps_the_norm_of_the_features() -> None:
    rng = np.random.default_rng(1)
    arms = Arms(rng.normal(size=(7, 3)) * [1.0, 100.0, 0.01])
    theta = rng.normal(size=3)
    assert np.linalg.norm(arms.metric @ arms.coordinates(theta)) == pytest.approx(np.linalg.norm(theta))
    # The first feature twice: the smallest norm shares its effect.
    wide = np.hstack([arms.features, arms.features[:, :1]])
    twice = Arms(wide)
    split = np.append(theta, 0.0)
    split[0] = split[3] = theta[0] / 2
    assert np.linalg.norm(twice.metric @ twice.coordinates(np.append(theta, 0.0))) == pytest.approx(
        np.linalg.norm(split)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"stopping": "guess"},
            "no stopping rule is called 'guess'; there are: (forecast, evidence|evidence, forecast)",
        ),
        ({"stopping": "paper"}, "needs radius"),
        ({"stopping": "paper", "radius": 1.0}, "needs kappa"),
        ({"stopping": "paper", "radius": 1.0, "kappa": 3.0}, "at least 4"),
        (
            {"stopping": "paper-practical", "radius": 1.0, "kappa": 5.0},
            "stopping='paper-practical' takes radius",
        ),
        ({"stopping": "likelihood-ratio", "radius": -1.0}, "needs radius"),
        ({"stopping": "evidence", "radius": 1.0}, "takes no constant: leave it out"),
    ],
)
def test_settings_that_do_not_fit_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LogTS(Arms(names=["a", "b"]), BestArm(), **arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_the_ball_is_measured_in_the_units_of_the_arms() -> None:
    """With features a million times larger, and theta as much smaller, it is the same instance."""
    readings = []
    for scale in (1.0, 1e6):
        arms = Arms(scale * soare(2, 0.8))
        data = case(arms, [1000.0, 2000.0, 1000.0], [0.9 / scale, 0.0])
        posed = Question(BestArm(), arms).at(data.fit.theta)
        readings.append(LikelihoodRatio(1.0 / scale).read(data, posed))
    one, other = readings
    assert one.threshold == pytest.approx(other.threshold)
    assert one.statistic == pytest.approx(other.statistic)
    assert one.threshold == pytest.approx(math.log(10) + 2 * math.log(math.e * 4000))
