"""Replay of a journal, with snapshots and without, also of a journal by another version."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts.journal import JournalError, Snapshots, open_store
from logts.study import replay
from logts.study.fold import Fold
from tests.studies import RATES, again, begin, bits, fresh, run

LINE = logts.Arms(np.c_[np.ones(6), np.arange(6.0)])
BENT = np.array([0.3, 0.6, 0.61, 0.9, 0.3, 0.85])  # rates that no line fits


@pytest.mark.parametrize("policy", ["log-ts", "uniform", "lazy-track-and-stop"])
@pytest.mark.parametrize("arms", ["features", "names", "bent"])
def test_replay_and_snapshots_give_the_same_state_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, arms: str
) -> None:
    """Whatever was asked, told, given up and given back, by whichever of two processes' views."""
    monkeypatch.setattr(replay, "SNAPSHOT_EVENTS", 40)
    url = str(tmp_path / "a.db")
    rates = BENT if arms == "bent" else np.array([0.4, 0.45, 0.5, 0.55, 0.5, 0.5])
    made = logts.Arms(names=list("abcdef")) if arms == "names" else LINE
    study = begin(url, arms=made, policy=policy, delta=0.01)
    other = again(url, study)
    rng = np.random.default_rng(5)
    for step in range(300):
        who = study if rng.random() < 0.5 else other
        who.ask(int(rng.integers(1, 20)))
        out = [trial for trial, _, _ in who.waiting]
        chosen = [out[i] for i in rng.permutation(len(out))[: rng.integers(0, len(out) + 1)]]
        if chosen:
            who.tell(chosen, rng.random(len(chosen)) < rates[[trial.number for trial in chosen]])
        if rng.random() < 0.05 and len(out) > len(chosen):
            left = [trial for trial in out if trial not in chosen]
            (who.release if rng.random() < 0.5 else who.abandon)(left[0])
        if step % 60 == 59:
            opened = again(url, study)
            assert opened._replay._position > 40  # from a snapshot, or near one
            assert bits(study._read()) == bits(other._read()) == bits(opened._read()) == bits(fresh(study))
        if study.verdict is not None:
            break
    if (policy, arms) == ("uniform", "bent"):
        assert study._read().policy.judge.alarmed  # the model was found not to fit, and that comes back too
    one = study._read().policy
    two = again(url, study)._read().policy
    assert one.progress == two.progress
    assert one.ask(50).arms.tolist() == two.ask(50).arms.tolist()
    assert one.rates() == two.rates()


def test_history_may_be_told_after_the_alarm(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), arms=LINE, policy="uniform", delta=0.01)
    rng = np.random.default_rng(5)
    while not study._read().policy.judge.trust.without_model:
        trials = study.ask(20)
        study.tell(trials, rng.random(20) < BENT[[trial.number for trial in trials]])
    alarms = [event for event in study.events() if event.get("about") == "alarm"]
    assert [event["said"]["trials"] for event in alarms] == [study.counts.sum()]  # told at once, and once
    study.tell_history(trials=[5] * 6, successes=[1] * 6)
    study.tell(study.ask(50), [1] * 50)
    assert bits(fresh(study)) == bits(study._read())


def test_a_refusal_costs_no_replay(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"))
    study.tell(study.ask(), 1)
    before = study._read()
    for ids, outcome in ((0, 0), (7, 1)):
        with pytest.raises(ValueError, match="trial"):
            study.tell(ids, outcome)
    assert study._read() is before
    assert bits(fresh(study)) == bits(before)


def test_outcomes_stay_with_their_arms_when_another_version_would_have_chosen_others(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), delta=0.001, guard=False)
    rng = np.random.default_rng(0)
    for _ in range(40):
        trials = study.ask(10)
        study.tell(trials, rng.random(10) < RATES[[trial.number for trial in trials]])
    events = study.events()
    for event in events:
        if event["kind"] == "asked":
            event["arms"] = [(arm + 1) % 4 for arm in event["arms"]]
    fold = Fold(events[0])
    for event in events[1:]:
        if event["kind"] != "decided":
            fold.apply(event)
    asked = [arm for event in events if event["kind"] == "asked" for arm in event["arms"]]
    assert fold.policy.counts.tolist() == np.bincount(asked, minlength=4).tolist()
    shares = np.bincount(fold.policy.ask(2000).arms, minlength=4) + fold.policy.counts
    target = fold.policy._sampler._sampler.weights  # type: ignore[attr-defined]
    assert np.abs(shares / shares.sum() - target).max() < 0.2  # what was tried in the past is made up for


def test_a_verdict_stands_whatever_a_replay_thinks(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"))
    verdict = run(study, np.random.default_rng(1))
    events = study.events()
    fold = Fold(events[0])
    for event in events[1:]:
        if event["kind"] == "told":
            event["outcomes"] = [0] * len(event["outcomes"])
        fold.apply(event)
    assert fold.verdict == verdict


def test_an_old_journal_opens_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    """The first version's journal, as it was written; it has to open for ever."""
    lines = (Path(__file__).parent / "data" / "journal_v1.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    kinds = {event["kind"] for event in events}
    assert kinds == {"created", "history", "asked", "told", "released", "abandoned", "decided"}
    store = open_store(tmp_path / "a.db", create=True)
    store.create("old", events)
    study = logts.Study.open(tmp_path / "a.db")
    assert study.verdict is not None
    assert study.verdict.answer.text == "best: both"
    assert study.counts.sum() == sum(len(event["ids"]) for event in events if event["kind"] == "told")
    store.create("new", [events[0] | {"v": 3}])
    with pytest.raises(JournalError, match="upgrade logts"):
        logts.Study.open(tmp_path / "a.db", "new")
    store.create("odd", [events[0], {"v": 1, "kind": "danced", "at": 0}])
    with pytest.raises(JournalError, match="'danced', which this logts does not know"):
        logts.Study.open(tmp_path / "a.db", "odd")
    with pytest.raises(ValueError, match="holds 3 studies; say which"):
        logts.Study.open(tmp_path / "a.db")


def test_a_study_keeps_the_rule_that_it_began_with(tmp_path: Path) -> None:
    """What was called evidence before version 0.3 is the rule "forecast", however it was asked for."""
    lines = (Path(__file__).parent / "data" / "journal_v1.jsonl").read_text().splitlines()
    created = json.loads(lines[0])
    store = open_store(tmp_path / "a.db", create=True)
    ours: list[dict[str, Any]] = [{}, {"stopping": "evidence"}]
    other = {"stopping": "paper-practical", "radius": 2.0}
    said = [("0.1.0", one, "forecast") for one in ours]
    said += [("0.2.0", one, "forecast") for one in ours]
    said += [("0.2.0", other, "paper-practical"), ("0.3.0", {}, "evidence"), ("1.0.0", {}, "evidence")]
    for number, (version, settings, rule) in enumerate(said):
        name = str(number)
        store.create(name, [created | {"logts": version, "settings": created["settings"] | settings}])
        assert logts.Study.open(tmp_path / "a.db", name)._read().policy.judge._model.rule.name == rule
    store.create("old", [json.loads(line) for line in lines])
    old = logts.Study.open(tmp_path / "a.db", "old")
    assert old.created["settings"] == created["settings"]  # what was written stays as it was
    wealth = old._read().policy.judge._model._placing.wealth
    assert wealth.forecast == 0.0  # all is in the forecast
    assert not len(wealth.constants)
    new = begin(str(tmp_path / "b.db"))
    for study in (new, again(str(tmp_path / "b.db"), new)):
        study.tell(study.ask(40), [1, 0] * 20)
        judge = study._read().policy.judge
        assert judge._model.rule.name == "evidence"
        assert len(judge._model._placing.wealth.constants)  # there are bets


def test_a_snapshot_of_another_version_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "SNAPSHOT_EVENTS", 5)
    study = begin(str(tmp_path / "a.db"))
    for _ in range(6):
        study.tell(study.ask(3), [1, 0, 1])
    expected = bits(study._read())
    store = study._journal.store
    assert isinstance(store, Snapshots)
    found = store.snapshot(study.name)
    assert found is not None
    other = zlib.compress(zlib.decompress(found[1]).replace(logts.__version__.encode(), b"9.9.9"))
    for body in (b"not compressed", zlib.compress(b"{}"), zlib.compress(b"not json"), found[1][:-9], other):
        store.keep_snapshot(study.name, found[0], body)
        assert bits(logts.Study.open(tmp_path / "a.db")._read()) == expected
