"""Outcomes that take days: ask, tell and import on the command line."""

import io
import json
import re
import time
from pathlib import Path

import pandas as pd
import pytest

import logts
from logts.cli.outcomes import in_words
from logts.study.dead import release_of_the_dead
from tests.commands import call, typed

pytestmark = pytest.mark.usefixtures("folder")
COLUMNS = [{"text": "a"}, {"text": "two\nlines \x1b[31m"}, {"text": "c"}]


@pytest.fixture
def study() -> logts.Study:
    arms = logts.Arms(names=["red", "green", "blue"], columns=COLUMNS)
    return logts.Study.create("logts.db", "colours", arms=arms, problem=logts.BestArm(), delta=0.1)


@pytest.fixture
def modelled() -> logts.Study:
    arms = logts.Arms([[1, 0], [1, 1], [1, 2]], names=["red", "green", "blue"])
    return logts.Study.create("logts.db", "colours", arms=arms, problem=logts.BestArm(), delta=0.1)


def outcomes(study: logts.Study) -> dict[int, int | None]:
    frame = study.to_pandas()
    return {
        int(row.trial): None if row.state != "told" else int(row.outcome)
        for row in frame.itertuples(index=False)
    }


def test_ask_prints_a_line_for_each_trial(study: logts.Study) -> None:
    result = typed("ask", "-n", "3", "--lease", "3d")
    lines = result.stdout.splitlines()
    assert len(lines) == 3  # a value with two lines does not make more
    assert "\x1b" not in result.stdout
    assert lines[0].startswith("0  red  text=a")
    assert "Yours for 3 days. Then: logts tell ID yes (or no, or lost)" in result.stderr
    named = typed("ask", "./logts.db", "--name", "colours").stderr
    assert "Then: logts tell ./logts.db ID yes --name colours (or" in named
    for _, worker, until in study.waiting[:3]:
        assert until == pytest.approx(time.time() + 3 * 86400, abs=60)
        assert worker.endswith(":by hand")


def test_ask_gives_json_and_tables(study: logts.Study) -> None:
    told = json.loads(typed("ask", "-n", "2", "--json").stdout)
    assert told == [
        {"id": 0, "option": "red", "columns": {"text": "a"}},
        {"id": 1, "option": "green", "columns": COLUMNS[1]},
    ]
    table = pd.read_csv(io.StringIO(typed("ask", "logts.db", "-n", "2", "--csv").stdout), dtype=str)
    assert list(table.columns) == ["id", "option", "text", "outcome"]
    assert table["id"].tolist() == ["2", "3"]
    assert table["outcome"].isna().all()
    table["outcome"] = ["yes", "no"]
    table.to_csv("batch.csv", index=False)
    assert "2 outcomes told." in typed("import", "batch.csv").output
    assert outcomes(study) == {0: None, 1: None, 2: 1, 3: 0}


@pytest.mark.parametrize(
    ("lease", "seconds", "words"),
    [
        ("90s", 90, "90 seconds"),
        ("15m", 900, "15 minutes"),
        ("8h", 28800, "8 hours"),
        ("3d", 259200, "3 days"),
    ],
)
def test_leases_are_said_as_people_do(study: logts.Study, lease: str, seconds: float, words: str) -> None:
    assert f"Yours for {words}." in typed("ask", "--lease", lease).stderr
    ((_, _, until),) = study.waiting
    assert until == pytest.approx(time.time() + seconds, abs=60)
    assert in_words(1.5) == "1.5 seconds"


@pytest.mark.parametrize("lease", ["3", "0d", "-1h", "3 weeks", "d"])
def test_a_lease_needs_its_unit(study: logts.Study, lease: str) -> None:
    result = call("ask", f"--lease={lease}")
    assert result.exit_code == 2
    assert "a number and its unit, such as 90s, 15m, 8h or 3d" in result.output
    assert study.asked == 0


def test_trials_that_are_out_by_hand_are_not_taken_for_those_of_a_dead_process(study: logts.Study) -> None:
    typed("ask", "-n", "2")
    release_of_the_dead(study)
    assert all(until > time.time() for _, _, until in study.waiting)
    assert typed("ask").stdout.startswith("2  ")


def test_tell_takes_one_or_many_in_all_spellings(study: logts.Study) -> None:
    typed("ask", "-n", "9")
    typed("tell", "0", "yes")
    typed("tell", "logts.db", "1=no", "2=Y")
    typed("tell", "3", "false", "4", "1", "5=TRUE", "6", "n", "7=0", "--name", "colours")
    result = typed("tell", "8", "lost")
    assert outcomes(study) == {0: 1, 1: 0, 2: 1, 3: 0, 4: 1, 5: 1, 6: 0, 7: 0, 8: None}
    assert study.abandoned == 1
    assert study.events()[-1]["reason"] == "lost"
    assert "Undecided after 8 trials." in result.output
    told = json.loads(typed("tell", "3=no", "--json").stdout)  # to repeat is harmless
    assert told["trials"] == 8


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("17", "yes"), "no trial has the id 17"),
        (("0",), "an id and its outcome, such as 17 yes or 17=yes; got '0'"),
        (("0", "maybe"), "yes or no (y, n, 1, 0, true, false), or lost; got 'maybe'"),
        (("0=",), "such as 17 yes or 17=yes; got '0='"),
        (("0=yes", "yes"), "an id and its outcome"),
        (("0=yes", "1=no", "1=yes"), "trial 1 is told both yes and no here"),
        (("2=yes",), "trial 2 was told no before, now yes"),
        (("logts.db",), "an id and its outcome"),
        (("nowhere.db", "0", "yes"), "nowhere.db"),
        ((), "Missing argument"),
    ],
)
def test_what_makes_no_sense_is_refused_whole(
    study: logts.Study, words: tuple[str, ...], sentence: str
) -> None:
    study.tell([trial for trial in study.ask(3) if trial.id == 2], [False])
    result = call("tell", *words)
    assert result.exit_code in (1, 2)
    assert sentence in result.output
    assert outcomes(study) == {0: None, 1: None, 2: 0}
    assert not Path("nowhere.db").exists()


def test_outcomes_that_wait_for_an_earlier_trial_are_explained(study: logts.Study) -> None:
    typed("ask", "-n", "3")
    result = typed("tell", "1=yes", "2=no")
    assert "1 trial is out. 2 outcomes are not counted yet, because of trial 0 before" in result.output
    told = json.loads(call("status", "--json").stdout)
    assert (told["trials"], told["held_up"], told["waiting"]) == (0, 2, 1)
    assert "logts tell 0 lost" in call("status").output
    study.release(0)
    assert "its lease is over, so logts ask or run gives it out again" in call("status").output
    assert typed("ask").stdout.startswith("0  red")
    after = typed("tell", "0", "lost").output
    assert "not counted" not in after
    assert json.loads(call("status", "--json").stdout)["trials"] == 2


def test_nothing_waits_after_a_verdict(study: logts.Study) -> None:
    asked = study.ask(500)
    study.tell(asked[:-5], [trial.arm == "blue" for trial in asked[:-5]])
    assert study.verdict is not None
    assert len(study.waiting) == 5
    told = json.loads(call("status", "--json").stdout)
    assert (told["waiting"], told["held_up"]) == (0, 0)
    assert " out." not in call("status").output
    result = typed("ask")
    assert result.stdout == ""
    assert "There is nothing to ask: the study is decided. Best: blue." in result.stderr
    late = typed("tell", str(asked[-1].id), "no")
    assert "The study was decided before" in late.stderr


def test_a_table_with_ids_tells_trials_that_were_asked(study: logts.Study) -> None:
    typed("ask", "-n", "6")
    Path("outcomes.csv").write_text(" ID ,Option,outcome\n0,red,yes\n1.0,,0\n2,blue,\n3,red,lost\n5,,TRUE\n")
    result = typed("import", "outcomes.csv")
    assert "2 outcomes told" not in result.output
    assert "3 outcomes told, 1 lost. 1 row without an outcome left alone." in result.output
    assert outcomes(study) == {0: 1, 1: 0, 2: None, 3: None, 4: None, 5: 1}
    again = typed("import", "logts.db", "outcomes.csv", "--name", "colours")
    assert "0 outcomes told, 4 known before." in again.output
    exported = typed("export", "--out", "trials.csv").output
    assert "6 trials" in exported
    assert "0 outcomes told, 3 known before." in typed("import", "trials.csv").output


BAD = """id,option,outcome
0,red,yes
9,red,yes
x,,no
1,red,no
2,,perhaps
0,,no
-1,,no
3,,yes
"""


def test_rows_that_cannot_be_used_are_named_and_nothing_is_told(study: logts.Study) -> None:
    typed("ask", "-n", "5")
    typed("tell", "3=no", "4=lost")
    Path("bad.csv").write_text(BAD + "4,,no\n")
    result = typed("import", "bad.csv", fails=True)
    assert "nothing was taken in: 8 rows of bad.csv cannot be used" in result.output
    for line in (
        "row 3: no trial has the id 9: 5 have been asked for",
        "row 4: an id: a whole number is wanted; got 'x'",
        "row 5: trial 1 tried 'green', not 'red'",
        "row 6: an outcome is yes or no",
        "row 7: trial 0 has another outcome in a row before",
        "row 8: an id: a whole number is wanted; got '-1'",
        "row 9: trial 3 was told no before: the first outcome stands",
        "row 10: trial 4 was given up",
    ):
        assert line in result.output
    assert outcomes(study)[0] is None
    skipped = typed("import", "bad.csv", "--skip")
    assert "8 rows left out" in skipped.stderr
    assert "1 outcome told." in skipped.stdout
    assert outcomes(study)[0] == 1


@pytest.mark.parametrize(
    "text",
    [
        "option,outcome\nred,yes\nred,no\nblue,1\nblue,lost\n",
        "option,successes,trials\nred,1,2\nblue,1,1\n,,\n",
    ],
)
def test_a_table_without_ids_is_history(modelled: logts.Study, text: str) -> None:
    Path("before.csv").write_text(text)
    result = typed("import", "before.csv")
    assert "3 outcomes taken in as history, which is no evidence" in result.output
    assert "nobody asked for these trials before their outcomes were known" in result.output
    assert "They sharpen the forecasts of the trials to come." in result.output
    event = modelled.events()[-1]
    assert (event["kind"], event["trials"], event["successes"]) == ("history", [2, 0, 1], [1, 0, 1])
    assert modelled.counts.sum() == 0
    assert modelled.preview().probability is None  # and it is not in the posterior


def test_history_that_changes_nothing_says_so(study: logts.Study) -> None:
    Path("before.csv").write_text("option,outcome\nred,yes\n")
    assert "so they are kept and change nothing" in typed("import", "before.csv").output
    assert study.events()[-1]["kind"] == "history"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("option,outcome\npink,yes\n", "row 2: no option is called 'pink'"),
        ("option,outcome\nred,yes\nred,ja\n", "row 3: an outcome is yes or no"),
        ("option,successes,trials\nred,3,2\n", "row 2: 3 successes of 2 trials"),
        ("option,successes,trials\nred,half,2\n", "row 2: successes: a whole number is wanted; got 'half'"),
        ("name,result\nred,yes\n", "give the columns id and outcome for trials that were asked for"),
        ("id;outcome\n0;yes\n", "save it with commas"),
    ],
)
def test_history_is_checked_too(study: logts.Study, text: str, sentence: str) -> None:
    Path("before.csv").write_text(text)
    assert sentence in typed("import", "before.csv", fails=True).output
    assert [event["kind"] for event in study.events()] == ["created"]


def test_import_wants_a_file(study: logts.Study) -> None:
    assert "there is no file none.csv" in call("import", "none.csv").output
    assert "give a study and a table of outcomes" in call("import", "a", "b", "c").output
    assert study.asked == 0


def test_a_study_is_created_without_a_trial() -> None:
    result = typed("create", "options.csv", "--names", "name", "--top", "2", "--within", "3pt", fails=True)
    assert "--top knows no tolerance" in result.output
    result = typed("create", "options.csv", "--names", "name", "--beat", "red", "--delta", "0.1")
    assert "No model: each of 3 options has a rate of its own" in result.output
    assert "Which of 3 options are better than red?" in result.output
    assert "as 'options'. Next: logts ask." in result.output
    study = logts.Study.open("logts.db")
    assert (study.asked, study.delta, study.problem) == (0, 0.1, logts.VersusControl("red"))
    assert study.arms.columns[1] == {"name": "green", "works": "yes", "note": "a, b"}
    assert typed("ask").stdout.startswith("0  red  name=red  works=no  note=it's")
    again = typed("create", "options.csv", "--names", "name", "--beat", "red", "--delta", "0.1")
    assert "It was there before, and goes on." in again.output
    other = typed("create", "options.csv", "--names", "name", "--delta", "0.1", fails=True)
    assert "with another question" in other.output


def test_create_and_run_have_the_same_options() -> None:
    """What can be said about options, question and study can be said to both."""

    def options(command: str) -> set[str]:
        return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", typed(command, "--help").output, re.MULTILINE))

    only_run = {"--jobs", "--budget", "--timeout", "--retries", "--yes", "--no", "--same", "--shell", "--ask"}
    assert options("run") - options("create") == {*only_run, "--dry-run", "--json"}
    assert options("create") <= options("run")


def test_a_slow_study_from_beginning_to_end() -> None:
    """Only by hand, in batches that come back late and in another order."""
    typed("create", "options.csv", "--names", "name", "--delta", "0.2")
    for _ in range(40):
        table = pd.read_csv(io.StringIO(typed("ask", "-n", "8", "--lease", "2d", "--csv").stdout), dtype=str)
        if table.empty:
            break
        table["outcome"] = ["yes" if works == "yes" else "no" for works in table["works"]]
        table.iloc[::-1].to_csv("batch.csv", index=False)
        said = typed("import", "batch.csv").output
    assert "Best: green." in said
    assert call("status").exit_code == 0


def test_options_that_look_like_formulas_come_back() -> None:
    names = ["=1+2", "plain "]
    arms = logts.Arms(names=names, columns=[{"@x": "-cmd"}, {"@x": "7"}])
    study = logts.Study.create("logts.db", "s", arms=arms, problem=logts.BestArm())
    written = typed("ask", "-n", "2", "--csv").stdout
    assert written.splitlines()[:2] == ["id,option,'@x,outcome", "0,'=1+2,'-cmd,"]
    Path("t.csv").write_text(written.replace("cmd,", "cmd,yes").replace("7,", "7,no"))
    assert "2 outcomes told." in typed("import", "t.csv").output
    Path("h.csv").write_text("option,outcome\n'=1+2,yes\n=1+2,no\nplain ,no\n")
    assert "3 outcomes taken in as history" in typed("import", "h.csv").output
    assert study.events()[-1]["trials"] == [2, 1]
