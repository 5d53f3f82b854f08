"""Whether the model fits: what refutes it, how likely it is that an option is off, and what would mend it."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from logts import Arms
from logts.evidence.fit_check import OFF, SPREAD, check_fit
from logts.evidence.forecast import Forecaster
from logts.evidence.mending import mending_term
from logts.evidence.sides import scores
from logts.evidence.tally import Tally
from logts.judge import Judge
from logts.logistic import maximum_likelihood
from logts.policies import LogTS
from logts.problems import BestArm
from logts.tools.algebra import Array
from tests.instances import world


def heard(arms: Arms, chosen: Array, outcomes: Array) -> Tally:
    """A tally with the scores of the model's forecasts."""
    tally = Tally.of_nothing(len(arms))
    Forecaster(arms.points).absorb(chosen, outcomes, tally, Tally.of_nothing(len(arms)))
    return tally


def test_the_mixture_of_forecasts_is_a_probability_and_the_evidence_an_e_value() -> None:
    """All outcomes of nine trials: the forecasts sum to one, and on average E is at most one in the model."""
    arms = Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    chosen = np.array([0, 1, 2, 2, 1, 0, 0, 2, 1])
    for theta in ([0.0, 0.0], [-1.0, 0.8]):
        rates = expit(arms.features @ theta)[chosen]
        total = expected = 0.0
        for row in itertools.product((0, 1), repeat=9):
            outcomes = np.array(row, dtype=np.int8)
            tally = heard(arms, chosen, outcomes)
            chance = OFF / 3
            mixed = (1 - chance) * np.exp(tally.scores) + chance * np.exp(scores(tally))
            total += mixed.prod()
            fit = maximum_likelihood(arms.points, tally.trials, tally.successes)
            found = check_fit(arms.points, tally, fit).evidence
            if np.isfinite(found):
                assert found == pytest.approx(np.log(mixed.prod()) - fit.log_likelihood, abs=1e-6)
                expected += np.where(outcomes > 0, rates, 1 - rates).prod() * np.exp(found)
        assert total == pytest.approx(1.0, abs=1e-9)
        assert 0.0 < expected < 1.0


def test_the_chance_that_an_option_is_off_follows_from_a_wider_model() -> None:
    """The score test against the likelihood ratio of a fit in which the option has a parameter of its own."""
    arms, rates = world(0.0)
    rng = np.random.default_rng(2)
    trials = rng.integers(2_000, 6_000, size=12).astype(float)
    successes = rng.binomial(trials.astype(int), rates).astype(float)
    successes[3] += 60
    fit = maximum_likelihood(arms.points, trials, successes)
    off = check_fit(arms.points, Tally.of_counts(trials, successes), fit).off
    for k in range(12):
        wider = np.column_stack([arms.points, np.eye(12)[k]])
        ratio = maximum_likelihood(wider, trials, successes).log_likelihood - fit.log_likelihood
        p = expit(arms.points @ fit.theta)
        weights = trials * p * (1 - p)
        h = np.linalg.inv((wider.T * weights) @ wider)[-1, -1]  # the variance of the extra parameter
        s = SPREAD**2 / h
        odds = OFF / (12 - OFF) * np.exp(ratio * s / (1 + s)) / np.sqrt(1 + s)
        assert off[k] == pytest.approx(odds / (1 + odds), rel=0.1)
    assert np.argmax(off) == 3


def test_a_wrong_model_is_refuted_and_a_right_one_is_spared() -> None:
    rng = np.random.default_rng(3)
    chosen = rng.permutation(np.repeat(np.arange(12), 500))
    for bent, raised in ((0.0, 0), (1.2, 20)):
        arms, rates = world(bent)
        threshold = LogTS(arms, BestArm()).judge.alarm_threshold
        alarms = 0
        for _ in range(20):
            tally = heard(arms, chosen, (rng.random(6_000) < rates[chosen]).astype(np.int8))
            fit = maximum_likelihood(arms.points, tally.trials, tally.successes)
            found = check_fit(arms.points, tally, fit)
            alarms += found.evidence > threshold
            if bent:
                assert found.doubt > 0.99
                assert set(np.argsort(found.off)[-2:]) <= {5, 11, 10, 7}
        assert alarms == raised


def test_where_the_fit_follows_an_option_nothing_can_be_said_about_it() -> None:
    arms = Arms([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [1.0, 3.0, 0.0], [1.0, 0.0, 1.0]])
    trials = np.full(5, 1_000.0)
    successes = np.array([300.0, 400.0, 500.0, 900.0, 10.0])
    fit = maximum_likelihood(arms.points, trials, successes)
    off = check_fit(arms.points, Tally.of_counts(trials, successes), fit).off
    assert off[4] == pytest.approx(OFF / 5)  # its own parameter
    assert off[3] > 0.99
    separable = maximum_likelihood(arms.points, trials, np.array([0.0, 0.0, 0.0, 1_000.0, 0.0]))
    found = check_fit(arms.points, Tally.of_counts(trials, successes), separable)
    assert (found.evidence, found.off.tolist()) == (-np.inf, [OFF / 5] * 5)


def test_rules_without_forecasts_refute_no_model() -> None:
    arms, _ = world(0.0)
    judge: Judge = LogTS(arms, BestArm(), stopping="paper-practical", radius=2.0).judge
    tally = Tally.of_counts(np.full(12, 50.0), np.tile([5.0, 45.0], 6))
    fit = maximum_likelihood(arms.points, tally.trials, tally.successes)
    assert judge.check(tally, fit).evidence == -np.inf


def suggestion(arms: Arms, logits: Array) -> str | None:
    trials = np.full(len(arms), 2_000.0)
    tally = Tally.of_counts(trials, np.round(trials * expit(logits)))
    return mending_term(arms, tally, maximum_likelihood(arms.points, trials, tally.successes).theta)


def test_the_term_that_is_missing_is_suggested() -> None:
    table = pd.DataFrame(
        list(itertools.product(["red", "blue"], [1, 2, 3, 4], ["a", "b", "c"])),
        columns=["colour", "dose", "maker"],
    )
    arms = Arms(table, "~ colour + dose + maker")
    dose = table["dose"].to_numpy(dtype=float)
    red = (table["colour"] == "red").to_numpy()
    at_a = (table["maker"] == "a").to_numpy()
    assert suggestion(arms, 0.2 * dose) is None
    assert suggestion(arms, 0.2 * dose + 1.0 * (red & at_a)) == "colour:maker"
    assert suggestion(arms, 0.2 * dose + 0.3 * red * dose) == "colour:dose"
    assert suggestion(arms, -0.4 * (dose - 2.4) ** 2) == "I(dose**2)"
    assert suggestion(arms, 0.8 * np.array([0, 1, 0, 1])[dose.astype(int) - 1]) == "C(dose)"
    assert suggestion(Arms(table, "~ colour"), 0.5 * at_a) == "maker"  # a column that was left out
    x = np.random.default_rng(0).normal(size=(30, 3))
    assert suggestion(Arms(x), 0.5 * x[:, 0] * x[:, 2]) == "feature 1 times feature 3"
    assert suggestion(Arms(x), 0.3 * x[:, 1] ** 2) == "the square of feature 2"


def test_options_never_tried_say_nothing_of_the_fit() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(500, 2))
    trials = np.zeros(500)
    trials[::50] = 40.0
    successes = np.floor(trials * rng.random(500))
    tally = Tally(trials, successes, np.where(trials > 0.0, -0.7 * trials, 0.0))
    found = check_fit(points, tally, maximum_likelihood(points, trials, successes))
    assert np.all(found.off[trials == 0.0] == OFF / 500)
    assert found.off.max() > 0.5  # outcomes at random do not follow two features
