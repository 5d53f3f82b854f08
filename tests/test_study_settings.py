"""What a study is made of: it comes back on opening, or is refused before anything is written."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts.journal import JournalError, open_store
from logts.planning import plan, world_with_effect
from tests.studies import ARMS, MoreOftenThanNot, begin

CREATE = "logts.Study.create('a.db', 'a', arms=ARMS, problem=logts.BestArm())"


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


def test_a_question_of_your_own_is_given_again_on_opening(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    study = logts.Study.create(path, "a", arms=ARMS, problem=MoreOftenThanNot())
    study.tell(study.ask(), 1)
    with pytest.raises(ValueError, match="a question of your own"):
        logts.Study.open(path, "a")
    assert logts.Study.open(path, "a", problem=MoreOftenThanNot()).counts.sum() == 1


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
        ({"max_trials": 20.5}, "max_trials is a whole number .* got 20.5"),
        ({"max_trials": "20"}, "max_trials is a whole number"),
        ({"guard": "no"}, "guard is True or False; got 'no'"),
        ({"guard": None}, "guard is True or False"),
        ({"delta": "0.05"}, "delta is a probability"),
        ({"lease": "an hour"}, "a lease is a number"),
        ({"problem": "best"}, r"give a question such as logts.BestArm\(\); got 'best'"),
        ({"problem": logts.BestArm}, r"got the class BestArm without \(\)"),
        ({"problem": logts.VersusControl("nobody")}, "no item is called"),
    ],
)
def test_what_cannot_be_studied_is_refused_before_anything_is_written(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        begin(str(tmp_path / "a.db"), **settings)
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("question", ["best", None, logts.BestArm])
def test_what_is_no_question_is_told(question: Any) -> None:
    said = r"give a question such as logts\.BestArm\(\); got"
    for policy in ("log-ts", "uniform", "top-two", "lin-game"):
        with pytest.raises(ValueError, match=said):
            logts.simulate(policy, ARMS, [0.0, 1.0, 2.0], question, runs=1)
    with pytest.raises(ValueError, match=said):
        logts.lower_bound(ARMS, [0.0, 1.0, 2.0], question)
    with pytest.raises(ValueError, match=said):
        plan(ARMS, question, truth=[0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match=said):
        world_with_effect(ARMS, question, 0.05)


def test_settings_of_other_number_types_are_fine() -> None:
    for settings in (
        {"guard": np.bool_(False)},
        {"guard": 1},
        {"max_trials": np.int32(5)},
        {"delta": np.float32(0.1)},
    ):
        assert logts.LogTS(ARMS, logts.BestArm(), **settings).verdict is None


def test_a_study_that_an_older_version_took_with_odd_settings_opens(tmp_path: Path) -> None:
    study = begin(str(tmp_path / "a.db"), max_trials=21, guard=True)
    created = study.created | {"settings": study.created["settings"] | {"max_trials": 20.5, "guard": "no"}}
    open_store(tmp_path / "b.db", create=True).create("old", [created])
    old = logts.Study.open(tmp_path / "b.db")
    old.tell(old.ask(20), [0] * 20)
    assert old.verdict is None
    old.tell(old.ask(20), [0])
    assert old.verdict is not None


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
        ("sqlalchemy", CREATE, r"logts\[study\]"),
        ("psycopg", "logts.Study.open('postgresql://me@localhost/x')", r"logts\[postgresql\]"),
        ("matplotlib", f"{CREATE}.plot_rates()", r"logts\[plots\]"),
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
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.search(said, done.stderr.splitlines()[-1]), done.stderr


def test_passwords_are_not_shown() -> None:
    with pytest.raises(JournalError) as told:
        logts.Study.open("postgresql://me:secret@127.0.0.1:1/x", "a")
    assert "secret" not in str(told.value)
    with pytest.raises(ValueError, match="not a URL"):
        logts.Study.open("postgresql://h:port/x", "a")
