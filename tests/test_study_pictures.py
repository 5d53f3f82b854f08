"""The pictures of a study."""

import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.colors
import numpy as np
import pytest

from logts.evidence.intervals import Rate
from logts.plots import plot_confidence, plot_fit, plot_settled
from logts.plots.rows import ACCENT, PALE, shortened
from tests.studies import above_one_half

mpl.use("Agg")


def test_a_study_draws_what_it_knows(tmp_path: Path) -> None:
    with above_one_half(tmp_path) as study:
        verdict = study.verdict
        at = study.standing()
        assert verdict is not None
        left, right = study.plot_rates(most=3).axes
        best = sorted(verdict.rates(), key=lambda rate: rate.estimate)[-3:]
        assert [label.get_text() for label in left.get_yticklabels()] == [rate.name for rate in best]
        shares = [verdict.counts[study.arms.names.index(rate.name)] / verdict.trials for rate in best]
        assert [bar.get_width() for bar in right.containers[0]] == pytest.approx(shares)
        _, axes = study.plot_confidence().axes
        drawn = np.asarray(axes.lines[0].get_xydata(), dtype=float)
        assert drawn[:, 0].tolist() == [moment.tally.total for moment in study.moments]
        assert drawn[-1, 1] == pytest.approx(-math.log10(1 - verdict.confidence))
        # An item is settled when its interval leaves the line, give or take the part of delta that is kept
        # for other evidence.
        assert set(at.settled) == set(range(5))
        assert max(after for after in at.settled.values() if after) <= verdict.trials
        assert len(study.plot_settled().axes[0].patches) == 5
        assert "some option is off the model" in study.plot_fit().axes[0].get_title(loc="left")


def test_confidence_is_drawn_with_the_line_and_who_led() -> None:
    confidence = [0.0, 0.5, 0.9, 0.99]
    leaders = [None, "a", "b", "b"]
    free = [False, False, True, True]
    strip, axes = plot_confidence([10, 20, 40, 80], confidence, leaders, 0.95, free=free).axes
    drawn = np.asarray(axes.lines[0].get_ydata(), dtype=float)
    assert list(drawn) == pytest.approx([0.0, math.log10(2), 1.0, 2.0])
    assert axes.lines[1].get_ydata() == pytest.approx([math.log10(20)] * 2)
    assert [text.get_text() for text in strip.texts] == ["nobody yet", "a", "b"]
    assert [mpl.colors.to_hex(span.get_facecolor()) for span in strip.patches][1:] == [PALE, ACCENT]
    assert "without the model" in [text.get_text() for text in axes.texts]
    assert "95%" in [label.get_text() for label in axes.get_yticklabels()]
    certain = plot_confidence([5], [1.0], ["a"], 0.95)  # a single moment, and no doubt: still a picture
    certain.canvas.draw()
    assert "nothing to show" in plot_confidence([], [], [], 0.95).texts[0].get_text()


def test_bars_end_where_an_option_was_settled() -> None:
    estimates = {"a": 0.3, "b": 0.8, "c": 0.5, "d": 0.4}
    rates = [Rate(name, 0.1, estimate, 0.9) for name, estimate in estimates.items()]
    axes: Any
    (axes,) = plot_settled(rates, {0: 40, 1: None, 2: 70}, [1], 100).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "d", "c", "b"]
    bars = [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches]
    assert bars == [(0, 40), (2, 70), (3, 100)]
    assert mpl.colors.to_hex(axes.patches[-1].get_facecolor()) == ACCENT
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if text] == ["40", "nothing to settle", "70", "open"]
    assert "nothing to show" in plot_settled(rates, {}, [], 100).texts[0].get_text()


def test_outliers_of_a_fit_are_named() -> None:
    trials = np.array([100, 100, 0, 100])
    fitted = np.array([0.2, 0.4, 0.5, 0.6])
    axes: Any
    (axes,) = plot_fit(["a", "b", "c", "d"], trials, np.array([21, 70, 0, 59]), fitted, "so so").axes
    assert [text.get_text() for text in axes.texts] == ["b"]
    points = axes.collections[1]
    assert np.allclose(points.get_offsets(), [[0.2, 0.21], [0.4, 0.7], [0.6, 0.59]])
    assert [mpl.colors.to_hex(colour) for colour in points.get_facecolor()] == [PALE, ACCENT, PALE]
    assert axes.get_title(loc="left") == "so so"


def test_names_are_shortened_in_the_middle() -> None:
    assert shortened("a name") == "a name"
    assert shortened("two\nlines\x00") == "two lines"
    long = shortened("x" * 100 + " the end")
    assert len(long) == 40
    assert long.endswith("the end")
