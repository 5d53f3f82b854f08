"""A question is one file: that of CONTRIBUTING.md, put where questions are, is used in all ways there are."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts import problems
from logts.alternatives import HalfSpaces
from logts.arms import Items
from logts.cli.commands import COMMANDS
from logts.cli.inputs import Asking
from logts.journal import JournalError
from logts.problems import QUESTIONS, Problem, Spoken
from logts.tools.algebra import Array
from tests.commands import typed
from tests.recipes import Add, recipe

ARMS = logts.Arms(names=["tea", "coffee"])
THETA = [1.0, -0.5]
SENTENCE = "Does tea succeed more often than not?"
ANSWER = "tea: more often than not"

Ask = Callable[[str], Problem]


@pytest.fixture
def ask(add: Add) -> Ask:
    """The question of the recipe, from its file."""
    add(problems, recipe("Add a problem in one file"))
    return QUESTIONS.find("MoreOftenThanNot")


def decided(study: logts.Study) -> logts.Verdict:
    """Tell outcomes until the study is decided: tea mostly yes, coffee mostly no."""
    rng = np.random.default_rng(0)
    while study.verdict is None:
        trials = study.ask(10)
        study.tell(trials, [bool(rng.random() < (0.8 if trial.arm == "tea" else 0.3)) for trial in trials])
    return study.verdict


def test_bounds_and_simulations(ask: Ask) -> None:
    bound = logts.lower_bound(ARMS, THETA, ask("tea"))
    assert str(bound.answer) == ANSWER
    assert bound.proven
    assert bound.weights == pytest.approx([1.0, 0.0], abs=1e-6)
    runs = logts.simulate("log-ts", ARMS, THETA, ask("tea"), runs=5, rng=0)
    assert all(run.answer == ANSWER and run.correct for run in runs)


def test_a_study_goes_on_by_itself_and_reports(ask: Ask, tmp_path: Path) -> None:
    url = tmp_path / "studies.db"
    with logts.Study.create(url, "drinks", arms=ARMS, problem=ask("tea")) as study:
        assert study.created["problem"] == {"kind": "MoreOftenThanNot", "option": "tea"}
        assert decided(study).answer.text == ANSWER
    with logts.Study.open(url, "drinks") as study:
        assert study.problem == ask("tea")
        assert study.verdict is not None
        assert study.verdict.answer.text == ANSWER
        page = study.report(tmp_path / "report.html").read_text()
    assert SENTENCE in page
    assert "Tea: more often than not" in page
    assert "it was settled on which side an option lies" in page
    assert SENTENCE in typed("status", str(url)).output
    with pytest.raises(ValueError, match="this study asks MoreOftenThanNot"):
        logts.Study.open(url, "drinks", problem=ask("coffee"))
    del QUESTIONS["MoreOftenThanNot"]
    with pytest.raises(JournalError, match="import the file in which this question is registered"):
        logts.Study.open(url, "drinks")


def test_the_command_line_has_its_flag(ask: Ask, tmp_path: Path) -> None:
    table = tmp_path / "options.csv"
    table.write_text("drink,rate\ntea,0.8\ncoffee,0.3\n")
    words = ["simulate", str(table), "--names", "drink", "--rates", "rate", "--runs", "2", "--json"]
    rows = json.loads(typed(*words, "--often", "tea").stdout)
    assert [row["answer"] for row in rows] == [ANSWER, ANSWER]
    told = typed(*words, "--often", "tea", "--rank", fails=True).output
    assert "ask one question at a time; got --rank and --often" in told
    for command in ("plan", "run", "simulate"):
        assert re.search(r"--often NAME +Does this option succeed", typed(command, "--help").output)


def test_the_flag_is_gone_with_the_question() -> None:
    for command in ("plan", "run", "simulate"):
        assert "--often" not in typed(command, "--help").output
    assert "--often" in typed("simulate", __file__, "--often", "tea", fails=True).output


@dataclass(frozen=True)
class FirstAboveHalf:
    """Three methods and nothing else; not registered."""

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        return (0,) if items.points[0] @ theta > 0.0 else ()

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> HalfSpaces:
        return HalfSpaces((1.0 if answer else -1.0) * items.points[:1], np.zeros(1), [(0,)])

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        return f"{items.names[0]}: {'yes' if answer else 'no'}"


def test_three_methods_are_enough(tmp_path: Path) -> None:
    question = FirstAboveHalf()
    assert str(logts.lower_bound(ARMS, THETA, question).answer) == "tea: yes"
    assert all(run.correct for run in logts.simulate("log-ts", ARMS, THETA, question, runs=2, rng=0))
    url = tmp_path / "studies.db"
    with logts.Study.create(url, "drinks", arms=ARMS, problem=question) as study:
        assert decided(study).answer.text == "tea: yes"
    with pytest.raises(ValueError, match="a question of your own"):
        logts.Study.open(url, "drinks")
    with logts.Study.open(url, "drinks", problem=question) as study:
        page = study.report(tmp_path / "report.html").read_text()
    assert "FirstAboveHalf(), of 2 options" in page


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("value", [np.int64(1), (1, 2), {1: 2}, np.ones(2), float("nan")])
def test_fields_that_do_not_come_back_are_refused_at_once(value: Any, tmp_path: Path) -> None:
    @QUESTIONS.enter("Odd")
    @dataclass(frozen=True)
    class Odd(FirstAboveHalf, Spoken):
        what: Any

    with pytest.raises(ValueError, match="let its fields be numbers or words"):
        logts.Study.create(tmp_path / "a.db", "a", arms=ARMS, problem=Odd(value))
    assert not (tmp_path / "a.db").exists()


def test_a_command_that_asks_names_its_options_once() -> None:
    for name in ("plan", "run", "simulate"):
        command = COMMANDS[name]
        assert isinstance(command, Asking)
        context = command.make_context(name, [], resilient_parsing=True)
        options = [option for param in command.get_params(context) for option in param.opts]
        assert len(options) == len(set(options))
