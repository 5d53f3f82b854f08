"""Commands overwrite no file that they did not write, and write none that harms who opens it."""

from pathlib import Path

import pandas as pd
import pytest

import logts
from logts.cli.escapes import shown
from logts.tables import harmless
from tests.commands import NAMED, RUN, call, typed

pytestmark = pytest.mark.usefixtures("folder")

WORKS = ("--", "test", "{works}", "=", "yes")


def finished() -> None:
    typed(*RUN, *WORKS)


def test_an_export_leaves_the_table_of_the_study_alone() -> None:
    finished()
    before = Path("options.csv").read_bytes()
    assert "options.trials.csv" in typed("export").output
    assert len(pd.read_csv("options.trials.csv")) == logts.Study.open("logts.db").asked
    refused = call("export", "--out", "options.csv")
    assert refused.exit_code == 1
    assert "there is a file options.csv already" in refused.output
    assert "--force" in refused.output
    assert Path("options.csv").read_bytes() == before
    typed("export", "--out", "options.csv", "--force")
    assert Path("options.csv").read_bytes() == Path("options.trials.csv").read_bytes()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_does_not_say_who_made_it_and_is_overwritten_by_force_alone(ending: str) -> None:
    finished()
    typed("export", "--out", f"t.{ending}")
    assert "already" in typed("export", "--out", f"t.{ending}", fails=True).output
    typed("export", "--out", f"t.{ending}", "--force")


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("report",), "page.html"),
        (("plot", "rates"), "rates.png"),
        (("plot", "rates"), "rates.PNG"),
        (("plot", "fit"), "fit.svg"),
        (("plot", "confidence"), "confidence.pdf"),
        (("plan", "options.csv", *NAMED, "--effect", "0.4", "--runs", "2", "-j", "1"), "plan.png"),
    ],
)
def test_reports_and_pictures_are_written_anew_but_not_over_others(words: tuple[str, ...], file: str) -> None:
    finished()
    Path(file).write_bytes(b"my own notes")
    assert f"there is a file {file} already" in typed(*words, "--out", file, fails=True).output
    assert Path(file).read_bytes() == b"my own notes"
    typed(*words, "--out", file, "--force")
    first = Path(file).read_bytes()
    assert len(first) > 5000
    Path(file).write_bytes(first + b"\n")
    typed(*words, "--out", file)
    assert not Path(file).read_bytes().endswith(b"\n\n")


def test_runs_of_a_simulation_do_not_take_the_place_of_the_table() -> None:
    Path("options.csv").write_text("name,rate\nred,0.1\ngreen,0.9\n")
    words = ("simulate", "options.csv", "--names", "name", "--rates", "rate", "--runs", "2")
    assert "already" in typed(*words, "--out", "options.csv", fails=True).output
    assert Path("options.csv").read_text().startswith("name,rate")
    typed(*words, "--out", "runs.csv")
    assert len(pd.read_csv("runs.csv")) == 2


def test_what_is_no_file_may_be_written_to() -> None:
    finished()
    typed("export", "--out", "trials.csv")
    Path("pipe.csv").symlink_to("/dev/null")
    typed("export", "--out", "pipe.csv")


def test_no_text_of_a_csv_file_is_a_formula() -> None:
    columns = [
        {"=note": value} for value in ("=1+1", "-2.5", "+x", "@SUM(A1)", "\tx", "plain - text", "-", "+3e4")
    ]
    arms = logts.Arms(names=["=cmd|' /C calc'!A0", "-b", "c", "d", "e", "f", "g", "h"], columns=columns)
    with logts.Study.create("logts.db", "odd", arms=arms, problem=logts.BestArm()) as study:
        for trial in study.ask(8):
            study.abandon(trial, "=HYPERLINK(1)")
        known = study.to_pandas()
    typed("export", "--out", "t.csv")
    typed("export", "--out", "t.parquet")
    read = pd.read_csv("t.csv", dtype=str, keep_default_na=False).set_index("option")
    assert {"'=cmd|' /C calc'!A0", "'-b", "c"} <= set(read.index)
    assert set(read["'=note"]) == {"'=1+1", "-2.5", "'+x", "'@SUM(A1)", "'\tx", "plain - text", "'-", "+3e4"}
    assert set(read["reason"]) == {"'=HYPERLINK(1)"}
    assert not any(str(cell).startswith(("=", "@", "\t", "\r")) for cell in read.to_numpy().ravel())
    pd.testing.assert_frame_equal(pd.read_parquet("t.parquet"), known)


@pytest.mark.parametrize("value", [-3, 2.5, None, True, "-3", "+.5", "-1e-3", "a=b", ""])
def test_numbers_and_plain_texts_stay(value: object) -> None:
    assert harmless(value) is value


def test_names_are_listed_without_their_control_bytes() -> None:
    name = "a\x1b[31mred\x1b[0m\r\n\x07\x9b2J\u202eb\u2028"
    arms = logts.Arms(names=["\x1b]0;title\x07x", "y"])
    with logts.Study.create("logts.db", name, arms=arms, problem=logts.BestArm()) as study:
        trials = study.ask(20)
        study.tell(trials, [trial.number == 0 for trial in trials])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        listed = typed("list").output
    assert r"a\x1b[31mred\x1b[0m\r\n\x07\x9b2J\u202eb\u2028" in listed
    assert r"\x1b]0;title\x07x" in listed
    for output in (listed, typed("rescue", "logts.db", "new.db").output):
        assert not any(letter in output for letter in "\x1b\r\x07\x9b\u202e\u2028")
        assert output.count("\n") <= 3
    assert shown("naïve ✓ 👩\u200d🔬") == "naïve ✓ 👩\u200d🔬"
