"""The league: who is listed, and what is said of the leader."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import logts
from logts.cli.app import app
from logts.experiments import league as module
from logts.experiments.instances import Instance
from logts.experiments.league import INSTANCES, OWN_RULE, Place, league, markdown
from logts.policies import POLICIES

EASY = Instance(logts.Arms(names=["a", "b"]), np.array([0.0, 2.0]), logts.BestArm())


def test_every_policy_is_listed_with_every_rule_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INSTANCES", {"easy": lambda: EASY})
    found = list(league(runs=3, few=1))
    assert {s.policy for s in found} == set(POLICIES) - {"melk"}
    assert {s.stopping for s in found if s.policy == "log-ts"} == {"evidence", "stylized"}
    assert {s.stopping for s in found if s.policy in OWN_RULE} == {"its own"}
    # Two names share nothing: there the linear rule is proven.
    assert {s.policy for s in found if not s.proven and s.stopping != "stylized"} == {
        "rage-glm-r",
        "gaussian-plug-in",
    }
    bound = logts.lower_bound(EASY.arms, EASY.theta, EASY.problem, delta=0.1).samples
    for one in found:
        assert one.ratio == pytest.approx(one.samples / bound)
        assert one.runs == (1 if one.policy in ("glgape", "gaussian-plug-in") else 3)


def test_instances_are_made_and_questions_not_covered_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for make in INSTANCES.values():
        instance = make()
        assert (
            logts.lower_bound(instance.arms, instance.theta, instance.problem, delta=0.1).characteristic_time
            > 10
        )
    monkeypatch.setattr(
        module, "INSTANCES", {"rates": lambda: Instance(EASY.arms, EASY.theta, logts.Threshold(0.6))}
    )
    only_best = {"rage-glm", "rage-glm-r", "glgape", "rage", "gaussian-plug-in"}
    assert {s.policy for s in league(runs=1, few=1)} == set(POLICIES) - only_best


def place(policy: str, samples: float, error: float, stopping: str = "evidence") -> Place:
    return Place("x", policy, stopping, 10, samples, error, 1.0, 0, 0, stopping == "evidence", 1.0)


def test_the_table_says_where_log_ts_is_not_ahead() -> None:
    ahead = [
        place("log-ts", 100, 5),
        place("uniform", 200, 5),
        place("oracle", 50, 5),
        place("top-two", 90, 1, "stylized"),
    ]
    assert "Log-TS takes the fewest samples." in markdown(ahead)
    close = [place("log-ts", 100, 5), place("top-two", 95, 5)]
    assert "top-two takes -5%; the differences are within two standard errors." in markdown(close)
    behind = [place("log-ts", 100, 5), place("top-two", 50, 5)]
    assert "Log-TS is not ahead of all: top-two takes -50%." in markdown(behind)


def test_the_command_writes_the_league(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "INSTANCES", {"easy": lambda: EASY})
    monkeypatch.setattr(module, "POLICIES", {name: POLICIES[name] for name in ("log-ts", "uniform")})
    result = CliRunner().invoke(app, ["bench", "peers", "--runs", "2", "--out", str(tmp_path / "league.md")])
    assert result.exit_code == 0, result.output
    assert "| log-ts | evidence | 2 |" in (tmp_path / "league.md").read_text()
