"""``logts plan``, as typed."""

import json
from pathlib import Path

import matplotlib.image
import pytest
from click.testing import Result

from tests.commands import typed

OPTIONS = """name,bold,short,guess,word
plain,0,0,0.1,few
bold,1,0,0.3,some
short,0,1,0.6,most
both,1,1,0.95,all
"""
MODEL = ("--names", "name", "--formula", "~ bold + short")


def command(*words: str, fails: bool = False) -> Result:
    return typed("plan", *words, "-j", "1", fails=fails)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "options.csv"
    path.write_text(OPTIONS)
    return str(path)


def test_the_command_tells_and_draws_a_plan(table: str, tmp_path: Path) -> None:
    words = [*MODEL, "--rates", "guess", "--runs", "12"]
    told = " ".join(command(table, *words, "--out", str(tmp_path / "plan.png")).output.split())
    assert "4 arms in 3 dimensions" in told
    assert "best: both" in told
    assert "Expect" in told
    assert "simulated studies 12 12" in told
    assert "No method that errs at most 5% of the time" in told
    picture = matplotlib.image.imread(tmp_path / "plan.png")
    assert min(picture.shape[:2]) > 400


def test_rates_come_from_a_column_or_a_table_by_names_or_by_rows(table: str, tmp_path: Path) -> None:
    words = [table, *MODEL, "--runs", "3", "--seed", "1", "--json"]
    column = json.loads(command(*words, "--rates", "guess").stdout)
    named = tmp_path / "named.csv"
    rows = tmp_path / "rows.csv"
    named.write_text("which,rate\nboth,0.95\nplain,0.1\nshort,0.6\nbold,0.3\n")
    rows.write_text("rate\n0.1\n0.3\n0.6\n0.95\n")
    for path in (named, rows):
        found = json.loads(command(*words, "--rates", str(path)).stdout)
        assert found["rates"] == column["rates"] == {"plain": 0.1, "bold": 0.3, "short": 0.6, "both": 0.95}
        assert found["log_ts"]["trials"] == column["log_ts"]["trials"]
    assert column["log_ts"]["median"] == sorted(column["log_ts"]["trials"])[1]
    assert column["lower_bound"]["proven"]


@pytest.mark.parametrize(
    "question", [["--best"], ["--top", "2"], ["--above", "0.4"], ["--beat", "plain"], ["--rank"]]
)
def test_every_question_is_planned_for_an_effect(table: str, question: list[str]) -> None:
    words = ["--effect", "0.15", "--base", "0.4", "--runs", "2", "--json"]
    found = json.loads(command(table, *MODEL, *words, *question).stdout)
    assert found["lower_bound"]["trials"] < found["log_ts"]["median"]
    assert found["misfit"] == 0.0


def test_a_budget_shows_as_undecided_studies(table: str) -> None:
    words = [*MODEL, "--effect", "0.01", "--runs", "6", "--max-trials", "100"]
    assert json.loads(command(table, *words, "--json").stdout)["log_ts"]["median"] is None
    assert "not decided 6" in " ".join(command(table, *words).output.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "--rates COLUMN or FILE.csv, or --effect"),
        (["--rates", "guess", "--effect", "0.05"], "--rates COLUMN or FILE.csv, or --effect"),
        (["--rates", "guess", "--base", "0.5"], "--base goes with --effect"),
        (["--rates", "guess", "--out", "plan.docx"], "ends in .png, .svg, .pdf"),
        (["--rates", "guess", "--out", "nowhere/plan.png"], "a folder that exists"),
        (["--rates", "nobody"], "the columns are name, bold, short"),
        (["--rates", "word"], "that of plain is few"),
        (["--rates", "bold"], "that of plain is 0"),
        (["--effect", "0"], "strictly between 0 and 1"),
        (["--effect", "1"], "strictly between 0 and 1"),
        (["--effect", "nan"], "strictly between 0 and 1"),
        (["--effect", "0.4", "--rank"], "give a smaller effect"),
        (["--effect", "0.05", "--base", "0.96"], "give a smaller effect or base"),
        (["--effect", "0.05", "--top", "2", "--rank"], "one question at a time"),
        (["--effect", "0.05", "--beat", "nobody"], "no item is called"),
        (["--effect", "0.05", "--formula", "~ colour"], "no column is called that"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(table: str, words: list[str], sentence: str) -> None:
    formula = [] if "--formula" in words else ["--formula", "~ bold + short"]
    told = command(table, "--names", "name", *formula, *words, fails=True).output
    assert sentence in " ".join(told.split())
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("rate\n0.1\n0.2\n", "2 rates for 4 options"),
        ("name,guess\nplain,0.1\n", "no column is called 'rate'"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\nbroth,0.4\n", "only one of them has both"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\n", "only one of them has both"),
        ("name,rate\nplain,0.1\nbold,0.2\nshort,0.3\nboth,0.4\nshort,0.5\n", "more than one rate for short"),
        ("rate\n0.1\n0.2\nnan\n0.4\n", "that of short is nan"),
        ("", "not a CSV table"),
    ],
)
def test_guesses_that_do_not_fit_are_named(table: str, tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "guesses.csv"
    path.write_text(content)
    told = command(table, *MODEL, "--rates", str(path), fails=True).output
    assert sentence in " ".join(told.split())
