"""The recipes of CONTRIBUTING.md for a stopping rule and for a peer: one file each, used through the public interface."""

import functools
import importlib.util
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import logts
from logts.policies import POLICIES
from logts.stopping import RULES
from logts.tools.registry import Registry

ROOT = Path(__file__).parent.parent
ARMS = logts.Arms([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]], names=["red", "green", "blue"])
RATES = logts.Rates([0.8, 0.3, 0.5])


def recipe(heading: str) -> str:
    """The first block of code below a heading of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return text.split(f"## {heading}\n", 1)[1].split("```python\n", 1)[1].split("```", 1)[0]


@pytest.fixture
def one_file(tmp_path: Path) -> Iterator[object]:
    """Write a file and import it; what it enters is taken out again."""
    registries: tuple[Registry[Any], ...] = (RULES, POLICIES)
    before = [set(registry) for registry in registries]
    added: list[str] = []

    def bring(name: str, code: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(code)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        added.append(name)
        spec.loader.exec_module(module)
        return module

    yield bring
    for registry, kept in zip(registries, before, strict=True):
        for name in set(registry) - kept:
            del registry[name]
    for name in added:
        del sys.modules[name]


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


def test_a_stopping_rule_is_one_file(one_file: object, tmp_path: Path) -> None:
    assert callable(one_file)
    one_file("toy_rule", recipe("Add a stopping rule in one file"))
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


def test_a_peer_is_one_file(one_file: object, tmp_path: Path) -> None:
    assert callable(one_file)
    one_file("toy_peer", recipe("Add a peer in one file"))
    runs = logts.simulate("coin", ARMS, RATES, logts.BestArm(), delta=0.1, runs=20, rng=0)
    assert sum(not row.correct for row in runs) <= 6
    assert all(row.proven and min(row.counts) > 0 for row in runs)
    assert live(tmp_path / "s.db", policy="coin").answer.text == "best: red"
