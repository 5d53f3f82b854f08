"""How many trials to expect: the simulated studies of a plan, what it says, and its picture."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

import logts
from logts.planning import Expected, plan
from logts.planning.simulate import Run
from logts.plots import plot_plan
from logts.tools.algebra import Array


def test_quantiles_are_those_of_the_same_simulated_studies() -> None:
    arms = logts.Arms([[1, 0], [1, 1], [1, 2], [1, 3]])
    theta = [-1.5, 1.0]
    found = plan(arms, logts.BestArm(), truth=theta, runs=55, rng=3, seconds=math.inf)
    ours, even, _ = np.random.default_rng(3).spawn(3)
    again = logts.simulate("log-ts", arms, theta, logts.BestArm(), runs=55, rng=ours)
    samples = [run.samples for run in again]
    assert found.log_ts.trials.tolist() == samples
    assert found.log_ts.median == np.quantile(samples, 0.5, method="higher")
    assert found.log_ts.quantile(0.9) == np.quantile(samples, 0.9, method="higher")
    assert sum(found.log_ts.basis.values()) == 55
    uniform = logts.simulate("uniform", arms, theta, logts.BestArm(), runs=40, rng=even)
    assert found.uniform.trials.tolist() == [run.samples for run in uniform]
    assert found.bound.samples == logts.lower_bound(arms, theta, logts.BestArm(), delta=0.05).samples
    assert f"Expect {found.log_ts.median:,.0f} trials" in found.summary()
    assert found.answer == "best: arm 3"


def _run(samples: float) -> Run:
    return Run(0, samples, True, "", 1.0, True, "model", "", 0.0, (), 0.0)  # type: ignore[arg-type]  # any number will do


def test_the_interval_of_the_median_holds_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth = math.exp(3.0)

    def covered(count: int) -> bool:
        runs = logts.Runs([_run(samples) for samples in np.exp(rng.normal(3.0, 1.0, size=count))])
        low, high = Expected(runs, None).median_interval
        return low <= truth <= high

    assert sum(covered(41) for _ in range(500)) >= 460  # at least 95%; four standard deviations below are 455
    assert Expected(logts.Runs([_run(5), _run(6)]), None).median_interval == (0.0, math.inf)


def test_studies_beyond_the_budget_count_as_undecided() -> None:
    arms = logts.Arms(names=["a", "b"])
    found = plan(arms, logts.BestArm(), truth=logts.Rates([0.45, 0.55]), runs=20, max_trials=200)
    assert found.log_ts.basis["guess"] == np.isinf(found.log_ts.trials).sum() > 10
    assert found.log_ts.limit == 200
    assert "More than half of the studies are not decided within 200 trials" in found.summary()
    assert found.log_ts.written(found.log_ts.median) == "over 200"


def test_without_time_there_are_fewer_studies_but_forty() -> None:
    arms = logts.Arms(names=["a", "b"])
    found = plan(arms, logts.BestArm(), truth=logts.Rates([0.3, 0.7]), runs=300, seconds=1e-3)
    assert len(found.log_ts.runs) == 40
    assert len(found.uniform.runs) >= 10
    assert "no time for 300" in found.summary()


def test_rates_off_the_model_are_told() -> None:
    arms = logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    straight = plan(arms, logts.BestArm(), truth=logts.Rates(expit([-1.0, 0.0, 1.0])), runs=2)
    assert straight.misfit == 0.0
    bound = logts.lower_bound(arms, [-1, 1], logts.BestArm(), delta=0.05)
    assert straight.bound.samples == pytest.approx(bound.samples)
    rates = [0.2, 0.9, 0.3]
    bent = plan(arms, logts.BestArm(), truth=logts.Rates(rates), runs=10)
    assert bent.answer == "best: arm 1"
    named = logts.Arms(names=["a", "b", "c"])
    free = logts.lower_bound(named, logit(rates), logts.BestArm(), delta=0.05)
    assert bent.bound_without_model is not None
    assert bent.bound_without_model.samples == pytest.approx(free.samples)

    def loss(p: Array) -> float:
        logits = p[0] + p[1] * np.arange(3)
        pairs = zip(rates, logits, strict=True)
        return -sum(r * math.log(expit(at)) + (1 - r) * math.log(expit(-at)) for r, at in pairs)

    nearest = minimize(loss, [0.0, 0.0], tol=1e-12).x
    misfit = np.abs(expit(nearest[0] + nearest[1] * np.arange(3)) - rates).max()
    assert bent.misfit == pytest.approx(misfit, abs=1e-5)
    assert "off a straight logit" in bent.summary()
    assert bent.log_ts.basis.get("model-free", 0) + bent.log_ts.wrong == 10


def test_comparisons_are_planned_by_their_parameter() -> None:
    arms = logts.Arms.pairwise(["tea", "coffee", "milk"])
    found = plan(arms, logts.Ranking(), truth=[1.0, 0.0, -1.0], runs=5)
    assert found.bound_without_model is None
    assert found.answer == "order: tea > coffee > milk"
    assert found.rates == pytest.approx(expit([1.0, 2.0, 1.0]))
    with pytest.raises(ValueError, match="give theta"):
        plan(arms, logts.Ranking(), truth=logts.Rates([0.7, 0.8, 0.7]))


@pytest.mark.parametrize(
    ("rates", "settings", "sentence"),
    [
        ([0.5, 0.5], {}, "nothing to plan"),
        ([0.5, math.nan], {}, "strictly between 0 and 1"),
        ([0.5, 1.0], {}, "strictly between 0 and 1"),
        ([0.5], {}, "each of 2 arms"),
        ([0.4, 0.6], {"runs": 0}, "runs and jobs"),
        ([0.4, 0.6], {"seconds": 0.0}, "seconds positive"),
        ([0.4, 0.6], {"delta": 2.0}, "delta is a probability"),
        ([0.4, 0.6], {"max_trials": 0}, "at least 1"),
    ],
)
def test_plans_that_cannot_be_are_refused(
    rates: list[float], settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        plan(logts.Arms(names=["a", "b"]), logts.BestArm(), truth=logts.Rates(rates), **settings)


def test_the_picture_marks_what_the_plan_says() -> None:
    trials = {"Log-TS": [100.0, 200.0, 300.0, 400.0], "uniform": [500.0, math.inf, math.inf]}
    axes = plot_plan(trials, {"at least": 50.0}, title="a plan").axes[0]
    marks = {float(line.get_xdata()[0]) for line in axes.lines}  # type: ignore[index, arg-type]
    assert marks == {50.0, 300.0, 400.0}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["uniform\n2 of 3 undecided", "Log-TS"]
    assert {"at least 50", "median 300", "90% 400"} <= {text.get_text() for text in axes.texts}
    plot_plan({"Log-TS": [math.inf]}, {"at least": 50.0})
    undecided = plot_plan({"Log-TS": [math.inf]}, {"at least": 0.0})
    assert undecided.texts[-1].get_text() == "No study was decided."
