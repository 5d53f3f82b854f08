"""``logts run`` and the commands about studies that are kept."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import logts
from logts.cli.app import app
from logts.cli.leases import release_of_the_dead
from logts.cli.trial_command import TrialCommand
from logts.cli.work import Crew
from logts.journal import JournalError
from logts.study import this_worker


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("options.csv").write_text('name,works,note\nred,no,it\'s\ngreen,yes,"a, b"\nblue,no,$(touch bad)\n')
    return tmp_path


def call(*words: str, answers: str | None = None) -> Result:
    return CliRunner().invoke(app, list(words), input=answers)


RUN = ("run", "options.csv", "--names", "name", "--formula", "~ name")


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
    result = call(
        "run",
        "codes.csv",
        "--names",
        "name",
        "--formula",
        "~ name",
        "--budget",
        "12",
        "--retries",
        "1",
        "--",
        *words,
    )
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
        assert not _alive(int(process))


def _alive(process: int) -> bool:
    """Whether it runs; one that has ended but was not waited for does not count."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.parametrize("shell", [False, True])
def test_values_reach_the_command_as_they_are(folder: Path, shell: bool) -> None:
    notes = [
        "it's",
        'a, "b"',
        "$(touch bad)",
        "x; touch bad",
        "`touch bad`",
        "two\nlines",
        "",
        "{name}",
        "ünï ✓",
        "*",
    ]
    pd.DataFrame({"name": [f"n{i}" for i in range(10)], "note": notes}).to_csv("odd.csv", index=False)
    show = f"{sys.executable} {folder}/show.py"
    Path("show.py").write_text(
        "import json, sys\nopen('seen', 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
    )
    words = (
        *(["--shell"] if shell else []),
        "--",
        *([f"{show} {{name}} {{note}}"] if shell else [*show.split(), "{name}", "{note}"]),
    )
    result = call("run", "odd.csv", "--names", "name", "--formula", "~ name", "--budget", "12", *words)
    assert result.exit_code == 3, result.output
    seen = dict(map(json.loads, Path("seen").read_text().splitlines()))
    assert seen == dict(zip([f"n{i}" for i in range(10)], notes, strict=True))
    assert not Path("bad").exists()


def test_places_must_be_columns() -> None:
    result = call(*RUN, "--", "echo", "{work}")
    assert result.exit_code == 1
    assert "{work}, and no column is called that; there are name, works, note" in result.output
    assert not Path("logts.db").exists()
    assert call(*RUN).exit_code == 2
    assert "--ask runs no command" in call(*RUN, "--ask", "--", "echo").output
    kept = ["{}", '{"json": 1}', "{print $1}"]
    assert TrialCommand(["a{x}b", *kept], ["x"], shell=False, timeout=None).filled({"x": 1.5}) == [
        "a1.5b",
        *kept,
    ]


def test_the_same_name_is_the_same_study() -> None:
    assert call(*RUN, "--budget", "4", "--", "true").exit_code == 3
    for words, said in (
        ((*RUN, "--delta", "0.1"), "another delta"),
        ((*RUN, "--top", "2"), "another question"),
        (("run", "options.csv", "--names", "name", "--formula", "~ works"), "other options"),
        ((*RUN, "--no-guard"), "another --guard"),
    ):
        result = call(*words, "--budget", "8", "--", "true")
        assert result.exit_code == 1
        assert f"holds a study called 'options' with {said}" in result.output
    assert call(*RUN, "--budget", "8", "--", "true").exit_code == 3
    assert logts.Study.open("logts.db").asked == 8
    assert call(*RUN, "--top", "2", "--name", "two", "--budget", "3", "--", "true").exit_code == 3
    assert logts.Study.list("logts.db") == ["options", "two"]


def test_the_budget_holds_with_many_at_a_time() -> None:
    result = call(
        *RUN, "-j", "4", "--budget", "21", "--", "sh", "-c", "test $((LOGTS_TRIAL % 2)) = 0; : {works}"
    )
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


def start(folder: Path) -> "subprocess.Popen[str]":
    """A run that would take for ever, in a process of its own."""
    program = [sys.executable, "-c", "from logts.cli import main; main()", *RUN, "-j", "3"]
    words = [
        "--",
        "sh",
        "-c",
        f"echo $$ >> {folder}/pids; test {{works}} = no || sleep 0.01; sleep 0.03; exit $((LOGTS_TRIAL % 2))",
    ]
    return subprocess.Popen([*program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(trials: int, process: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        try:
            if logts.Study.open("logts.db").counts.sum() >= trials:
                return
        except (ValueError, JournalError):
            pass
        time.sleep(0.05)
    raise AssertionError("nothing happens")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_goes_on_without_loss(folder: Path, how: signal.Signals) -> None:
    made = 0
    for _ in range(2):
        process = start(folder)
        wait_for(made + 5, process)
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
        study = logts.Study.open("logts.db")
        made = int(study.counts.sum())
        if how is not signal.SIGKILL:
            assert process.returncode == 130, err
            assert "the same command goes on" in out
            assert all(until < time.time() for _, _, until in study.waiting)  # given back
            assert not any(_alive(int(pid)) for pid in Path("pids").read_text().split())
        else:
            release_of_the_dead(study)
            assert all(until < time.time() for _, _, until in study.waiting)
    waiting = sorted(trial.id for trial, _, _ in study.waiting)
    assert [trial.id for trial in study.ask(len(waiting) + 1)][: len(waiting)] == waiting
    frame = study.to_pandas()
    assert frame["trial"].tolist() == list(range(len(frame)))
    told = frame[frame["outcome"].notna()]
    assert (told["outcome"] == 1 - told["trial"] % 2).all()


def test_trials_of_the_living_are_left_alone() -> None:
    arms = logts.Arms(names=["a", "b"])
    study = logts.Study.create("x.db", "x", arms=arms, problem=logts.BestArm())
    study.ask(1)
    study.ask(1, worker="elsewhere:1")
    release_of_the_dead(study)
    assert all(until > time.time() for _, _, until in study.waiting)


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
    env = {
        **os.environ,
        "_LOGTS_COMPLETE": "bash_complete",
        "COMP_WORDS": "logts status --name o",
        "COMP_CWORD": "3",
    }
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'logts'; from logts.cli import main; main()"]
    found = subprocess.run(program, env=env, capture_output=True, text=True, check=False).stdout
    assert "options" in found
    assert "open" in found


def test_cells_reach_commands_and_names_as_they_are_written() -> None:
    Path("codes.csv").write_text("id,version,flag,x\n007,1.10,true,1\n008,1e5,NA,2\n")
    Path("show.sh").write_text('printf "%s|" "$@" >> seen; echo >> seen')
    result = call(
        "run",
        "codes.csv",
        "--names",
        "id",
        "--formula",
        "~ x",
        "--budget",
        "6",
        "--",
        "sh",
        "show.sh",
        "{id}",
        "{version}",
        "{flag}",
    )
    assert result.exit_code == 3, result.output
    assert set(Path("seen").read_text().split()) == {"007|1.10|true|", "008|1e5|NA|"}
    assert logts.Study.open("logts.db").arms.names == ("007", "008")
    Path("semi.csv").write_text("a;b\n1;2\n")
    assert "save it with commas" in call("run", "semi.csv", "--", "true").output


def test_runs_that_start_together_share_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(*RUN, "--budget", "3", "--", "true").exit_code == 3
    monkeypatch.setattr(logts.Study, "list", lambda _: [])  # as another process saw it a moment ago
    assert call(*RUN, "--budget", "6", "--", "true").exit_code == 3
    assert logts.Study.open("logts.db").asked == 6


def test_trials_whose_process_number_came_again_are_given_back() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    host, process, _ = this_worker().rsplit(":", 2)
    study.ask(1, worker=f"{host}:{process}:another")
    study.ask(1)
    release_of_the_dead(study)
    assert [trial.id for trial, _, until in study.waiting if until < time.time()] == [0]
    length = len(study.events())
    release_of_the_dead(study)
    assert len(study.events()) == length


def test_a_lease_that_ends_under_a_worker_does_no_harm() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    crew = Crew(
        study,
        TrialCommand(["true"], [], shell=False, timeout=9.0),
        jobs=1,
        retries=0,
        budget=None,
        timeout=9.0,
    )
    (trial,) = study.ask()
    study.tell(trial, 0)  # by somebody else
    crew._tell(trial, True)
    crew._give_up(trial, "it broke")
    assert len(crew.troubles) == 2
    assert study.counts.sum() == 1
    threads = [threading.Thread(target=crew._make, args=(trial,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not crew._running


def test_a_person_and_json_do_not_mix_on_standard_output() -> None:
    result = call(*RUN, "--ask", "--json", "--budget", "2", answers="y\nn\n")
    assert json.loads(result.stdout)["trials"] == 2


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


def test_columns_of_the_table_do_not_hide_those_of_the_trials() -> None:
    Path("t.csv").write_text("trial,option,outcome,option outcome\n9,x,1,2\n8,y,3,4\n")
    assert call("run", "t.csv", "--budget", "3", "--", "true").exit_code == 3
    frame = logts.Study.open("logts.db").to_pandas()
    assert frame["trial"].tolist() == [0, 1, 2]
    assert set(frame["outcome"]) == {1}
    assert set(frame["option trial"]) == {"8", "9"}
    assert {"option option", "option outcome", "option option outcome"} <= set(frame.columns)
