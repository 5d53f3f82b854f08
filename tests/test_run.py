"""``logts run``: a command or a person is asked until the question is settled."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import logts
from logts.cli.trial_command import TrialCommand
from tests.commands import NAMED, RUN, alive, call

pytestmark = pytest.mark.usefixtures("folder")
# A program that writes down how it was called.
SHOW = """
import json, sys
open('seen', 'a').write(json.dumps(sys.argv[1:]) + '\\n')
"""


def test_a_command_is_run_until_the_question_is_settled() -> None:
    result = call(*RUN, "--json", "-j", "2", "--", "test", "{works}", "=", "yes")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["decided"]
    assert told["options"] == ["green"]
    assert told["study"] == "options"
    study = logts.Study.open("logts.db")
    assert study.verdict is not None
    assert told["trials"] == study.verdict.trials
    frame = study.to_pandas()
    counted = frame[frame["outcome"].notna()]
    # Exit code 0 was yes, 1 was no.
    assert ((counted["outcome"] == 1) == (counted["option"] == "green")).all()
    again = call(*RUN, "--", "test", "{works}", "=", "yes")
    assert again.exit_code == 0
    assert "Best: green." in again.output
    assert len(study.to_pandas()) == len(frame)  # decided: nothing more was tried


def test_errors_are_retried_then_given_up_and_never_a_no() -> None:
    Path("codes.csv").write_text("name,code\ngood,0\nbad,1\nbroken,7\n")
    words = ("sh", "-c", 'echo "$0" >> tries; echo oops >&2; exit "$0"', "{code}")
    result = call("run", "codes.csv", *NAMED, "--budget", "12", "--retries", "1", "--", *words)
    assert result.exit_code == 3
    assert "(broken) given up: exit code 7: oops" in result.output
    assert "a larger --budget goes on" in result.output
    study = logts.Study.open("logts.db")
    frame = study.to_pandas()
    broken = frame[frame["option"] == "broken"]
    assert len(frame) == 12
    assert study.counts[2] == 0
    assert study.abandoned == len(broken) > 0
    assert set(broken["state"]) == {"abandoned"}
    assert set(broken["reason"]) == {"exit code 7: oops"}
    assert Path("tries").read_text().split().count("7") == 2 * len(broken)


def test_a_command_that_never_works_is_not_tried_for_ever() -> None:
    result = call(*RUN, "--retries", "0", "--", "sh", "-c", "exit 9", "{works}")
    assert result.exit_code == 1
    assert "10 trials in a row ended in errors: exit code 9. Mend the command" in result.output
    missing = call(*RUN, "--", "./no-such-program", "{works}")
    assert missing.exit_code == 1
    assert "./no-such-program cannot be run: No such file or directory" in missing.output
    assert call(*RUN, "--json", "--", "test", "{works}", "=", "yes").exit_code == 0  # mended


def test_a_timeout_is_an_error_and_leaves_no_process(folder: Path) -> None:
    words = ("sh", "-c", f"sleep 60 & echo $! >> {folder}/pids; wait; : {{works}}")
    result = call(*RUN, "--timeout", "0.3", "--retries", "0", "--budget", "2", "-j", "2", "--", *words)
    assert result.exit_code == 3
    assert "no answer within 0.3 seconds" in result.output
    for process in Path("pids").read_text().split():
        assert not alive(int(process))


@pytest.mark.parametrize("shell", [False, True])
def test_values_reach_the_command_as_they_are(folder: Path, shell: bool) -> None:
    touching = ["$(touch bad)", "x; touch bad", "`touch bad`"]
    notes = ["it's", 'a, "b"', *touching, "two\nlines", "", "{name}", "ünï ✓", "*"]
    names = [f"n{i}" for i in range(10)]
    pd.DataFrame({"name": names, "note": notes}).to_csv("odd.csv", index=False)
    Path("show.py").write_text(SHOW)
    show = [sys.executable, f"{folder}/show.py", "{name}", "{note}"]
    words = ["--shell", "--", " ".join(show)] if shell else ["--", *show]
    result = call("run", "odd.csv", *NAMED, "--budget", "12", *words)
    assert result.exit_code == 3, result.output
    seen = dict(map(json.loads, Path("seen").read_text().splitlines()))
    assert seen == dict(zip(names, notes, strict=True))
    assert not Path("bad").exists()


def test_cells_reach_commands_and_names_as_they_are_written() -> None:
    Path("codes.csv").write_text("id,version,flag,x\n007,1.10,true,1\n008,1e5,NA,2\n")
    Path("show.sh").write_text('printf "%s|" "$@" >> seen; echo >> seen')
    options = ("--names", "id", "--formula", "~ x", "--budget", "6")
    result = call("run", "codes.csv", *options, "--", "sh", "show.sh", "{id}", "{version}", "{flag}")
    assert result.exit_code == 3, result.output
    assert set(Path("seen").read_text().split()) == {"007|1.10|true|", "008|1e5|NA|"}
    assert logts.Study.open("logts.db").arms.names == ("007", "008")
    Path("semi.csv").write_text("a;b\n1;2\n")
    assert "save it with commas" in call("run", "semi.csv", "--", "true").output


def test_columns_of_the_table_do_not_hide_those_of_the_trials() -> None:
    Path("t.csv").write_text("trial,option,outcome,option outcome\n9,x,1,2\n8,y,3,4\n")
    assert call("run", "t.csv", "--budget", "3", "--", "true").exit_code == 3
    frame = logts.Study.open("logts.db").to_pandas()
    assert frame["trial"].tolist() == [0, 1, 2]
    assert set(frame["outcome"]) == {1}
    assert set(frame["option trial"]) == {"8", "9"}
    assert {"option option", "option outcome", "option option outcome"} <= set(frame.columns)


def test_places_must_be_columns() -> None:
    result = call(*RUN, "--", "echo", "{work}")
    assert result.exit_code == 1
    assert "{work}, and no column is called that; there are name, works, note" in result.output
    assert not Path("logts.db").exists()
    assert call(*RUN).exit_code == 2
    assert "--ask runs no command" in call(*RUN, "--ask", "--", "echo").output
    kept = ["{}", '{"json": 1}', "{print $1}"]
    command = TrialCommand(["a{x}b", *kept], ["x"], shell=False, timeout=None)
    assert command.filled({"x": 1.5}) == ["a1.5b", *kept]


def test_the_same_name_is_the_same_study() -> None:
    assert call(*RUN, "--budget", "4", "--", "true").exit_code == 3
    for words, said in (
        ((*RUN, "--delta", "0.1"), "another delta"),
        ((*RUN, "--top", "2"), "another question"),
        (("run", "options.csv", "--names", "name", "--formula", "~ works", "--equal"), "other options"),
        ((*RUN, "--no-guard"), "another --guard"),
    ):
        result = call(*words, "--budget", "8", "--", "true")
        assert result.exit_code == 1
        assert f"holds a study called 'options' with {said}" in result.output
    assert call(*RUN, "--budget", "8", "--", "true").exit_code == 3
    assert logts.Study.open("logts.db").asked == 8
    assert call(*RUN, "--top", "2", "--name", "two", "--budget", "3", "--", "true").exit_code == 3
    assert logts.Study.list("logts.db") == ["options", "two"]


def test_runs_that_start_together_share_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(*RUN, "--budget", "3", "--", "true").exit_code == 3
    monkeypatch.setattr(logts.Study, "list", lambda _: [])  # as another process saw it a moment ago
    assert call(*RUN, "--budget", "6", "--", "true").exit_code == 3
    assert logts.Study.open("logts.db").asked == 6


def test_the_budget_holds_with_many_at_a_time() -> None:
    words = ("sh", "-c", "test $((LOGTS_TRIAL % 2)) = 0; : {works}")
    result = call(*RUN, "-j", "4", "--budget", "21", "--", *words)
    assert result.exit_code == 3
    assert logts.Study.open("logts.db").asked == 21
    assert logts.Study.open("logts.db").counts.sum() == 21


def test_a_person_answers() -> None:
    result = call(*RUN, "--ask", "--budget", "5", answers="y\nn\nmaybe\nn\ns\nq\n")
    assert result.exit_code == 3
    assert "note: " in result.output
    assert "the same command goes on" in result.output
    study = logts.Study.open("logts.db")
    assert (study.counts.sum(), study.abandoned, len(study.waiting)) == (3, 1, 1)
    assert call(*RUN, "--ask", "--budget", "5", answers="y\n").exit_code == 3
    assert logts.Study.open("logts.db").counts.sum() == 4
    assert logts.Study.open("logts.db").asked == 5


def test_a_person_and_json_do_not_mix_on_standard_output() -> None:
    result = call(*RUN, "--ask", "--json", "--budget", "2", answers="y\nn\n")
    assert json.loads(result.stdout)["trials"] == 2
