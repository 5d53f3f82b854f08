"""The paper's experiments: instances, campaigns that resume, reports."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import logts
from logts.cli.app import app
from logts.experiments.instances import LEAN, by_unproven_rule, threshold_benchmark, window
from logts.experiments.paper import EXPERIMENTS, Cell, Row, campaign, runs, write_report


@pytest.mark.parametrize(("name", "size"), [("table1", 100), ("table1", 300), ("table2", 20), ("topm", 30)])
def test_instances_lie_in_their_window_and_are_seeded(name: str, size: int) -> None:
    first, again, other = (runs._instance.__wrapped__(name, size, run, 0) for run in (0, 0, 1))
    low, high = window(EXPERIMENTS[name].centres[size])
    for instance in (first, other):
        bound = logts.lower_bound(instance.arms, instance.theta, instance.problem, divergence="quadratic")
        assert low * 0.999 <= bound.characteristic_time <= high * 1.001
        assert np.linalg.norm(instance.arms.features, axis=1) == pytest.approx(np.ones(size))
        assert np.linalg.norm(instance.theta) == pytest.approx(1.0)
    assert (first.theta == again.theta).all()
    assert (first.theta != other.theta).any()


def test_centres_follow_from_the_papers_samples() -> None:
    assert by_unproven_rule(4050.0) * math.log((1 + math.log(4050.0)) / 0.1) == pytest.approx(4050.0)
    assert EXPERIMENTS["table1"].centres[100] == pytest.approx(893, abs=1)
    assert EXPERIMENTS["table1"].centres[500] == pytest.approx(25 * EXPERIMENTS["table1"].centres[100])


def test_the_threshold_lies_midway_between_the_last_two_arms() -> None:
    instance = threshold_benchmark(4)
    above, below = 1 / (1 + np.exp(-(instance.arms.features[-2:] @ instance.theta)))
    assert isinstance(instance.problem, logts.Threshold)
    assert instance.problem.rate == pytest.approx((above + below) / 2)
    assert above > below
    assert np.linalg.norm(instance.arms.features[-2:], axis=1) == pytest.approx([LEAN, 1 - LEAN])


def test_the_papers_figures_are_as_printed() -> None:
    assert EXPERIMENTS["table1"].paper[500, "rage-glm-r"] == (68_000.0, 19_130.0)
    assert EXPERIMENTS["table2"].paper[30, "random"] == (37_640.0, 10_840.0)


def rows_without_time(rows: list[Row]) -> list[dict[str, object]]:
    return [{key: value for key, value in vars(row).items() if key != "seconds"} for row in rows]


def test_a_campaign_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = campaign(["figure2"], tmp_path / "a", runs=2, stopping=["stylized"])
    assert len(whole) == 2 * 2 * 5
    played = itertools.count()
    play = runs.play

    def interrupted(cell: Cell, run: int, seed: int) -> Row:
        if next(played) == 7:
            raise KeyboardInterrupt
        return play(cell, run, seed)

    monkeypatch.setattr(runs, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        campaign(["figure2"], tmp_path / "b", runs=2, stopping=["stylized"])
    file = tmp_path / "b" / "runs.jsonl"
    assert len(file.read_text().splitlines()) == 7
    with file.open("a") as torn:
        torn.write('{"experiment": "figure2", "si')  # a process killed while it wrote
    resumed = campaign(["figure2"], tmp_path / "b", runs=2, stopping=["stylized"])
    assert next(played) == 8 + 13
    assert rows_without_time(resumed) == rows_without_time(whole)
    assert len(runs.read_rows(file)) == 20


def made_up(size: int, algorithm: str, stopping: str, samples: int) -> Row:
    return Row("table1", size, algorithm, stopping, 0, 0, samples, True, 900.0, 1.0)


def test_a_report_tells_which_relations_hold(tmp_path: Path) -> None:
    rows = [made_up(size, "log-ts", "evidence", 10 * size) for size in EXPERIMENTS["table1"].sizes]
    rows += [
        made_up(size, "random", "evidence", 20 * size if size > 100 else 500)
        for size in EXPERIMENTS["table1"].sizes
    ]
    rows += [made_up(size, "rage-glm-r", "its own", 1000 * size) for size in EXPERIMENTS["table1"].sizes]
    text = write_report(rows, tmp_path).read_text()
    assert "Log-TS takes fewer samples than Random at 4 of 5 values of K" in text
    assert "Random / Log-TS is 0.5 to 2 (paper: 2.82 to 4.47)" in text
    assert "the samples of Log-TS grow with K" in text
    assert "RAGE-GLM-R / Log-TS is 100 to 100 (paper: 3.72 to 8.2)" in text
    assert "*68.00 (19.13)*" in text
    assert "0 of them wrong" in text


def test_the_command_writes_tables_and_figures(tmp_path: Path) -> None:
    words = [
        "paper",
        "figure2",
        "--runs",
        "2",
        "--stopping",
        "stylized",
        "--stopping",
        "evidence",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "## figure2" in result.output
    assert "`evidence`" in result.output
    assert (tmp_path / "figure2.png").stat().st_size > 10_000
    assert "<svg" in (tmp_path / "figure2.svg").read_text()
    rows = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert {Cell(r["experiment"], r["size"], r["algorithm"], r["stopping"]) for r in rows} == set(
        runs.cells(["figure2"], ["stylized", "evidence"])
    )
