"""The recipes of CONTRIBUTING.md for a stopping rule and for a peer: one file each."""

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts import policies, stopping
from tests.commands import typed
from tests.recipes import Add, recipe

ARMS = logts.Arms([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]], names=["red", "green", "blue"])
RATES = logts.Rates([0.8, 0.3, 0.5])


def live(path: Path, **settings: Any) -> logts.Verdict:
    """A live study until it is decided, opened again halfway: its state is kept."""
    rng = np.random.default_rng(0)
    rates = np.asarray(RATES.rates)
    study = logts.Study.create(path, "toy", arms=ARMS, problem=logts.BestArm(), delta=0.1, **settings)
    for _ in range(1000):
        trials = study.ask(10)
        if not trials:
            break
        study.tell(trials, rng.random(len(trials)) < rates[[trial.number for trial in trials]])
        study.close()
        study = logts.Study.open(path, "toy")
    assert study.verdict is not None
    return study.verdict


def test_a_stopping_rule_is_one_file(add: Add, tmp_path: Path) -> None:
    add(stopping, recipe("Add a stopping rule in one file"))
    patient = functools.partial(logts.LogTS, stopping="patient", patience=3.0)
    runs = logts.simulate(patient, ARMS, RATES, logts.BestArm(), runs=5, rng=0)
    assert all(row.correct and row.rule == "patient" and not row.proven for row in runs)
    assert all(row.threshold == pytest.approx(3.0 * math.log(1 / 0.05)) for row in runs)
    verdict = live(tmp_path / "s.db", stopping="patient", patience=3.0)
    assert verdict.answer.text == "best: red"
    assert "has no proof" in verdict.summary()
    with pytest.raises(ValueError, match="needs patience, how many times the evidence"):
        logts.LogTS(ARMS, logts.BestArm(), stopping="patient")
    with pytest.raises(ValueError, match="needs patience"):
        logts.LogTS(ARMS, logts.BestArm(), stopping="patient", patience=0.5)


def test_a_peer_is_one_file(add: Add, tmp_path: Path) -> None:
    add(policies, recipe("Add a peer in one file"))
    runs = logts.simulate("coin", ARMS, RATES, logts.BestArm(), delta=0.1, runs=20, rng=0)
    assert sum(not row.correct for row in runs) <= 6
    assert all(row.proven and min(row.counts) > 0 for row in runs)
    assert live(tmp_path / "s.db", policy="coin").answer.text == "best: red"


def test_rules_and_peers_of_others_are_on_the_command_line(add: Add, tmp_path: Path) -> None:
    add(stopping, recipe("Add a stopping rule in one file"))
    add(policies, recipe("Add a peer in one file"))
    table = tmp_path / "options.csv"
    table.write_text("drink,rate\ntea,0.8\ncoffee,0.3\n")
    words = ["simulate", str(table), "--names", "drink", "--rates", "rate", "--runs", "2", "--policy", "coin"]
    told = typed(*words, "--stopping", "patient", "--constant", "patience", "3").output
    assert "best: tea" in told
    assert "needs patience" in typed(*words, "--stopping", "patient", fails=True).output
