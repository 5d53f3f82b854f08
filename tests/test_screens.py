"""What people see of a study: narrow terminals, compared items, the control, the alarm; and machines."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy.special import expit, logit

import logts
from logts.reports.preview import against_control
from logts.reports.screen import study_screen
from tests.commands import call
from tests.studies import carried_out

NAMES = ["control", "a name that is longer than a narrow terminal would like", "blue", "green", "red"]
RATES = [0.3, 0.5, 0.45, 0.35, 0.2]
XOR = "a,b\n0,0\n0,1\n1,0\n1,1\n"


def screen(study: logts.Study, width: int, **given: Any) -> list[str]:
    console = Console(width=width, file=io.StringIO())
    with console.capture() as captured:
        console.print(study_screen(study.standing(), "a title", **given))
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [32, 40, 60, 80, 120])
@pytest.mark.parametrize("problem", [logts.BestArm(), logts.VersusControl("control")], ids=repr)
def test_trials_and_rates_stay_on_narrow_terminals(tmp_path: Path, problem: Any, width: int) -> None:
    study = carried_out(tmp_path, logts.Arms(names=NAMES), problem, RATES, most=200)
    lines = screen(study, width, pace=3.0)
    assert max(map(len, lines)) <= width
    head = next(line for line in lines if line.startswith("option"))
    assert "trials" in head
    assert "rate" in head
    counts = study.counts
    for i, rate in enumerate(study.rates()):
        row = next(line for line in lines if line.startswith(NAMES[i][:6]) and "%" in line)
        assert f" {counts[i]:.0f} " in row
        assert f"{rate.estimate:.1%}" in row
    drawn = sum("●" in line for line in lines)
    assert drawn == (5 if width >= 60 and isinstance(problem, logts.BestArm) else drawn)
    assert any(line.startswith("confidence") and "0.0" in line for line in lines)


def test_intervals_shrink_before_names(tmp_path: Path) -> None:
    study = carried_out(tmp_path, logts.Arms(names=NAMES), logts.BestArm(), RATES, most=200)
    wide, narrow = screen(study, 120), screen(study, 72)
    assert any(NAMES[1][:34] in line for line in wide)
    assert any(NAMES[1][:34] in line and "●" in line for line in narrow)

    def longest(lines: list[str]) -> int:
        return max(line.count("─") for line in lines if "●" in line)

    assert longest(narrow) < longest(wide)


def test_before_the_proof_every_line_says_what_it_rests_on(tmp_path: Path) -> None:
    study = carried_out(tmp_path, logts.Arms(names=NAMES[2:]), logts.BestArm(), [0.6, 0.55, 0.02], most=120)
    lines = screen(study, 120)
    seen = study.preview()
    assert seen.leader is not None
    assert seen.probability is not None
    assert f"leading     {seen.leader.text}" in map(str.rstrip, lines)
    (posterior,) = (line for line in lines if "by the posterior" in line)
    assert posterior.startswith("not proven  right with probability about")
    assert f"{seen.probability:.0%}" in posterior
    assert "to stop now costs" in posterior
    (proven,) = (line for line in lines if line.startswith("proven"))
    assert seen.gap is not None
    assert f"by {100 * seen.gap.low:+.1f} to {100 * seen.gap.high:+.1f} points" in proven
    assert "ruled out 1 of 2: red" in proven
    told = json.loads(call("status", str(tmp_path / "studies.db"), "--json").stdout)["before_the_proof"]
    assert told["posterior_probability"] == seen.probability
    assert told["posterior_expected_loss"] == seen.expected_loss
    assert told["ruled_out"] == ["red"]
    assert told["narrowest_difference"]["low"] == seen.gap.low


def test_what_is_proven_within_a_model_says_so(tmp_path: Path) -> None:
    arms = logts.Arms([[1, 0], [1, 1], [1, 2]], names=list("abc"))
    study = carried_out(tmp_path, arms, logts.BestArm(), [0.4, 0.45, 0.5], most=60)
    assert any(line.startswith("proven      if the model is right: ahead of") for line in screen(study, 120))


def test_after_a_proof_there_is_no_preview(tmp_path: Path) -> None:
    study = carried_out(tmp_path, logts.Arms(names=["a", "b"]), logts.BestArm(), [0.1, 0.9])
    assert study.verdict is not None
    assert study.verdict.proven
    assert not [line for line in screen(study, 80) if "posterior" in line]
    guess = logts.Study.create(
        tmp_path / "more.db", "g", arms=study.arms, problem=logts.BestArm(), max_trials=20
    )
    guess.tell(guess.ask(20), [True, True, False, False] * 5)
    assert guess.verdict is not None
    assert [line for line in screen(guess, 80) if "posterior" in line]


def test_a_study_without_outcomes_claims_nothing(tmp_path: Path) -> None:
    study = carried_out(tmp_path, logts.Arms(names=["a", "b"]), logts.BestArm(), [0.1, 0.9], most=0)
    lines = screen(study, 80)
    assert not [line for line in lines if "50.0%" in line or "●" in line or "leading" in line]
    assert "Leading: nobody yet" in study.summary()


def test_compared_items_have_strengths(tmp_path: Path) -> None:
    items = ["tea", "coffee", "milk", "juice", "water"]
    arms = logts.Arms.pairwise(items)
    strength = np.array([0.8, 0.5, 0.2, -0.3, -1.0])
    first, second = np.triu_indices(5, 1)
    rates = expit(strength[first] - strength[second])
    study = carried_out(tmp_path, arms, logts.BestArm(), rates, most=600)
    found = study.rates()
    assert [rate.name for rate in found] == items
    for rate, true in zip(found, expit(strength - strength.mean()), strict=True):
        assert 0.0 < rate.low < true < rate.high < 1.0
        assert rate.low < rate.estimate < rate.high
    lines = screen(study, 80)
    assert any(line.startswith("option  rate against average") for line in lines)
    for rate in found:
        assert any(rate.name in line and f"{rate.estimate:.1%}" in line for line in lines)
    told = json.loads(call("status", str(tmp_path / "studies.db"), "--json").stdout)
    assert told["rates_are"] == "against an average option"
    assert [row["rate"] for row in told["rates"]] == [rate.estimate for rate in found]


def test_differences_to_the_control_are_shown(tmp_path: Path) -> None:
    arms = logts.Arms(names=NAMES)
    study = carried_out(tmp_path, arms, logts.VersusControl("control"), RATES, most=400)
    gaps = against_control(study.standing())
    lines = screen(study, 120)
    assert any("points over control" in line for line in lines)
    page = study.report(tmp_path / "report.html").read_text()
    assert "points over control" in page
    for item, gap in gaps.items():
        words = f"{100 * gap.estimate:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
        assert any(NAMES[item][:20] in line and words in line for line in lines)
        assert f'<td class="number">{words}</td>' in page
    told = json.loads(call("status", str(tmp_path / "studies.db"), "--json").stdout)
    rows = told["differences_to_control"]
    assert [row["option"] for row in rows] == [name for name in NAMES if name != "control"]
    assert [row["low"] for row in rows] == [gap.low for gap in gaps.values()]


def test_the_report_of_an_open_study_tells_what_is_known(tmp_path: Path) -> None:
    study = carried_out(tmp_path, logts.Arms(names=NAMES), logts.BestArm(), RATES, most=200)
    page = study.report(tmp_path / "report.html").read_text()
    assert "<p>Not proven: right with probability" in page
    assert "<p>Proven: ahead of" in page


@pytest.mark.usefixtures("folder")
def test_the_alarm_is_told_at_once() -> None:
    Path("xor.csv").write_text(XOR)
    run = ("run", "xor.csv", "--additive", "--budget", "400", "--", "sh", "-c", "sleep 0.002; [ {a} != {b} ]")
    result = call(*run)
    assert result.exit_code == 3  # two are equally good
    words = "The outcomes refute the model, so it was set aside"
    assert words in result.stderr  # while it ran
    assert words in result.stdout  # on the screen at the end
    assert words in " ".join(call("status").output.split())
    study = logts.Study.open("logts.db")
    assert study.summary().splitlines()[1] == study.alarm
    assert study.alarm.startswith(words)
    assert json.loads(call("status", "--json").stdout)["alarm"] == study.alarm
    red = "".join(
        part.text for part in Console(width=80).render(study_screen(study.standing(), "")) if part.style
    )
    assert words[:40] in red
    assert json.loads(call(*run[:5], "--json", *run[5:]).stdout)["alarm"] == study.alarm


@pytest.mark.usefixtures("folder")
def test_without_an_alarm_nothing_is_said() -> None:
    assert call("run", "options.csv", "--names", "name", "--budget", "9", "--", "true").exit_code == 3
    study = logts.Study.open("logts.db")
    assert study.alarm == ""
    assert "\n" not in study.summary()
    assert json.loads(call("status", "--json").stdout)["alarm"] is None


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--delta", "5"), "did you mean 0.05?"),
        (("--delta", "95"), "did you mean 0.05?"),
        (("--delta", "0.95"), "a wrong answer 95% of the time: did you mean 0.05?"),
        (("--delta", "0"), "strictly between 0 and 1; got 0"),
        (("--delta", "-1"), "strictly between 0 and 1; got -1"),
        (("--beat", "red"), "no item is called 'red'"),
        (("--beat", "red"), "Say --names COLUMN"),
        (("--within", "3"), "did you mean 3pt?"),
        (("--within", "0.03"), "did you mean 3pt?"),
        (("--within", "three"), "give for instance 3pt"),
        (("--within", "0pt"), "strictly between 0 and 100"),
        (("--within", "3pt", "--epsilon", "0.1"), "give one of them"),
        (("--within", "3pt", "--top", "2"), "--top knows no tolerance: it is for --best, --beat"),
    ],
)
def test_what_may_have_been_meant_is_said(words: tuple[str, ...], sentence: str) -> None:
    result = call("run", "options.csv", *words, "--", "true", "{name}")
    assert result.exit_code in (1, 2)
    assert sentence in " ".join(result.output.split())
    assert not Path("logts.db").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", ["3pt", "3pp", "3 points", "3.0pts"])
def test_a_tolerance_in_points(words: str) -> None:
    result = call("run", "options.csv", "--names", "name", "--within", words, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "(Up to 0.12 on the logit scale, which is at most 3 percentage points, does not matter.)" in (
        " ".join(result.output.split())
    )
    call("run", "options.csv", "--names", "name", "--within", words, "--budget", "1", "--", "true", "{name}")
    assert logts.Study.open("logts.db").problem == logts.BestArm(0.12)


@pytest.mark.parametrize("within", [0.001, 0.03, 0.2, 0.7])
def test_a_tolerance_in_points_is_kept_at_all_rates(within: float) -> None:
    """What is better by so many points is better by four times as many logits; by brute force."""
    best = np.linspace(within, 1.0, 2_001)[:-1]
    answer = best - within
    with np.errstate(divide="ignore"):
        apart = logit(best) - logit(answer)
    assert (apart >= 4.0 * within).all()
    # And it is no smaller than it must be: around one half it is met but for a little.
    assert apart.min() <= 4.0 * np.arctanh(within) + 1e-3
