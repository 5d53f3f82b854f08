"""Studies go on after writes that failed and journals that lost their end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts.journal import JournalError, Snapshots, open_store
from logts.study import replay
from logts.study.fold import Fold
from logts.study.trial import Wanted
from tests.studies import RATES, begin, bits, fresh


def test_a_failed_write_leaves_a_study_that_goes_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = begin(url)
    trials = study.ask(20)
    journal = study._journal
    append, add = journal.append, journal.add

    def refused(position: int, events: Any, **how: Any) -> bool:
        raise OSError("the disk is full")

    def torn(position: int, decide: Any, **how: Any) -> None:
        def fail(seen: Any) -> Any:
            decide(seen)
            raise OSError("the disk is full")

        append(position, fail, **how)

    monkeypatch.setattr(journal, "append", torn)
    for quick in (refused, lambda *_, **__: False):  # quickly, and after somebody who was faster
        monkeypatch.setattr(journal, "add", quick)
        with pytest.raises(OSError, match="full"):
            study.tell(trials, [1] * 20)
        with pytest.raises(OSError, match="full"):
            study.ask(3)
    monkeypatch.setattr(journal, "append", append)
    monkeypatch.setattr(journal, "add", add)
    assert study.counts.sum() == 0
    study.tell(trials, [0] * 20)  # nothing was acknowledged, so this is no contradiction
    assert study.ask()[0].id == 20
    assert bits(fresh(study)) == bits(study._read())


def test_a_snapshot_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "SNAPSHOT_EVENTS", 4)
    study = begin(str(tmp_path / "a.db"))

    def full(name: str, position: int, body: bytes) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(study._journal.store, "keep_snapshot", full)
    for _ in range(6):
        study.tell(study.ask(), 1)
    assert study.counts.sum() == 6
    opened = logts.Study.open(tmp_path / "a.db")  # nothing but reading
    store = opened._journal.store
    assert isinstance(store, Snapshots)
    assert store.snapshot(opened.name) is None
    opened.tell(opened.ask(), 0)
    assert store.snapshot(opened.name) is not None
    assert bits(study._read()) == bits(opened._read()) == bits(fresh(study))


@pytest.mark.parametrize("policy", ["log-ts", "uniform", "lazy-track-and-stop"])
def test_a_lost_ask_is_asked_again_with_the_same_arms(tmp_path: Path, policy: str) -> None:
    """A power cut may take the asks after the last outcome.

    However they are repeated, ids get the arms that they had.
    """
    study = begin(str(tmp_path / "a.db"), policy=policy, delta=1e-4)
    rng = np.random.default_rng(0)
    for _ in range(30):
        trials = study.ask(int(rng.integers(1, 30)))
        study.tell(trials, rng.random(len(trials)) < RATES[[trial.number for trial in trials]])
        created, *rest = study.events()
        lost = [trial for n in rng.integers(1, 9, size=4) for trial in study.ask(int(n))]
        if not lost:  # decided
            break
        fold = Fold(created)
        for event in rest:
            fold.apply(event)
        first = fold.asked
        for n in rng.integers(1, 9, size=8):
            fold.apply(*fold.ask([Wanted(int(n), "again", 1.0)], 0.0)[0])
        repeated = [trial for trial in lost if trial.id < fold.asked]
        arms = fold.policy.ledger.arms_of(np.array([trial.id for trial in repeated]))
        assert arms.tolist() == [trial.number for trial in repeated]
        assert lost[0].id == first
        study.tell(lost, rng.random(len(lost)) < RATES[[trial.number for trial in lost]])


def test_a_reason_that_is_no_text_is_written_as_text(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), max_trials=4)
    for trial, reason in zip(study.ask(4), (137, None, OSError("gone"), "late"), strict=True):
        study.abandon(trial, reason)
    assert [event["reason"] for event in study.events() if event["kind"] == "abandoned"] == [
        "137",
        "",
        "gone",
        "late",
    ]
    page = study.report(tmp_path / "a.html").read_text()
    assert "Abandoned, and why: 137 (1); no reason given (1); gone (1); late (1)." in page
    # An older version wrote down what it was given.
    odd = [event | {"reason": 137} if event.get("reason") == "137" else event for event in study.events()]
    open_store(tmp_path / "b.db", create=True).create("old", odd)
    old = logts.Study.open(tmp_path / "b.db")
    assert "137 (1)" in old.report(tmp_path / "b.html").read_text()
    assert old.to_polars()["reason"].to_list() == ["137", "", "gone", "late"]


def test_a_journal_cut_before_its_verdict_ends_at_the_next_ask(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), max_trials=20)
    study.tell(study.ask(20), [0] * 20)
    assert study.verdict is not None
    *events, last = study.events()
    assert last["kind"] == "decided"
    open_store(tmp_path / "b.db", create=True).create("cut", events)
    cut = logts.Study.open(tmp_path / "b.db")
    assert cut.verdict is None
    assert cut.ask() == []
    assert cut.verdict == study.verdict
