"""The commands about studies that are kept: they are shown, exported, reported and rescued."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import logts
from tests.commands import RUN, call

pytestmark = pytest.mark.usefixtures("folder")


def finished() -> None:
    assert call(*RUN, "--json", "--", "test", "{works}", "=", "yes").exit_code == 0
    assert call(*RUN, "--name", "open", "--budget", "5", "--", "test", "{works}", "=", "yes").exit_code == 3


def test_status_and_list() -> None:
    finished()
    assert call("status").exit_code == 1  # there are two
    result = call("status", "--name", "options")
    assert result.exit_code == 0
    assert "Best: green." in result.output
    undecided = call("status", "logts.db", "--name", "open")
    assert undecided.exit_code == 3
    assert "Undecided after 5 trials" in undecided.output
    told = json.loads(call("status", "--name", "options", "--json").stdout)
    assert told["options"] == ["green"]
    assert told["basis"] in ("model", "model-free")
    assert 0.0 <= told["rates"][0]["low"] <= told["rates"][0]["rate"] <= told["rates"][0]["high"] <= 1.0
    listed = call("list").output
    assert "best: green" in listed
    assert "open" in listed
    assert [one["decided"] for one in json.loads(call("list", "--json").stdout)] == [True, False]
    missing = call("status", "nowhere.db")
    assert missing.exit_code == 1
    assert "there is no file nowhere.db" in missing.output
    assert "Traceback" not in missing.output


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_export(ending: str) -> None:
    finished()
    result = call("export", "--name", "options", "--out", f"t.{ending}")
    assert result.exit_code == 0, result.output
    study = logts.Study.open("logts.db", "options")
    if ending == "jsonl":
        assert [json.loads(line) for line in Path("t.jsonl").read_text().splitlines()] == study.events()
        return
    frame = pd.read_csv("t.csv") if ending == "csv" else pd.read_parquet("t.parquet")
    assert len(frame) == study.asked
    assert frame["outcome"].sum() == study._read().policy.judge.tally.successes.sum()
    assert set(frame["note"]) == {"it's", "a, b", "$(touch bad)"}
    assert list(frame.columns[:3]) == ["trial", "option", "outcome"]
    assert study.to_polars().shape == frame.shape
    assert "the ending says the format" in call("export", "--name", "open", "--out", "t.xls").output


def test_report_and_pictures() -> None:
    finished()
    for name in ("options", "open"):
        assert call("report", "--name", name).exit_code == 0
        assert "green" in Path(f"{name}.html").read_text()
        for picture in ("rates", "confidence", "settled", "fit"):
            result = call("plot", picture, "--name", name)
            assert result.exit_code == 0, result.output
            assert Path(f"{name}-{picture}.png").stat().st_size > 5000


def test_rescue_and_foreign_files() -> None:
    finished()
    whole = Path("logts.db").read_bytes()
    Path("torn.db").write_bytes(whole[: len(whole) // 2])
    torn = call("status", "torn.db")
    assert torn.exit_code == 1
    assert "logts rescue torn.db rescued.db" in torn.output
    result = call("rescue", "logts.db", "copy.db")
    assert result.exit_code == 0
    assert "events saved, all of them" in result.output
    assert call("status", "copy.db", "--name", "options").exit_code == 0
    foreign = call("status", "options.csv")
    assert foreign.exit_code == 1
    assert "not a database file" in foreign.output
    assert Path("options.csv").read_text().startswith("name,works")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = call("completion", shell)
    assert script.exit_code == 0
    assert "_LOGTS_COMPLETE" in script.output
    finished()
    words = {"COMP_WORDS": "logts status --name o", "COMP_CWORD": "3"}
    env = {**os.environ, "_LOGTS_COMPLETE": "bash_complete", **words}
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'logts'; from logts.cli import main; main()"]
    found = subprocess.run(program, env=env, capture_output=True, text=True, check=False).stdout
    assert "options" in found
    assert "open" in found


def test_odd_studies_are_shown() -> None:
    Path("one.csv").write_text("name\nonly\n")
    assert call("run", "one.csv", "--names", "name", "--name", "[/x]", "--", "true").exit_code == 0
    assert "Best: only" in call("status").output
    assert "[/x]" in call("list").output
    with sqlite3.connect("logts.db") as connection:
        connection.execute("INSERT INTO logts_studies (name) VALUES ('torn')")
    listed = call("list").output
    assert "[/x]" in listed
    assert "nothing of it was saved" in " ".join(listed.split())
    for words, ending in ((("plot", "rates"), "png"), (("export",), "csv"), (("report",), "html")):
        result = call(*words, "--name", "[/x]", "--out", f"/proc/none/x.{ending}")
        assert result.exit_code == 1
        assert "/proc/none" in result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)


def test_looking_at_a_foreign_file_leaves_it_as_it_is() -> None:
    with sqlite3.connect("other.db") as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = Path("other.db").read_bytes()
    assert "holds no studies" in call("status", "other.db").output
    assert Path("other.db").read_bytes() == before
