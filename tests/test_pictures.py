"""Pictures."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.colors
import matplotlib.image
import numpy as np
import pytest

import logts
from logts.experiments import datasets

mpl.use("Agg")
ROOT = Path(__file__).parent.parent


def test_a_tie_has_no_allocation_to_draw() -> None:
    from logts.plots import plot_allocation

    bound = logts.lower_bound(logts.Arms(names=["a", "b"]), [1.0, 1.0], logts.BestArm())
    with pytest.raises(ValueError, match="no allocation to draw"):
        plot_allocation(bound, [1.0, 1.0])


def test_a_verdict_is_drawn_with_every_interval_and_its_answer_in_colour() -> None:
    from logts.plots import plot_verdict
    from logts.plots.rows import ACCENT

    rates = np.array([0.2, 0.9, 0.6])
    policy = logts.LogTS(logts.Arms(names=["a", "b", "c"]), logts.BestArm(), delta=1e-6)
    rng = np.random.default_rng(0)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    left, right = plot_verdict(policy.verdict, policy.arms, most=2).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["c", "b"]  # the best on top
    assert [mpl.colors.to_hex(bar.get_facecolor()) == ACCENT for bar in right.patches] == [False, True]
    shown = [bar.get_width() for bar in right.containers[0]]
    assert shown == pytest.approx([policy.verdict.counts[i] / policy.verdict.trials for i in (2, 1)])
    pairs = logts.Arms.pairwise(["a", "b", "c"])
    with pytest.raises(ValueError, match="not the arms"):
        plot_verdict(policy.verdict, pairs)


@pytest.mark.parametrize("name", datasets.NAMES)
def test_recorded_experiments_are_described(name: str) -> None:
    header, *rows = datasets.path(name).read_text().splitlines()
    columns = header.split(",")
    trials = columns.index("trials")
    successes = columns.index("successes")
    assert len(rows) > 1
    assert all(0 <= int(row.split(",")[successes]) <= int(row.split(",")[trials]) for row in rows)
    assert f"## {name}" in (ROOT / "src/logts/experiments/datasets/README.md").read_text()
    with pytest.raises(ValueError, match="there are"):
        datasets.path("nobody")
