"""Studies of many trials: little room for each, and nothing that takes long while others wait."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logts.judge import Judge
from logts.study import replay
from logts.study.fold import Fold
from logts.study.trial import Wanted
from logts.tools.packing import packed
from tests.studies import ARMS, RATES, again, begin, bits, fresh


def test_many_trials_are_asked_and_told_at_once(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "SNAPSHOT_TRIALS", 5_000)
    study = begin(url, delta=1e-6, lease=60.0)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    rng = np.random.default_rng(0)
    trials = study.ask(30_000)
    assert trials.ids.tolist() == list(range(30_000))
    assert [trial.number for trial in trials[5:9]] == trials.numbers[5:9].tolist()
    assert trials[-1] == list(trials)[-1]
    asked = study.events()[-1]
    assert packed(asked["arms"])
    assert asked["v"] == 2
    order = rng.permutation(30_000)
    outcomes = rng.random(30_000) < 0.5
    study.tell(order[:9_000], outcomes[order[:9_000]])
    waiting = again(url, study).waiting
    assert len(waiting) == 21_000
    assert waiting.trials.ids.tolist() == sorted(order[9_000:].tolist())
    assert (waiting.until == round(now + 60.0, 3)).all()
    study.abandon(order[9_000:10_000], "lost")
    study.release(order[10_000:12_000])
    released = study.ask(2_000)
    assert sorted(released.ids.tolist()) == sorted(order[10_000:12_000].tolist())
    study.tell(order[10_000:], outcomes[order[10_000:]])
    assert study.counts.sum() == study.told == 29_000
    frame = study.to_pandas()
    assert (frame.outcome[order[10_000:]] == outcomes[order[10_000:]]).all()
    assert frame.state.value_counts().to_dict() == {"told": 29_000, "abandoned": 1_000}
    assert (frame.asks[released.ids] == 2).all()
    assert (
        "With an outcome: 29,000. Abandoned: 1,000. Still out: 0."
        in study.report(tmp_path / "a.html").read_text()
    )
    opened = again(url, study)
    assert bits(opened._read()) == bits(study._read()) == bits(fresh(study))
    assert opened._read().outcomes.values.tolist() == study._read().outcomes.values.tolist()
    with pytest.raises(ValueError, match="the first outcome stands"):
        opened.tell(order[:1], ~outcomes[order[:1]])
    with pytest.raises(ValueError, match="was abandoned"):
        opened.tell(int(order[9_500]), 1)


def test_a_snapshot_of_many_trials_is_small(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), delta=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(2):
        study.tell(study.ask(200_000), rng.random(200_000) < 0.5)
    found = study._journal.store.snapshot(study.name)  # type: ignore[attr-defined]  # that of a database has one
    assert found[0] == len(study.events())
    assert len(found[1]) < 400_000 / 4
    assert bits(again(str(tmp_path / "a.db"), study)._read()) == bits(study._read())


def test_rates_are_found_when_asked_for_and_not_while_telling(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("this takes long")

    study = begin(url)
    rng = np.random.default_rng(0)
    with monkeypatch.context() as patch:
        patch.setattr(Judge, "_rates_at", never)
        while study.verdict is None:
            trials = study.ask(10)
            study.tell(trials[:9], rng.random(9) < RATES[trials.numbers[:9]])
            if study.verdict is None:
                study.tell(trials[9], rng.random() < RATES[trials[9].number])
    verdict = study.verdict
    event = study.events()[-1]
    assert event["kind"] == "decided"
    assert event["v"] == 2
    assert "rates" not in event["verdict"]
    rates = verdict.rates()
    assert [rate.name for rate in rates] == list(ARMS.names)
    study.tell(trials[9], 1)  # after the stop: nothing changes
    opened = again(url, study)
    assert opened.verdict == verdict
    assert opened.verdict.rates() == rates == opened.rates()


def test_what_follows_is_written_by_the_next_if_a_process_is_killed(tmp_path: Path) -> None:
    """The outcomes are in the journal, the verdict not yet."""
    study = begin(str(tmp_path / "a.db"), max_trials=20)
    other = again(str(tmp_path / "a.db"), study)
    trials = study.ask(20)
    study._replay.write(lambda fold: fold.tell(trials.ids, np.zeros(20, dtype=np.int8), 0.0))
    assert other.verdict is None
    assert other.ask() == []
    assert other.verdict is not None
    assert study.verdict == other.verdict
    assert [event["kind"] for event in study.events()] == ["created", "asked", "told", "decided"]


def test_an_ask_that_came_too_late_is_forgotten(tmp_path: Path) -> None:
    """Two who ask at once: the second sees what the first has taken, and no trial is left out."""
    url = str(tmp_path / "a.db")
    one = begin(url, delta=1e-9)
    two = again(url, one)
    rng = np.random.default_rng(0)
    for _ in range(60):
        taken = [*one.ask(int(rng.integers(1, 9))), *two.ask(int(rng.integers(1, 9)))]
        numbers = [trial.number for trial in taken]
        assert [trial.id for trial in taken] == list(range(taken[0].id, taken[-1].id + 1))
        two.tell(taken[1:], rng.random(len(taken) - 1) < RATES[numbers[1:]])
        one.tell(taken[0], 0)
    assert bits(one._read()) == bits(two._read()) == bits(fresh(one))


def test_leases_of_many_workers_end_one_after_the_other() -> None:
    fold = Fold(begin("memory://leases").created)
    for worker in range(50):
        fold.apply(*fold.ask([Wanted(3, f"w{worker}", 10.0 + worker)], 100.0)[0])
    assert fold.leases.over(109.9, 99).tolist() == []
    assert fold.leases.over(111.5, 99).tolist() == [0, 1, 2, 3, 4, 5]
    fold.apply(*fold.tell(np.array([1, 3]), np.array([1, 0], dtype=np.int8), 0.0))
    (event,), _ = fold.ask([Wanted(3, "again", 10.0)], 111.5)
    assert event["again"] == [0, 2, 4]
    fold.apply(event)
    assert len(fold.leases) == 148
    ids, until, workers = fold.leases.out()
    assert ids[:5].tolist() == [0, 2, 4, 5, 6]
    assert workers[:5] == ["again", "again", "again", "w1", "w2"]
    assert until[:4].tolist() == [121.5, 121.5, 121.5, 111.0]


def test_trials_are_a_sequence(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"))
    trials = study.ask(5)
    assert len(trials) == 5
    assert trials == list(trials) == trials[:]
    assert trials != trials[1:]
    assert trials != 5
    assert repr(trials).endswith("... 5 in all)")
    assert repr(trials[:1]).startswith("Trials(Trial(id=0")
    study.tell(trials[1:3], [1, 0])
    study.tell(np.array([0]), [1])
    study.tell(range(3, 5), [1, 1])
    assert study.told == 5
    with pytest.raises(ValueError, match="whole number"):
        study.tell(np.array([0.5]), [1])
