"""The events of a journal, version 1, and what stands in the first one: the arms, the question and the settings.

| kind | says |
|---|---|
| ``created`` | what is studied, how, and by which version of the package |
| ``asked`` | new trials, their arms, the id of the first; trials asked ``again``; until when they are leased, and to whom |
| ``told`` | outcomes by id |
| ``abandoned`` | trials that will never have an outcome, and why |
| ``released`` | trials that may be asked again at once |
| ``history`` | counts from before the study |
| ``decided`` | the verdict |
"""

from typing import Any

import numpy as np

from logts.arms import Arms
from logts.journal import Event, JournalError
from logts.problems import QUESTIONS, Problem
from logts.problems.speech import from_json, to_json

VERSION = 1


def event(kind: str, at: float, **said: Any) -> Event:
    """An event, with the version of its format and its time in seconds since 1970."""
    return {"v": VERSION, "kind": kind, "at": round(at, 3), **said}


def checked(found: Event) -> Event:
    """The event in the present format. One of an older version would be rewritten here; a newer one is refused."""
    if found.get("v", 0) > VERSION:
        raise JournalError(
            f"this study was written by a newer logts (journal version {found['v']}; this one knows {VERSION}): upgrade logts"
        )
    return found


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
    features = said["features"] if said["features"] is not None or said["items"] is None else np.eye(len(said["names"]))
    return Arms(features, names=said["names"], items=said["items"], item_names=said["item_names"], columns=said["columns"])


def write_problem(problem: Problem) -> dict[str, Any]:
    """A question as JSON. One that is not registered is named only, and has to be given again on opening."""
    said = to_json(problem)
    if said is not None:
        return said
    if " at 0x" in repr(problem):
        raise ValueError(f"a question is known again by its repr, and {problem!r} is another in every process: make it a dataclass")
    return {"kind": None, "text": repr(problem)}


def read_problem(said: dict[str, Any], given: Problem | None) -> Problem:
    """The question that was written, or the one given if it is the same."""
    if said["kind"] is None:
        if given is None or repr(given) != said["text"]:
            raise ValueError(f"this study asks a question of your own, {said['text']}: give it as problem=...; got {given!r}")
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
