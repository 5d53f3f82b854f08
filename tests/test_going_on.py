"""A study that goes on from another one, under another model: what its outcomes count as."""

from pathlib import Path

import numpy as np
import pytest

import logts
from logts import Arms, BestArm, LogTS, Study
from logts.tools.algebra import Array
from logts.tools.packing import counted
from tests.commands import call
from tests.instances import world


def go_on(study: Study, rates: Array, trials: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    while study.verdict is None and study.counts.sum() < trials:
        asked = study.ask(20)
        study.tell(asked, rng.random(len(asked)) < rates[[trial.number for trial in asked]])


def test_outcomes_of_names_alone_are_the_same_evidence_in_any_study(tmp_path: Path) -> None:
    """Without a model an inherited study is as far as the old one was, to the last bit."""
    url = tmp_path / "a.db"
    rates = np.array([0.4, 0.5, 0.6])
    names = Arms(names=list("abc"))
    first = Study.create(url, "first", arms=names, problem=BestArm(), delta=0.001)
    go_on(first, rates, 300)
    second = Study.create(url, "second", arms=names, problem=BestArm(), delta=0.001, after=first)
    one, two = (study._read().policy.judge for study in (first, second))
    assert one._own.read(one.tally, 0.001) == two._own.read(two.tally, 0.001)
    assert second.counts.sum() == 0
    assert [rate.low for rate in first.rates()] == [rate.low for rate in second.rates()]
    again = Study.open(url, "second")
    assert again.rates() == second.rates()
    go_on(second, rates, 100, seed=1)
    third = Study.create(url, "third", arms=names, problem=BestArm(), delta=0.001, after=second)
    inherited = [event for event in third.events() if event["kind"] == "inherited"]
    assert counted(inherited[0]["arms"]) == 400  # all that came before


def test_another_model_inherits_history_and_evidence_without_it(tmp_path: Path) -> None:
    arms, rates = world(2.0)
    url = tmp_path / "a.db"
    first = Study.create(url, "straight", arms=arms, problem=BestArm())
    rng = np.random.default_rng(0)
    while not first._read().policy.judge.alarmed:
        asked = first.ask(20)
        first.tell(asked, rng.random(len(asked)) < rates[[trial.number for trial in asked]])
    bent = np.column_stack([arms.features, np.eye(12)[5] - np.eye(12)[11]])  # the model that is right
    second = Study.create(url, "bent", arms=Arms(bent), problem=BestArm(), after=first)
    judge = second._read().policy.judge
    assert judge.tally.total == 0  # no evidence within the model
    assert judge._past.total == first.counts.sum()
    assert judge.by_themselves(judge.tally).total == judge.tally.total + first.counts.sum()
    go_on(second, rates, 20_000)
    assert second.verdict is not None
    assert second.verdict.answer.items == (5,)


def test_errors_stay_below_delta_when_studies_go_on() -> None:
    """Two equal options, and a new study after every hundred trials: an error is as rare as without."""
    wrong = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        arms: list[int] = []
        outcomes: list[int] = []
        for _ in range(5):
            policy = LogTS(Arms(names=["a", "b"]), BestArm(), delta=0.2)
            policy.inherit(np.array(arms, dtype=np.intp), np.array(outcomes, dtype=np.int8))
            while policy.verdict is None and policy.ledger.complete < 100:
                asked = policy.ask(10)
                told = (rng.random(10) < 0.5).astype(int)
                policy.tell(asked.ids, told)
                arms += asked.arms.tolist()
                outcomes += told.tolist()
            if policy.verdict is not None:
                wrong += 1
                break
    assert wrong <= 45  # 30 expected at most; binomial, three standard deviations


def test_a_study_goes_on_from_the_same_options_only(tmp_path: Path) -> None:
    url = tmp_path / "a.db"
    first = Study.create(url, "first", arms=Arms(names=list("abc")), problem=BestArm())
    for arms, problem in ((Arms(names=list("abd")), BestArm()), (Arms(names=list("abc")), logts.TopM(2))):
        with pytest.raises(ValueError, match="goes on from one of the same options and question"):
            Study.create(url, "second", arms=arms, problem=problem, after=first)
    policy = LogTS(Arms(names=list("ab")), BestArm())
    policy.ask(1)
    with pytest.raises(ValueError, match="before its first trial"):
        policy.inherit(np.array([0]), np.array([1]))


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("options.csv").write_text("a,b\non,1\non,2\noff,1\noff,2\n")
    words = ("run", "options.csv", "--budget", "12", "--delta", "0.001")
    assert call(*words, "--", "test", "{a}", "=", "on").exit_code == 3
    other = call(*words, "--additive", "--", "test", "{a}", "=", "on")
    assert "--after 'options'" in other.output
    result = call(
        *words, "--additive", "--name", "added", "--after", "options", "--", "test", "{a}", "=", "on"
    )
    assert result.exit_code == 3, result.output
    said = " ".join(result.output.split())
    assert (
        "Goes on from 'options': its 12 outcomes are evidence without the model, and history within" in said
    )
    with Study.open("logts.db", "added") as study:
        assert study.counts.sum() == 12
        assert study._read().policy.judge._past.total == 12
