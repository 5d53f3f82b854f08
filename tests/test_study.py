"""Studies: ask and tell over a journal, on every store."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import logts
from logts.study import Trial
from tests.studies import ARMS, again, begin, bits, fresh, run


def test_a_study_runs_to_its_verdict_and_opens_with_it(url: str) -> None:
    study = begin(url)
    verdict = run(study, np.random.default_rng(0))
    assert verdict.answer.text == "best: both"
    assert verdict.proven
    other = again(url, study)
    assert other.verdict == verdict
    assert other.verdict.rates() == verdict.rates()
    assert other.confidence == verdict.confidence
    assert other.summary() == verdict.summary()
    assert other.ask(3) == []
    assert study.name in logts.Study.list(url)
    assert study.events()[-1]["kind"] == "decided"
    assert study.created["logts"] == logts.__version__
    assert study.created["settings"] == {"rng": 0}


def test_trials_carry_the_columns_of_their_arms(url: str) -> None:
    table = pd.DataFrame({"prompt": ["a b", "c"], "temperature": [0.5, 1.0], "n": [1, 2]})
    study = begin(url, arms=logts.Arms(table, "~ temperature", names="prompt"))
    (trial,) = again(url, study).ask()
    assert trial == Trial(0, "a b", 0, {"prompt": "a b", "temperature": 0.5, "n": 1}) or trial.number == 1
    assert list(trial.columns) == ["prompt", "temperature", "n"]


def test_repeated_tells_are_harmless_and_contradictions_refused(url: str) -> None:
    study = begin(url)
    ids = [trial.id for trial in study.ask(30)]
    study.tell(ids[0], True)
    study.tell(ids[:20], [1] + [0] * 19)
    length = len(study.events())
    study.tell(ids[3], 0)
    again(url, study).tell(ids[:20], [1] + [0] * 19)
    assert len(study.events()) == length
    with pytest.raises(ValueError, match="trial 3 was told no before, now yes"):
        study.tell([ids[25], ids[3]], [1, 1])
    assert study.counts.sum() == 20
    study.tell(ids[25], 0)  # was not taken in with the contradiction
    with pytest.raises(ValueError, match="both yes and no"):
        study.tell([ids[26], ids[26]], [1, 0])
    study.tell([ids[26], ids[26]], [1, 1])
    assert bits(fresh(study)) == bits(study._read())


@pytest.mark.parametrize(
    ("ids", "outcomes", "said"),
    [
        (99, 1, "no trial has the id 99: ids come from ask, and 3"),
        (-1, 1, "no trial has the id -1"),
        (0, 2, "1 or True for yes"),
        (0, float("nan"), "1 or True for yes"),
        ([0, 1], [1], "2 ids and 1 outcomes"),
        ("x", 1, "whole number"),
        (0.5, 1, "not iterable|whole number"),
    ],
)
def test_tells_that_make_no_sense_are_refused(tmp_path: Path, ids: Any, outcomes: Any, said: str) -> None:
    study = begin(str(tmp_path / "a.db"))
    study.ask(3)
    with pytest.raises((ValueError, TypeError), match=said):
        study.tell(ids, outcomes)
    assert len(study.events()) == 2
    study.tell(0, 1)


def test_a_lease_that_is_over_is_asked_again_and_a_late_outcome_counts_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    study = begin(url, lease=60.0)
    first = study.ask(5)
    now[0] += 59.0
    assert {trial.id for trial in study.ask(2)} == {5, 6}
    now[0] += 2.0
    second = again(url, study).ask(6)
    assert [trial.id for trial in second] == [0, 1, 2, 3, 4, 7]
    assert [trial.arm for trial in second[:5]] == [trial.arm for trial in first]
    study.tell(first[0], 1)  # late, but the first outcome of this trial
    study.tell(second[0], 1)
    with pytest.raises(ValueError, match="the first outcome stands"):
        study.tell(second[0], 0)
    assert study.counts.sum() == 1
    assert len(study.waiting) == 7
    assert bits(fresh(study)) == bits(study._read())


def test_released_and_abandoned_trials(url: str) -> None:
    study = begin(url, max_trials=6)
    trials = study.ask(10)
    assert len(trials) == 6  # the budget
    assert study.ask() == []
    study.release(trials[2])
    assert [trial.id for trial in study.ask(4)] == [2]
    study.abandon([3, 3], "it broke")
    study.abandon(3)
    with pytest.raises(ValueError, match="was abandoned"):
        study.tell(3, 1)
    study.tell([0, 1], [0, 0])
    with pytest.raises(ValueError, match="has its outcome already"):
        study.abandon(0)
    study.tell([2, 4, 5], [1, 1, 1])
    assert study.abandoned == 1
    assert study.verdict is not None
    assert not study.verdict.proven
    assert study.verdict.trials == 5
    assert bits(fresh(study)) == bits(study._read())


def test_history_sharpens_forecasts_and_stays_out_of_the_evidence(url: str) -> None:
    study = begin(url)
    study.tell_history(["plain", "both", 3], [0, 1, 1])
    study.tell_history(trials=[10, 10, 10, 10], successes=[2, 5, 5, 8])
    assert study.counts.sum() == 0
    assert bits(fresh(study)) == bits(study._read())
    direct = logts.LogTS(ARMS, logts.BestArm(), delta=0.1)
    direct.tell_history(np.array([11.0, 10.0, 10.0, 12.0]), np.array([2.0, 5.0, 5.0, 10.0]))
    assert study.progress == direct.progress
    half: list[dict[str, Any]] = [{"arms": "plain"}, {"trials": [1] * 4}, {}]
    for wrong in [*half, {"arms": "nobody", "outcomes": 1}, {"arms": 9, "outcomes": 1}]:
        with pytest.raises(ValueError, match=r"give|no arm|does not exist"):
            study.tell_history(**wrong)
    with pytest.raises(ValueError, match=r"successes|trials"):
        study.tell_history(trials=[1, 1, 1, 1], successes=[2, 0, 0, 0])
    assert len(study.events()) == 3


def test_what_is_known_beforehand_is_decided_at_once(url: str) -> None:
    study = begin(url, arms=logts.Arms(names=["only"]))
    assert study.verdict is not None
    assert study.verdict.proven
    assert study.ask() == []
    assert again(url, study).summary() == study.summary()
