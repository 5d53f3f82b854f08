"""The store of CONTRIBUTING.md, as it stands there: two methods, and studies are kept in it."""

import inspect
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import logts
from logts import journal
from logts.journal import Snapshots, open_store
from tests import test_journal
from tests.recipes import Add, recipe

ARMS = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], names=["plain", "bold", "short", "both"])
RATES = np.array([0.3, 0.45, 0.5, 0.75])
CONTRACT = {
    name: test
    for name, test in vars(test_journal).items()
    if name.startswith("test_") and list(inspect.signature(test).parameters) == ["url"]
}


@pytest.fixture
def url(add: Add, tmp_path: Path) -> str:
    """A store of the recipe's kind, from its file."""
    add(journal, recipe("Add a store in one file"))
    (tmp_path / "kept").mkdir()
    return f"folder://{tmp_path / 'kept'}"


@pytest.mark.parametrize("promise", CONTRACT.values(), ids=CONTRACT)
def test_it_keeps_every_promise(url: str, promise: Callable[[str], None]) -> None:
    promise(url)


def test_it_has_two_methods_and_no_snapshots(url: str) -> None:
    store = open_store(url)
    assert {name for name in vars(type(store)) if not name.startswith("_")} == {"read_from", "append"}
    assert not isinstance(store, Snapshots)


def _decided(url: str) -> logts.Study:
    """A study, asked and told until it is decided; opened anew on the way."""
    rng = np.random.default_rng(0)
    study = logts.Study.create(url, 'ad: "bold"?', arms=ARMS, problem=logts.BestArm(), delta=0.1)
    while study.verdict is None:
        trials = study.ask(7, worker="me")
        study.tell(trials, rng.random(len(trials)) < RATES[[trial.number for trial in trials]])
        study.close()
        study = logts.Study.open(url)
    return study


def test_a_study_in_it_is_the_same_as_in_sqlite(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    mine = _decided(url)
    other = _decided(str(tmp_path / "studies.db"))
    assert mine.verdict is not None
    assert mine.verdict.answer.text == "best: both"
    assert mine.verdict == other.verdict
    assert mine.events() == other.events()
    assert json.dumps(mine._read().state()) == json.dumps(other._read().state())
    assert mine.where == url
    assert logts.Study.list(url) == logts.Study.list(str(tmp_path / "studies.db")) == [mine.name]
    with pytest.raises(ValueError, match="already: open it"):
        logts.Study.create(url, mine.name, arms=ARMS, problem=logts.BestArm())
    with pytest.raises(ValueError, match=r"holds no study called 'other'; there are: ad: \"bold\"\?"):
        logts.Study.open(url, "other")
