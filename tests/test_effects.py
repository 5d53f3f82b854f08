"""What the columns of a model do, against SciPy and statsmodels in another coding of the same model."""

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.special import expit, logit

import logts
from logts.plots.rows import ACCENT, PALE
from logts.reports.effects import Effects
from logts.tables import Choice, read_options, rows_of_text
from logts.tools.algebra import Array

mpl.use("Agg")

TABLE = pd.DataFrame(
    [(mode, size, tone) for mode in ("a", "b") for size in (1, 2, 5) for tone in ("dry", "mild", "warm")],
    columns=["mode", "size", "tone"],
)
NAMES = [" ".join(map(str, row)) for row in TABLE.itertuples(index=False)]
LOGITS = np.array(
    -0.8 + 1.1 * (TABLE["mode"] == "b") + 0.2 * TABLE["size"] + 0.6 * (TABLE["tone"] == "warm"), dtype=float
)


def told(arms: logts.Arms, rates: Array, most: int, **settings: Any) -> logts.Study:
    """A study after some trials."""
    given: dict[str, Any] = {"problem": logts.BestArm(), "delta": 0.1} | settings
    study = logts.Study.create(f"memory://{np.random.default_rng().integers(2**60)}", "s", arms=arms, **given)
    trials = study.ask(most)
    study.tell(trials, np.random.default_rng(4).random(len(trials)) < rates[trials.numbers])
    return study


def design(mode: Array, size: Array, tone: Array) -> Array:
    """``~ mode * tone + size`` in sums and differences, none of which the package uses."""
    sign = np.where(mode == "b", 1.0, -1.0)
    first, second = (
        np.where(tone == level, 1.0, np.where(tone == "mild", -1.0, 0.0)) for level in ("dry", "warm")
    )
    return np.column_stack([np.ones(len(mode)), sign, first, second, size, sign * first, sign * second])


def moved(**values: Any) -> Array:
    """The features, averaged over the options, when columns have these values in all of them."""
    changed = TABLE.assign(**values)
    columns = (changed[name].to_numpy() for name in ("mode", "size", "tone"))
    mean: Array = design(*columns).mean(axis=0)
    return mean


def test_effects_are_the_extremes_over_what_is_not_refuted() -> None:
    arms = logts.Arms(TABLE, "~ mode * tone + size", names=NAMES)
    study = told(arms, expit(LOGITS), 1_200, policy="uniform")
    at = study.standing()
    tally = at.last.tally
    x = design(*(TABLE[name].to_numpy() for name in ("mode", "size", "tone")))
    counts = np.column_stack([tally.successes, tally.trials - tally.successes])
    fitted = sm.GLM(counts, x, family=sm.families.Binomial()).fit()
    line = at.possible.line

    def above(theta: Array) -> float:
        eta = x @ theta
        return float(tally.successes @ eta - tally.trials @ np.logaddexp(0.0, eta) - line)

    def slope(theta: Array) -> Array:
        return x.T @ (tally.successes - tally.trials * expit(x @ theta))

    def extreme(direction: Array, sign: float) -> float:
        inside: Any = {"type": "ineq", "fun": above, "jac": slope}
        found = minimize(
            lambda theta: -sign * (direction @ theta),
            fitted.params,
            jac=lambda theta: -sign * direction,
            constraints=[inside],
            method="SLSQP",
            options={"ftol": 1e-10, "maxiter": 500},
        )
        assert found.success, found.message
        return float(direction @ found.x)

    wanted = {
        "mode: a → b": moved(mode="b") - moved(mode="a"),
        "tone: dry → mild": moved(tone="mild") - moved(tone="dry"),
        "tone: dry → warm": moved(tone="warm") - moved(tone="dry"),
        "size: 1 → 5": moved(size=5) - moved(size=1),
    }
    wanted |= {
        f"mode: a → b, tone: dry → {level}": moved(mode="b", tone=level)
        - moved(mode="a", tone=level)
        - moved(mode="b", tone="dry")
        + moved(mode="a", tone="dry")
        for level in ("mild", "warm")
    }
    effects = {effect.name: effect for effect in study.effects()}
    assert effects.keys() == wanted.keys()
    for name, direction in wanted.items():
        assert effects[name].estimate == pytest.approx(direction @ fitted.params, abs=1e-6), name
        assert effects[name].low == pytest.approx(extreme(direction, -1.0), abs=2e-4), name
        assert effects[name].high == pytest.approx(extreme(direction, 1.0), abs=2e-4), name
    assert effects["mode: a → b"].clear
    assert not effects["mode: a → b, tone: dry → mild"].clear


def test_the_model_of_a_csv_file_is_known_again(tmp_path: Path) -> None:
    """What is kept are columns as they were written, where 007 is a text and was a number."""
    text = "code,size\n007,1\n008,1\n007,2.50\n008,2.50\n007,4\n008,4\n"
    rows = rows_of_text(text, "parts")
    options = read_options(rows.values, Choice(additive=True), aside=[], written=rows.written)
    file = tmp_path / "studies.db"
    study = logts.Study.create(file, "parts", arms=options.arms, problem=logts.BestArm())
    rates = np.array([0.3, 0.4, 0.4, 0.5, 0.5, 0.6])
    trials = study.ask(300)
    study.tell(trials, np.random.default_rng(0).random(300) < rates[trials.numbers])
    study.close()
    with logts.Study.open(file) as again:
        found = again.effects()
        assert [effect.name for effect in found] == ["code: 7 → 8", "size: 1.0 → 4.0"]
        assert found.to_pandas().equals(study.effects().to_pandas())
        assert found.to_polars().columns == ["column", "from", "to", "low", "estimate", "high"]
        page = again.report(tmp_path / "report.html").read_text()
    assert page.count("<h2>What the columns do</h2>") == 1
    assert "code: 7 → 8" in page


def test_what_the_options_cannot_tell_is_said() -> None:
    table = pd.DataFrame({"a": ["x", "y", "x"], "b": ["p", "p", "q"], "c": [1, 1, 1]})
    study = told(logts.Arms(table, "~ a * b", names=["one", "two", "three"]), np.array([0.2, 0.5, 0.8]), 100)
    a, b, both = study.effects()
    # Both depend on the option that is not there.
    assert all(math.isnan(effect.estimate) and effect.low == -math.inf for effect in (a, b, both))
    assert "unknown" in repr(study.effects())
    texts = [text.get_text() for text in study.plot_effects().axes[0].texts]
    assert texts == ["nothing is known"] * 3


def test_as_many_parameters_as_options_go_by_each_ones_own_interval() -> None:
    table = pd.DataFrame([(a, b) for a in "xy" for b in "pq"], columns=["a", "b"])
    study = told(
        logts.Arms(table, "~ a * b", names=["xp", "xq", "yp", "yq"]), np.array([0.2, 0.5, 0.6, 0.9]), 4_000
    )
    xp, xq, yp, yq = study.rates()

    def low(rate: logts.Rate) -> float:
        return float(logit(rate.low))

    def middle(rate: logts.Rate) -> float:
        return float(logit(rate.estimate))

    def high(rate: logts.Rate) -> float:
        return float(logit(rate.high))

    a, _, both = study.effects()
    assert a.estimate == pytest.approx((middle(yp) + middle(yq) - middle(xp) - middle(xq)) / 2)
    assert a.low == pytest.approx((low(yp) + low(yq) - high(xp) - high(xq)) / 2)
    assert both.estimate == pytest.approx(middle(yq) - middle(yp) - middle(xq) + middle(xp))
    assert both.high == pytest.approx(high(yq) - low(yp) - low(xq) + high(xp))


def test_options_that_never_succeeded_have_one_end() -> None:
    table = pd.DataFrame({"a": ["x", "y", "z"]})
    study = told(logts.Arms(table, "~ a"), np.array([0.5, 1.0, 1.0]), 60, problem=logts.Threshold(0.2))
    x, y, z = study.rates()
    assert y.estimate == z.estimate == 1.0
    first, second = study.effects()
    assert first.estimate == math.inf
    assert first.low == pytest.approx(logit(y.low) - logit(x.high))
    assert second.high == math.inf
    assert f"above {first.low:+.2f}" in repr(study.effects())
    assert f"above {second.low:+.2f}" in study.effects()._repr_html_()
    study.plot_effects().canvas.draw()


def test_features_without_names_are_numbered() -> None:
    arms = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [1, 2, 1]])
    theta = np.array([-0.5, 0.4, 0.8])
    study = told(arms, expit(arms.features @ theta), 3_000)
    second, third = study.effects()
    assert (second.name, third.name) == ("feature 2: 0 → 1", "feature 3: 0 → 1")
    assert second.low < theta[1] < second.high
    assert third.low < theta[2] < third.high


def test_without_a_model_there_are_no_effects() -> None:
    by_name = told(logts.Arms(names=["a", "b"]), np.array([0.2, 0.8]), 20)
    with pytest.raises(ValueError, match="there is no model"):
        by_name.effects()
    assert "there is no model" in by_name.plot_effects().texts[-1].get_text()
    pairs = told(logts.Arms.pairwise(["a", "b", "c"]), np.array([0.2, 0.8, 0.5]), 20)
    with pytest.raises(ValueError, match="compared with each other"):
        pairs.effects()
    other = logts.Arms(TABLE, "~ mode + size", names=NAMES, columns=[{"mode": "a", "size": 1}] * len(TABLE))
    with pytest.raises(ValueError, match="do not give their features"):
        told(other, expit(LOGITS), 50).effects()


def test_many_options_are_averaged_over_some_that_lie_evenly() -> None:
    """In a model that adds up it makes no difference which."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"size": rng.normal(size=3_000), "tone": rng.choice(["dry", "warm"], size=3_000)})
    study = told(logts.Arms(table, "~ size + tone"), expit(0.5 * table["size"].to_numpy()), 2_000)
    size, tone = study.effects()
    theta = study.arms.parameter(study.standing().fit.theta)
    assert size.estimate == pytest.approx(theta[1] * np.ptp(table["size"]))
    assert tone.estimate == pytest.approx(theta[2])


def test_effects_in_a_picture_and_in_a_notebook() -> None:
    table = TABLE.assign(mode=TABLE["mode"].map({"a": "<b>a</b>", "b": "b"}))
    study = told(logts.Arms(table, "~ mode + size", names=NAMES), expit(LOGITS), 2_000)
    effects = study.effects()
    assert isinstance(effects, Effects)
    axes: Any
    (axes,) = study.plot_effects().axes
    lines = axes.collections[::2]
    assert [mpl.colors.to_hex(line.get_colors()[0])[:7] for line in lines] == [
        ACCENT if effect.clear else PALE for effect in effects[::-1]
    ]
    drawn = [line.get_segments()[0][:, 0].tolist() for line in lines]
    assert drawn == [pytest.approx([effect.low, effect.high]) for effect in effects[::-1]]
    shown = effects._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt; → b" in shown
    assert "<b>a" not in shown
    assert f"{effects[0].estimate:+.2f}" in shown
