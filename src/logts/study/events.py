"""What the first event of a journal says: the arms, the question and the policy, as JSON and back."""

import math
from typing import Any

import numpy as np

from logts.arms import Arms
from logts.journal import JournalError
from logts.policies import POLICIES, TrackAndStop, takes_settings
from logts.problems import QUESTIONS, BestArm, Problem
from logts.problems.speech import from_json, to_json


def write_arms(arms: Arms) -> dict[str, Any]:
    """Arms as JSON. Floats are written so that they come back exactly."""
    own = arms.own_items
    return {
        "names": list(arms.names),
        "features": None if arms.by_name else arms.features.tolist(),
        "columns": list(arms.columns) if any(arms.columns) else None,
        "formula": arms.formula,
        "items": None if own else arms.item_features.tolist(),
        "item_names": None if own else list(arms.items.names),
    }


def read_arms(said: dict[str, Any]) -> Arms:
    """The arms that were written."""
    features = said["features"]
    if features is None and said["items"] is not None:
        features = np.eye(len(said["names"]))
    items = {"items": said["items"], "item_names": said["item_names"]}
    arms = Arms(features, names=said["names"], columns=said["columns"], **items)
    arms.formula = said.get("formula")  # older journals do not say it
    return arms


def write_problem(problem: Problem) -> dict[str, Any]:
    """A question as JSON. One that is not registered is named only, and has to be given again on opening."""
    said = to_json(problem)
    if said is not None:
        return said
    if " at 0x" in repr(problem):
        raise ValueError(
            f"a question is known again by its repr, and {problem!r} is another in every process: make it a "
            "dataclass"
        )
    return {"kind": None, "text": repr(problem)}


def read_problem(said: dict[str, Any], given: Problem | None) -> Problem:
    """The question that was written, or the one given if it is the same."""
    if said["kind"] is None:
        if given is None or repr(given) != said["text"]:
            raise ValueError(
                f"this study asks a question of your own, {said['text']}: give it as problem=...; got "
                f"{given!r}"
            )
        return given
    if said["kind"] not in QUESTIONS:
        raise JournalError(
            f"this study asks {said['kind']}, which this logts does not know: upgrade logts to open it, "
            "or import the file in which this question is registered"
        )
    found = from_json(said)
    if given is not None and given != found:
        raise ValueError(f"this study asks {found!r}, not {given!r}")
    return found


def read_settings(created: dict[str, Any]) -> dict[str, Any]:
    """The settings of the policy. What was called evidence before version 0.3 is the rule ``"forecast"``.

    Budgets that are no whole numbers, and guards that are words, were taken once, and meant this.
    """
    settings = dict(created["settings"])
    if settings.get("max_trials") is not None:
        settings["max_trials"] = math.ceil(settings["max_trials"])
    if "guard" in settings:
        settings["guard"] = bool(settings["guard"])
    version = tuple(int(part) for part in str(created["logts"]).split(".")[:2])
    if version < (0, 3) and settings.get("stopping", "evidence") == "evidence":
        settings["stopping"] = "forecast"
    return settings


def make_policy(
    name: str, arms: Arms, problem: Problem, delta: float, settings: dict[str, Any]
) -> TrackAndStop:
    """The policy of a study by its name."""
    make = POLICIES.find(name)
    made = make(arms, problem, delta=delta, **settings) if takes_settings(make) else None
    if not isinstance(made, TrackAndStop) or not made.lasting:
        known = ", ".join(_lasting())
        raise ValueError(f"a study is run by one of {known}: their state can be kept; got {name!r}")
    return made


def _lasting() -> list[str]:
    """Names of the policies whose state can be kept."""
    two = Arms(names=["a", "b"])
    made = {name: make(two, BestArm()) for name, make in POLICIES.items() if takes_settings(make)}
    return [name for name, policy in made.items() if isinstance(policy, TrackAndStop) and policy.lasting]
