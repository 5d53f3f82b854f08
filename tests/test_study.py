"""Studies: ask and tell over a journal, on every store."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import logts
from logts.alternatives import HalfSpaces
from logts.journal import JournalError, Snapshots, open_store
from logts.study import Trial, replay
from logts.study.fold import Fold

ARMS = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], names=["plain", "bold", "short", "both"])
RATES = np.array([0.3, 0.45, 0.5, 0.75])


def begin(url: str, **settings: Any) -> logts.Study:
    given: dict[str, Any] = {"arms": ARMS, "problem": logts.BestArm(), "delta": 0.1} | settings
    return logts.Study.create(url, str(uuid.uuid4()), **given)


def again(url: str, study: logts.Study) -> logts.Study:
    return logts.Study.open(url, study.name)


def fresh(study: logts.Study) -> Fold:
    """The state by replay of every event, without snapshots."""
    created, *rest = study.events()
    fold = Fold(created)
    for event in rest:
        fold.apply(event)
    return fold


def bits(fold: Fold) -> str:
    return json.dumps(fold.state(), sort_keys=True)


def run(study: logts.Study, rng: np.random.Generator, batch: int = 7) -> logts.Verdict:
    while study.verdict is None:
        trials = study.ask(batch)
        study.tell(trials, rng.random(len(trials)) < RATES[[trial.number for trial in trials]])
    return study.verdict


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
    for wrong in (
        {"arms": "plain"},
        {"trials": [1] * 4},
        {},
        {"arms": "nobody", "outcomes": 1},
        {"arms": 9, "outcomes": 1},
    ):
        with pytest.raises(ValueError, match=r"give|no arm|does not exist"):
            study.tell_history(**wrong)
    with pytest.raises(ValueError, match=r"successes|trials"):
        study.tell_history(trials=[1, 1, 1, 1], successes=[2, 0, 0, 0])
    assert len(study.events()) == 3


@pytest.mark.parametrize("policy", ["log-ts", "uniform", "lazy-track-and-stop"])
@pytest.mark.parametrize("arms", ["features", "names", "bent"])
def test_replay_and_snapshots_give_the_same_state_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, arms: str
) -> None:
    """Whatever was asked, told, given up and given back, by whichever of two processes' views."""
    monkeypatch.setattr(replay, "SNAPSHOT_EVENTS", 40)
    url = str(tmp_path / "a.db")
    rates = (
        np.array([0.3, 0.6, 0.61, 0.9, 0.3, 0.85])
        if arms == "bent"
        else np.array([0.4, 0.45, 0.5, 0.55, 0.5, 0.5])
    )
    made = (
        logts.Arms(names=list("abcdef")) if arms == "names" else logts.Arms(np.c_[np.ones(6), np.arange(6.0)])
    )
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


def test_outcomes_stay_with_their_arms_when_another_version_would_have_chosen_others(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), delta=0.001)
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
    target = fold.policy._sampler._now._inner.weights  # type: ignore[attr-defined]
    assert np.abs(shares / shares.sum() - target).max() < 0.2  # what was tried in the past is made up for


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
        told = study.events()
        lost = [trial for n in rng.integers(1, 9, size=4) for trial in study.ask(int(n))]
        if not lost:  # decided
            break
        created, *rest = told
        fold = Fold(created)
        for event in rest:
            fold.apply(event)
        first = fold.asked
        for n in rng.integers(1, 9, size=8):
            fold.ask(int(n), 0.0, 1.0, "again")
        assert [fold.out[trial.id].arm for trial in lost if trial.id < fold.asked] == [
            t.number for t in lost if t.id < fold.asked
        ]
        assert lost[0].id == first
        study.tell(lost, rng.random(len(lost)) < RATES[[trial.number for trial in lost]])


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
    assert {event["kind"] for event in events} == {
        "created",
        "history",
        "asked",
        "told",
        "released",
        "abandoned",
        "decided",
    }
    store = open_store(tmp_path / "a.db", create=True)
    store.create("old", events)
    study = logts.Study.open(tmp_path / "a.db")
    assert study.verdict is not None
    assert study.verdict.answer.text == "best: both"
    assert study.counts.sum() == sum(len(event["ids"]) for event in events if event["kind"] == "told")
    store.create("new", [events[0] | {"v": 2}])
    with pytest.raises(JournalError, match="upgrade logts"):
        logts.Study.open(tmp_path / "a.db", "new")
    store.create("odd", [events[0], {"v": 1, "kind": "danced", "at": 0}])
    with pytest.raises(JournalError, match="'danced', which this logts does not know"):
        logts.Study.open(tmp_path / "a.db", "odd")
    with pytest.raises(ValueError, match="holds 3 studies; say which"):
        logts.Study.open(tmp_path / "a.db")


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


def test_a_study_in_memory_is_there_for_all_who_open_it_in_this_process() -> None:
    url = f"memory://{uuid.uuid4()}"
    with pytest.raises(ValueError, match=f"{url} holds 0 studies; say which: there are none yet"):
        logts.Study.open(url)
    with logts.Study.create(url, "mine", arms=ARMS, problem=logts.BestArm()) as study:
        study.tell(study.ask(3), [1, 0, 1])
    with logts.Study.open(url) as other:
        assert (other.where, other.name) == (url, "mine")
        assert other.counts.sum() == 3
    opened = logts.Study.open(url, "mine")
    study.tell(study.ask(), 1)
    assert opened.counts.sum() == 4
    assert logts.Study.list(url) == ["mine"]
    assert logts.Study.list(url + "2") == []
    with pytest.raises(ValueError, match="holds a study called 'mine' already"):
        logts.Study.create(url, "mine", arms=ARMS, problem=logts.BestArm())
    with pytest.raises(ValueError, match="holds no study called 'other'; there are: mine"):
        logts.Study.open(url, "other")


def test_a_failed_write_leaves_a_study_that_goes_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = begin(url)
    trials = study.ask(20)
    journal = study._journal
    append = study._journal.append

    def torn(position: int, decide: Any, **how: Any) -> None:
        def fail(seen: Any) -> Any:
            decide(seen)
            raise OSError("the disk is full")

        append(position, fail, **how)

    monkeypatch.setattr(journal, "append", torn)
    with pytest.raises(OSError, match="full"):
        study.tell(trials, [1] * 20)
    with pytest.raises(OSError, match="full"):
        study.ask(3)
    monkeypatch.setattr(journal, "append", append)
    assert study.counts.sum() == 0
    study.tell(trials, [0] * 20)  # nothing was acknowledged, so this is no contradiction
    assert study.ask()[0].id == 20
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


def test_what_is_known_beforehand_is_decided_at_once(url: str) -> None:
    study = begin(url, arms=logts.Arms(names=["only"]))
    assert study.verdict is not None
    assert study.verdict.proven
    assert study.ask() == []
    assert again(url, study).summary() == study.summary()


def test_threads_share_a_study(url: str) -> None:
    study = begin(url, delta=1e-6)
    seen: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(15):
            trials = study.ask(3)
            seen.extend(trial.id for trial in trials)
            study.tell(trials, rng.random(3) < RATES[[trial.number for trial in trials]])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(180))
    assert study.counts.sum() == 180
    assert bits(fresh(study)) == bits(study._read())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_works_on_connections_of_its_own(lasting_url: str) -> None:
    study = begin(lasting_url)
    study.tell(study.ask(4), [1, 0, 1, 0])
    child = os.fork()
    if child == 0:
        try:
            study.tell(study.ask(4), [1, 1, 1, 1])
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    study.tell(study.ask(4), [0, 0, 0, 0])
    assert study.counts.sum() == 12


@dataclass(frozen=True)
class MoreOftenThanNot:
    def answer(self, items: Any, theta: Any) -> tuple[int, ...]:
        return (0,) if items.points[0] @ theta > 0 else ()

    def alternatives(self, items: Any, answer: tuple[int, ...]) -> HalfSpaces:
        return HalfSpaces((1.0 if answer else -1.0) * items.points[:1], np.zeros(1), [(0,)])

    def describe(self, items: Any, answer: tuple[int, ...]) -> str:
        return "more" if answer else "less"


def test_a_question_of_your_own_is_given_again_on_opening(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    study = logts.Study.create(path, "a", arms=ARMS, problem=MoreOftenThanNot())
    study.tell(study.ask(), 1)
    with pytest.raises(ValueError, match="a question of your own"):
        logts.Study.open(path, "a")
    assert logts.Study.open(path, "a", problem=MoreOftenThanNot()).counts.sum() == 1


@pytest.mark.parametrize(
    "problem",
    [
        logts.BestArm(0.2),
        logts.TopM(2),
        logts.Threshold(0.4),
        logts.VersusControl("bold", epsilon=0.1),
        logts.Ranking(),
    ],
)
def test_every_question_and_all_arms_come_back(tmp_path: Path, problem: logts.Problem) -> None:
    path = tmp_path / "a.db"
    features = np.random.default_rng(0).normal(size=(4, 2)) * np.pi
    arms = logts.Arms(features, names=["plain", "bold", "short", "ünï ✓"])
    study = logts.Study.create(path, "a", arms=arms, problem=problem, guard=False, max_trials=7, rng=None)
    opened = logts.Study.open(path)
    assert opened.problem == problem
    assert opened.arms.names == arms.names
    assert opened.arms.points.tobytes() == arms.points.tobytes()
    assert opened._read().policy.max_trials == 7
    assert opened.created["settings"]["rng"] == study.created["settings"]["rng"] > 0
    pairs = logts.Arms.pairwise(["tea", "coffee", "milk"])
    logts.Study.create(path, "b", arms=pairs, problem=logts.BestArm())
    assert repr(logts.Study.open(path, "b").arms) == repr(pairs)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"lease": 0.0}, "lease"),
        ({"policy": "oracle"}, "run by one of"),
        ({"speed": 3}, "no setting called 'speed'"),
        ({"policy": "uniform", "design": "kl"}, "no setting called 'design'"),
        ({"stopping": "paper"}, "radius"),
        ({"max_trials": 0}, "max_trials"),
        ({"problem": logts.VersusControl("nobody")}, "no item is called"),
    ],
)
def test_what_cannot_be_studied_is_refused_before_anything_is_written(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        begin(str(tmp_path / "a.db"), **settings)
    assert not (tmp_path / "a.db").exists()


def test_names_are_asked_for_and_unique(tmp_path: Path) -> None:
    given: dict[str, Any] = {"arms": ARMS, "problem": logts.BestArm()}
    with pytest.raises(ValueError, match="a name"):
        logts.Study.create(tmp_path / "a.db", "", **given)
    logts.Study.create(tmp_path / "a.db", "a", **given)
    with pytest.raises(ValueError, match="holds a study called 'a' already"):
        logts.Study.create(tmp_path / "a.db", "a", **given)
    with pytest.raises(ValueError, match="there is no file"):
        logts.Study.open(tmp_path / "b.db", "a")
    with pytest.raises(ValueError, match="at least one trial"):
        logts.Study.open(tmp_path / "a.db").ask(0)


@pytest.mark.parametrize(
    ("missing", "line", "said"),
    [
        ("sqlalchemy", "logts.Study.open('a.db')", r"logts\[study\]"),
        (
            "sqlalchemy",
            "logts.Study.create('a.db', 'a', arms=ARMS, problem=logts.BestArm())",
            r"logts\[study\]",
        ),
        ("psycopg", "logts.Study.open('postgresql://me@localhost/x')", r"logts\[postgresql\]"),
        (
            "matplotlib",
            "logts.Study.create('a.db', 'a', arms=ARMS, problem=logts.BestArm()).plot_rates()",
            r"logts\[plots\]",
        ),
    ],
)
def test_what_is_not_installed_is_named_when_it_is_needed(
    tmp_path: Path, missing: str, line: str, said: str
) -> None:
    program = f"""
import sys
sys.modules[{missing!r}] = None
import logts
ARMS = logts.Arms(names=["a", "b"])
logts.LogTS(ARMS, logts.BestArm()).ask()
{line}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert re.search(said, done.stderr.splitlines()[-1]), done.stderr


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


def test_history_may_be_told_after_the_alarm(tmp_path: Path) -> None:
    arms = logts.Arms(np.c_[np.ones(6), np.arange(6.0)])
    rates = np.array([0.3, 0.6, 0.61, 0.9, 0.3, 0.85])
    study = begin(str(tmp_path / "a.db"), arms=arms, policy="uniform", delta=0.01)
    rng = np.random.default_rng(5)
    while not study._read().policy.judge.trust.without_model:
        trials = study.ask(20)
        study.tell(trials, rng.random(20) < rates[[trial.number for trial in trials]])
    study.tell_history(trials=[5] * 6, successes=[1] * 6)
    study.tell(study.ask(50), [1] * 50)
    assert bits(fresh(study)) == bits(study._read())


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_does_not_wait_for_a_thread_that_did_not_come_along(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"))
    held = threading.Event()
    done = threading.Event()

    def hold() -> None:
        with study._lock:
            held.set()
            done.wait(30.0)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30.0)
    child = os.fork()
    if child == 0:
        study.tell(study.ask(2), [1, 0])
        os._exit(0)
    end = time.monotonic() + 30.0
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.02)
    done.set()
    thread.join()
    assert ended == (child, 0)
    assert study.counts.sum() == 2


def test_settings_that_cannot_be_written_down_are_refused(tmp_path: Path) -> None:
    class Anonymous(MoreOftenThanNot):
        __repr__ = object.__repr__

    url = str(tmp_path / "a.db")
    with pytest.raises(ValueError, match="make it a dataclass"):
        begin(url, problem=Anonymous())
    with pytest.raises(ValueError, match="a lease is"):
        begin(url, lease=float("inf"))
    with pytest.raises(TypeError):
        begin(url, rng=np.random.default_rng(0))
    assert not (tmp_path / "a.db").exists()
    columns = [{"n": np.int64(3), "x": float("nan")}] * 4
    arms = logts.Arms(ARMS.features, names=ARMS.names, columns=columns)
    study = begin(url, arms=arms, rng=np.int64(5), max_trials=np.int64(9))
    assert study.created["settings"] == {"max_trials": 9, "rng": 5}
    assert study.ask()[0].columns == {"n": 3, "x": None}
    with pytest.raises(ValueError, match="this study asks BestArm"):
        logts.Study.open(url, problem=logts.TopM(2))
    with pytest.raises(ValueError, match="no trial has the id"):
        study.tell(10**30, 1)


def test_passwords_are_not_shown() -> None:
    with pytest.raises(JournalError) as told:
        logts.Study.open("postgresql://me:secret@127.0.0.1:1/x", "a")
    assert "secret" not in str(told.value)
    with pytest.raises(ValueError, match="not a URL"):
        logts.Study.open("postgresql://h:port/x", "a")
