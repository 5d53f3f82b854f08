"""Studies that tests run, the state of one by replay, and a question of one's own."""

import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

import logts
from logts.alternatives import HalfSpaces
from logts.study.fold import Fold
from logts.tools.algebra import Array

ARMS = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], names=["plain", "bold", "short", "both"])
RATES = np.array([0.3, 0.45, 0.5, 0.75])
# Five options of two features each, and a constant.
X = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 0.5]])


def begin(url: str, **settings: Any) -> logts.Study:
    """A new study, of ``ARMS`` unless told otherwise."""
    given: dict[str, Any] = {"arms": ARMS, "problem": logts.BestArm(), "delta": 0.1} | settings
    return logts.Study.create(url, str(uuid.uuid4()), **given)


def again(url: str, study: logts.Study) -> logts.Study:
    """The same study, opened once more."""
    return logts.Study.open(url, study.name)


def run(study: logts.Study, rng: np.random.Generator, batch: int = 7) -> logts.Verdict:
    """The verdict after outcomes drawn with ``RATES``."""
    while study.verdict is None:
        trials = study.ask(batch)
        study.tell(trials, rng.random(len(trials)) < RATES[[trial.number for trial in trials]])
    return study.verdict


def fresh(study: logts.Study) -> Fold:
    """The state by replay of every event, without snapshots."""
    created, *rest = study.events()
    fold = Fold(created)
    for event in rest:
        fold.apply(event)
    return fold


def bits(fold: Fold) -> str:
    """All of a state, to be compared."""
    return json.dumps(fold.state(), sort_keys=True)


def carried_out(
    path: Path, arms: logts.Arms, problem: Any, rates: Any, *, most: int = 10**9, step: int = 40, **given: Any
) -> logts.Study:
    """A new study, run to its verdict or to ``most`` trials with outcomes drawn with these rates."""
    name = "a <b>study</b> & more"
    study = logts.Study.create(path / "studies.db", name, arms=arms, problem=problem, **given)
    rng = np.random.default_rng(2)
    made = 0
    while made < most and (trials := study.ask(min(step, most - made))):
        made += len(trials)
        arm = np.array([trial.number for trial in trials])
        study.tell(trials, rng.random(len(arm)) < np.asarray(rates)[arm])
    return study


def above_one_half(path: Path) -> logts.Study:
    """A decided study: which of five options succeed more often than not?"""
    return carried_out(path, logts.Arms(X), logts.Threshold(0.5), expit(X @ [-1.5, 2.0, 2.0]))


@dataclass(frozen=True)
class MoreOftenThanNot:
    """A question of one's own."""

    def answer(self, items: logts.arms.Items, theta: Array) -> tuple[int, ...]:
        return (0,) if items.points[0] @ theta > 0 else ()

    def alternatives(self, items: logts.arms.Items, answer: tuple[int, ...]) -> HalfSpaces:
        return HalfSpaces((1.0 if answer else -1.0) * items.points[:1], np.zeros(1), [(0,)])

    def describe(self, items: logts.arms.Items, answer: tuple[int, ...]) -> str:
        return f"{items.names[0]}: {'more' if answer else 'less'} often than not"
