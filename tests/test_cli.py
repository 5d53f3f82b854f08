"""The command line, as typed."""

import json
from pathlib import Path

import pandas as pd
import pytest

from logts.cli.commands import COMMANDS
from logts.experiments import datasets
from tests.commands import typed as logts

OPTIONS = """name,bold,short,rate,yes,shown
plain,0,0,0.2,20,100
bold,1,0,0.3,30,100
short,0,1,0.6,60,100
both,1,1,0.75,75,100
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "options.csv"
    path.write_text(OPTIONS)
    return str(path)


def test_simulate_prints_a_table_and_writes_rows(table: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    words = [
        "--rates",
        "rate",
        "--formula",
        "~ bold + short",
        "--names",
        "name",
        "--runs",
        "20",
        "--out",
        str(out),
    ]
    told = logts("simulate", table, *words).output
    assert "best: both" in told
    assert "4 arms in 3 dimensions" in told
    rows = pd.read_csv(out)
    assert len(rows) == 20
    assert {"run", "samples", "correct", "answer", "confidence", "threshold", "counts", "seconds"} <= set(
        rows
    )


def test_simulate_gives_json_that_does_not_depend_on_jobs(table: str) -> None:
    words = [
        "simulate",
        table,
        "--recorded",
        "yes",
        "shown",
        "--formula",
        "~ bold + short",
        "--top",
        "2",
        "--runs",
        "4",
        "--json",
    ]
    one, two = (json.loads(logts(*words, "-j", str(jobs)).stdout) for jobs in (1, 2))
    for row in one + two:
        del row["seconds"]
    assert one == two
    assert all(sum(row["counts"]) == row["samples"] for row in one)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (["--above", "0.5"], "above"),
        (["--beat", "plain"], "plain"),
        (["--rank"], "order"),
        (["--best", "--epsilon", "1"], "best"),
    ],
)
def test_simulate_asks_every_question(table: str, question: list[str], answer: str) -> None:
    words = [
        "--rates",
        "rate",
        "--formula",
        "~ bold + short",
        "--names",
        "name",
        "--runs",
        "2",
        "--max-trials",
        "3000",
        "--json",
    ]
    rows = json.loads(logts("simulate", table, *words, *question).stdout)
    assert all(answer in row["answer"] for row in rows)


def test_columns_without_another_use_describe_the_options(table: str, tmp_path: Path) -> None:
    words = ["--names", "name", "--runs", "1"]
    # rate, yes and shown are left over: more features than options, so that every option stands for itself
    assert "4 arms in 4 dimensions" in logts("simulate", table, "--rates", "rate", *words).output
    names = tmp_path / "names.csv"
    names.write_text("name,rate\na,0.2\nb,0.8\n")
    assert "best: b" in logts("simulate", str(names), "--rates", "rate", *words).output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "--rates COLUMN, or --recorded"),
        (["--rates", "nobody"], "the columns are name, bold, short"),
        (["--rates", "rate", "--top", "2", "--rank"], "one question at a time"),
        (["--rates", "rate", "--formula", "~ colour"], "no column is called that"),
        (["--rates", "rate", "--delta", "2"], "strictly between 0 and 1"),
        (["--rates", "yes"], "one rate between 0 and 1"),
        (["--rates", "rate", "--stopping", "paper-practical"], "needs radius"),
        (["--rates", "rate", "--beat", "nobody"], "no item is called"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(table: str, words: list[str], sentence: str) -> None:
    told = logts("simulate", table, *words, fails=True).output
    assert sentence in told
    assert "Traceback" not in told


def test_broken_tables_are_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    bare = tmp_path / "bare.csv"
    empty.write_text("")
    bare.write_text("name,rate\n")
    assert "not a CSV table" in logts("simulate", str(empty), "--rates", "rate", fails=True).output
    assert "no rows" in logts("simulate", str(bare), "--rates", "rate", fails=True).output


def test_demo_ends_with_the_verdict_in_words_and_a_picture(tmp_path: Path) -> None:
    told = logts("demo", "--fast", "--out", str(tmp_path / "out")).output
    record = pd.read_csv(datasets.path("electricity_choice"))
    best = record.iloc[int((record["successes"] / record["trials"]).argmax())]
    name = f"{best['price']} | {best['contract']} | {best['supplier']}"
    assert f"Best: {name}." in told
    assert "the same contract did best" in " ".join(told.split())
    assert (tmp_path / "out" / "electricity.png").stat().st_size > 10_000
    assert "●" in told


def test_help_names_every_command() -> None:
    told = logts("--help").output
    for name in COMMANDS:
        assert name in told
        assert len(logts(name, "--help").output) > 100
