"""What a study keeps of the command that makes its trials, and that it stays the same until the end."""

import json
from pathlib import Path

import pytest

import logts
from logts.tools.state import decode
from tests.commands import NAMED, RUN, call

pytestmark = pytest.mark.usefixtures("folder")
WORKS = ("test", "{works}", "=", "yes")

# What a study keeps of its command.


def test_the_command_its_folder_and_its_last_words_are_kept(folder: Path) -> None:
    script = "echo first >&2; printf '\\033[31mred\\033[0m \\007%s\\n' {name} >&2; test {works} = yes"
    assert call(*RUN, "--budget", "12", "--", "sh", "-c", script).exit_code == 3
    study = logts.Study.open("logts.db")
    (command,) = study.notes["command"].values()
    assert command["words"] == ["sh", "-c", script]
    assert command["folder"] == str(folder.resolve())
    assert (command["shell"], command["yes"], command["no"]) == (False, [0], [1])
    failures = study.notes["failures"]
    assert set(failures) == {"red", "blue"}  # green worked
    assert failures["red"]["said"] == "first\nred ?red"
    assert failures["red"]["as"] == "no"
    noted = [event for event in study.events() if event.get("about") in ("command", "failures")]
    assert len(noted) == 3  # what is no news is not written down again
    assert call("report", "--out", "report.html").exit_code == 0
    page = Path("report.html").read_text()
    assert "Made by: sh -c" in page
    assert f"in {folder.resolve()}; exit code 0 is yes, 1 no unless it broke" in page
    assert "no): first\nred ?red" in page


def test_words_that_always_differ_do_not_fill_the_journal() -> None:
    script = "echo $LOGTS_TRIAL >&2; exit 1; : {name}"
    assert call(*RUN, "--budget", "60", "--", "sh", "-c", script).exit_code == 3
    study = logts.Study.open("logts.db")
    noted = [event for event in study.events() if event["kind"] == "noted"]
    assert len(noted) < 1 + 3 * 7
    assert all(int(said["said"]) == said["trial"] > 10 for said in study.notes["failures"].values())


def test_errors_leave_their_words_as_well() -> None:
    assert call(*RUN, "--budget", "3", "--", "sh", "-c", "echo oops >&2; exit 7; : {name}").exit_code == 3
    failures = logts.Study.open("logts.db").notes["failures"]
    assert {(said["as"], said["said"]) for said in failures.values()} == {("error", "oops")}


def test_notes_change_nothing_and_survive(url: str) -> None:
    arms = logts.Arms(names=["a", "b"])
    study = logts.Study.create(url, "noted", arms=arms, problem=logts.BestArm())
    study.tell(study.ask(4), [1, 0, 1, 1])
    before = study.counts.tolist(), study.rates(), study.progress
    study.note("weather", {"sky": "grey", "rain": 3})
    study.note("weather", {"sky": "blue"})
    assert study.notes == {"weather": {"sky": "blue", "rain": 3}}
    assert (study.counts.tolist(), study.rates(), study.progress) == before
    assert logts.Study.open(url, "noted").notes == study.notes
    for about, said in ((1, {"a": 1}), ("a", {1: "a"}), ("a", {"b": {1, 2}}), ("a", {"b": float("nan")})):
        with pytest.raises(ValueError, match=r"notes have names|JSON"):
            study.note(about, said)  # type: ignore[arg-type]  # wrong on purpose
    assert logts.Study.open(url, "noted").notes == study.notes


def test_notes_of_your_own_do_not_take_the_report_away() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    study.note("failures", {"a": 3, "b": ["odd"]})
    study.note("command", {"1": "by hand", "2": {"words": "too few"}})
    page = study.report("report.html").read_text()
    assert "Made by: by hand" in page
    assert "a: 3" in page


def test_notes_are_in_snapshots() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    study.note("weather", {"sky": "grey"})
    assert decode(json.loads(json.dumps(study._read().state()))["notes"]) == study.notes


# The same command until the end.


def test_a_changed_command_is_refused_unless_it_measures_the_same() -> None:
    assert call(*RUN, "--budget", "4", "--", *WORKS).exit_code == 3
    other = ("sh", "-c", "test {works} = yes")
    result = call(*RUN, "--budget", "8", "--", *other)
    assert result.exit_code == 1
    assert "so far were made by\n  test {works} = yes   (in " in result.output
    assert "and this is another command:\n  sh -c 'test {works} = yes'   (in " in result.output
    assert "--same" in result.output
    assert logts.Study.open("logts.db").asked == 4
    assert call(*RUN, "--budget", "8", "--same", "--", *other).exit_code == 3
    # Now both are known to measure the same.
    assert call(*RUN, "--budget", "12", "--", *other).exit_code == 3
    assert call(*RUN, "--budget", "16", "--", *WORKS).exit_code == 3
    assert logts.Study.open("logts.db").asked == 16
    assert len(logts.Study.open("logts.db").notes["command"]) == 2


@pytest.mark.parametrize("change", ["folder", "--no", "--yes", "--shell", "--ask"])
def test_what_makes_another_command(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "options.csv"
    words = ("run", str(file), *NAMED, "--study", str(tmp_path / "logts.db"), "--budget", "8")
    assert call(*words[:-1], "4", "--", *WORKS).exit_code == 3
    codes = {"--no": ["--no", "1,2"], "--yes": ["--yes", "0,3"]}
    given = codes.get(change, [change])
    if change == "folder":
        (tmp_path / "below").mkdir()
        monkeypatch.chdir(tmp_path / "below")
        given = []
    again = (*words, *given) if change == "--ask" else (*words, *given, "--", *WORKS)
    result = call(*again, answers="y\n" * 4)
    assert result.exit_code == 1
    assert "this is another command" in result.output
    again = (*words, "--same", *again[len(words) :])
    assert call(*again, answers="y\n" * 4).exit_code == 3


def test_a_command_without_outcomes_may_be_mended() -> None:
    assert call(*RUN, "--budget", "2", "--retries", "0", "--", "sh", "-c", "exit 9", "{name}").exit_code == 3
    assert call(*RUN, "--budget", "5", "--", *WORKS).exit_code == 3
    (command,) = logts.Study.open("logts.db").notes["command"].values()
    assert command["words"] == list(WORKS)
    result = call(*RUN, "--budget", "9", "--", "sh", "-c", "exit 9", "{name}")
    assert "this is another command" in result.output


def test_a_study_that_goes_on_from_another_keeps_its_command() -> None:
    assert call(*RUN, "--budget", "6", "--", *WORKS).exit_code == 3
    later = (
        "run",
        "options.csv",
        "--names",
        "name",
        "--name",
        "later",
        "--after",
        "options",
        "--budget",
        "4",
    )
    result = call(*later, "--", "true", "{works}")
    assert result.exit_code == 1
    assert "so far were made by\n  test {works} = yes   (in " in result.output
    assert call(*later, "--", *WORKS).exit_code == 3
    assert logts.Study.open("logts.db", "later").asked == 4


def test_a_command_without_columns_is_warned_about() -> None:
    said = "Warning: every option runs the same command, as none of {name}, {works}, {note} stands in it."
    result = call(*RUN, "--budget", "3", "--json", "--", "true", "{}", '{"a": 1}')
    assert result.stderr.count(said) == 1
    assert "LOGTS_OPTION" in result.stderr
    json.loads(result.stdout)
    assert said not in call(*RUN, "--name", "a", "--budget", "3", "--", "true", "{name}").output
    reads = ("sh", "-c", 'test "$LOGTS_OPTION" = green')
    assert said not in call(*RUN, "--name", "b", "--budget", "3", "--", *reads).output


def test_a_dry_run_needs_no_command() -> None:
    result = call(*RUN, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Nothing was tried." in result.output
    assert "no column is called that" in call(*RUN, "--dry-run", "--", "true", "{nam}").output
    assert not Path("logts.db").exists()


def test_the_budget_of_a_run_is_reported_as_given() -> None:
    assert call(*RUN, "--budget", "7", "--", "true", "{name}").exit_code == 3
    assert call(*RUN, "--budget", "9", "--", "true", "{name}").exit_code == 3
    assert call("report", "--out", "report.html").exit_code == 0
    assert "9 trials" in Path("report.html").read_text(encoding="utf-8")
