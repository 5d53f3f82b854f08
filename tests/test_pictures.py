"""The demonstration and its picture, as a user would run them."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest

import logts
from logts import datasets

mpl.use("Agg")
ROOT = Path(__file__).parent.parent


def test_demo_prints_the_bound_with_names_and_saves_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "electricity.py"), run_name="__main__")
    told = capsys.readouterr().out
    assert "best: 7c/kWh | 0y | local" in told
    assert "certified within" in told
    picture = matplotlib.image.imread(tmp_path / "out" / "electricity.png")
    assert min(picture.shape[:2]) > 400
    assert np.unique(picture.reshape(-1, picture.shape[2]), axis=0).shape[0] > 100


def test_a_tie_has_no_allocation_to_draw() -> None:
    from logts.plots import plot_allocation

    bound = logts.lower_bound(logts.Arms(names=["a", "b"]), [1.0, 1.0], logts.BestArm())
    with pytest.raises(ValueError, match="no allocation to draw"):
        plot_allocation(bound, [1.0, 1.0])


@pytest.mark.parametrize("name", datasets.NAMES)
def test_recorded_experiments_are_described(name: str) -> None:
    header, *rows = datasets.path(name).read_text().splitlines()
    columns = header.split(",")
    trials, successes = columns.index("trials"), columns.index("successes")
    assert len(rows) > 1
    assert all(0 <= int(row.split(",")[successes]) <= int(row.split(",")[trials]) for row in rows)
    assert f"## {name}" in (ROOT / "src/logts/datasets/README.md").read_text()
    with pytest.raises(ValueError, match="there are"):
        datasets.path("nobody")
