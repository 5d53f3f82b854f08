"""Stopping rules: published thresholds, what each one promises, and mistakes."""

import functools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import logts
from logts import Arms, BestArm, LogTS
from logts.alternatives import Alternatives
from logts.logistic import maximum_likelihood
from logts.problems import Question
from logts.stopping import RULES, State, make_rule
from logts.stopping.likelihood_ratio import LikelihoodRatio
from logts.tools.algebra import Array
from tests import reference
from tests.test_bounds import soare


def state(arms: Arms, trials: list[float], theta: list[float], delta: float = 0.1) -> State:
    counts = np.array(trials)
    successes = np.round(counts * expit(arms.features @ np.array(theta)))
    fit = maximum_likelihood(arms.points, counts, successes)

    def question(at: Array) -> tuple[object, Alternatives]:
        posed = Question(BestArm(), arms).pose(at)
        return posed.answer, posed.alternatives

    return State(arms.points, counts, successes, fit, fit.log_likelihood - 8.0, delta, question)


SETTINGS: dict[str, dict[str, float]] = {
    "evidence": {},
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
    ],
)
def test_thresholds_are_the_published_ones(rule: str, t: float, threshold: float) -> None:
    arms = Arms(soare(2))
    made = make_rule(rule, arms.metric, SETTINGS[rule].get("radius"), SETTINGS[rule].get("kappa"))
    reading = made.read(state(arms, [t / 4, t / 2, t / 4], [0.9, 0.0]))
    assert reading.threshold == pytest.approx(threshold, rel=0.01)
    assert str(reading.answer) == "best: arm 0"


@pytest.mark.parametrize("rule", RULES)
def test_p_value_is_the_delta_at_which_the_rule_would_stop(rule: str) -> None:
    arms = Arms(soare(2, 0.8))
    made = make_rule(rule, arms.metric, SETTINGS[rule].get("radius"), SETTINGS[rule].get("kappa"))
    count = 4e6 if rule.startswith("paper") else 4e3
    reading = made.read(state(arms, [count / 4, count / 2, count / 4], [0.9, 0.0]))
    assert 0 < reading.p_value < 1
    for factor, enough in ((1.01, True), (0.99, False)):
        again = made.read(state(arms, [count / 4, count / 2, count / 4], [0.9, 0.0], delta=reading.p_value * factor))
        assert again.enough is enough


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_runs_and_says_what_it_assumes(rule: str) -> None:
    policy = functools.partial(LogTS, stopping=rule, **SETTINGS[rule])  # type: ignore[arg-type]  # numbers by name
    runs = logts.simulate(policy, Arms(soare(2, 1.2)), [0.9, 0.0], BestArm(), delta=0.1, runs=2, rng=0)
    assert all(row.correct and row.rule == rule for row in runs)
    assert all(row.proven == (rule not in ("stylized", "paper-practical")) for row in runs)


def test_likelihood_ratio_uses_the_best_fit_in_the_ball() -> None:
    rng = np.random.default_rng(0)
    arms = Arms(rng.normal(size=(6, 3)))
    data = state(arms, [30.0] * 6, [2.0, -1.0, 1.5])
    rule = LikelihoodRatio(1.0, arms.metric)
    ball = {"type": "ineq", "fun": lambda v: 1.0 - v @ v}
    found = minimize(
        lambda v: -reference.log_likelihood(arms.features, data.trials, data.successes, v), np.zeros(3), constraints=ball, tol=1e-12
    )
    assert rule._height(data) == pytest.approx(-found.fun, abs=1e-5)
    assert np.linalg.norm(found.x) == pytest.approx(1.0)


def test_metric_keeps_the_norm_of_the_features() -> None:
    rng = np.random.default_rng(1)
    arms = Arms(rng.normal(size=(7, 3)) * [1.0, 100.0, 0.01])
    theta = rng.normal(size=3)
    assert np.linalg.norm(arms.metric @ arms.coordinates(theta)) == pytest.approx(np.linalg.norm(theta))
    wide = np.hstack([arms.features, arms.features[:, :1]])  # the first feature twice: the smallest norm shares its effect
    twice = Arms(wide)
    split = np.append(theta, 0.0)
    split[0] = split[3] = theta[0] / 2
    assert np.linalg.norm(twice.metric @ twice.coordinates(np.append(theta, 0.0))) == pytest.approx(np.linalg.norm(split))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stopping": "guess"}, "stopping must be one of"),
        ({"stopping": "paper"}, "needs radius"),
        ({"stopping": "paper", "radius": 1.0}, "needs kappa"),
        ({"stopping": "paper", "radius": 1.0, "kappa": 3.0}, "at least 4"),
        ({"stopping": "paper-practical", "radius": 1.0, "kappa": 5.0}, "only that, needs kappa"),
        ({"stopping": "likelihood-ratio", "radius": -1.0}, "needs radius"),
        ({"stopping": "evidence", "radius": 1.0}, "leave them out"),
    ],
)
def test_settings_that_do_not_fit_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LogTS(Arms(names=["a", "b"]), BestArm(), **arguments)  # type: ignore[arg-type]  # wrong on purpose
