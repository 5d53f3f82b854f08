"""What the first event of a journal says: the arms, the question and the policy, as JSON and back."""

import inspect
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from logts.arms import Arms
from logts.journal import JournalError
from logts.policies import LazyTrackAndStop, LogTS, Sequential, Uniform
from logts.problems import BestArm, Problem, Ranking, Threshold, TopM, VersusControl

PROBLEMS: dict[str, Any] = {
    kind.__name__: kind for kind in (BestArm, TopM, Threshold, VersusControl, Ranking)
}
POLICIES: dict[str, type[Sequential]] = {
    "log-ts": LogTS,
    "uniform": Uniform,
    "lazy-track-and-stop": LazyTrackAndStop,
}


def write_arms(arms: Arms) -> dict[str, Any]:
    """Arms as JSON. Floats are written so that they come back exactly."""
    own = arms.items.points is arms.points
    plain = len(arms) == arms.features.shape[1] and np.array_equal(arms.features, np.eye(len(arms)))
    return {
        "names": list(arms.names),
        "features": None if plain else arms.features.tolist(),
        "columns": list(arms.columns) if any(arms.columns) else None,
        "items": None if own else arms.item_features.tolist(),
        "item_names": None if own else list(arms.items.names),
    }


def read_arms(said: dict[str, Any]) -> Arms:
    """The arms that were written."""
    features = said["features"]
    if features is None and said["items"] is not None:
        features = np.eye(len(said["names"]))
    items = {"items": said["items"], "item_names": said["item_names"]}
    return Arms(features, names=said["names"], columns=said["columns"], **items)


def write_problem(problem: Problem) -> dict[str, Any]:
    """A question as JSON. One of your own is named only, and given again when the study is opened."""
    kind = type(problem).__name__
    if PROBLEMS.get(kind) is type(problem) and is_dataclass(problem) and not isinstance(problem, type):
        return {"kind": kind, **asdict(problem)}
    if " at 0x" in repr(problem):
        raise ValueError(
            f"a question is known again by its repr, and {problem!r} is another in every process: "
            "make it a dataclass"
        )
    return {"kind": None, "text": repr(problem)}


def read_problem(said: dict[str, Any], given: Problem | None) -> Problem:
    """The question that was written, or the one given if it is the same."""
    if said["kind"] is None:
        if given is None or repr(given) != said["text"]:
            raise ValueError(
                f"this study asks a question of your own, {said['text']}: "
                f"give it as problem=...; got {given!r}"
            )
        return given
    settings = {name: value for name, value in said.items() if name != "kind"}
    if said["kind"] not in PROBLEMS:
        raise JournalError(
            f"this study asks {said['kind']}, which this logts does not know: upgrade logts to open it"
        )
    found = PROBLEMS[said["kind"]](**settings)
    if given is not None and given != found:
        raise ValueError(f"this study asks {found!r}, not {given!r}")
    return found


def make_policy(
    name: str, arms: Arms, problem: Problem, delta: float, settings: dict[str, Any]
) -> Sequential:
    """The policy of a study by its name."""
    if name not in POLICIES:
        raise ValueError(
            f"a study is run by one of {', '.join(POLICIES)}: their state can be kept; got {name!r}"
        )
    known = set(inspect.signature(LogTS).parameters) - {"arms", "problem", "delta"}
    unknown = set(settings) - (known if name == "log-ts" else known - {"design", "schedule"})
    if unknown:
        there = ", ".join(sorted(known))
        raise ValueError(f"{name} has no setting called {sorted(unknown)[0]!r}; its settings are {there}")
    return POLICIES[name](arms, problem, delta=delta, **settings)
