"""What the reference says is complete: parameters, what is returned, and an example for every public name."""

import inspect
from collections.abc import Iterator

import pytest
from numpydoc.docscrape import NumpyDocString

import logts
from logts.problems import Comparable
from tests.test_documentation import ROOMS, public

NAMES = [getattr(room, name) for room in ROOMS for name in public(room) if name != "Settings"]


def members(kind: type) -> Iterator[tuple[str, object]]:
    for name in dir(kind):
        if not name.startswith("_") and hasattr(kind, name):
            thing = inspect.getattr_static(kind, name)
            thing = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
            if inspect.isfunction(thing) and (thing.__module__ or "").startswith("logts"):
                yield name, thing


def read(thing: object) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(thing) or "")


def told(sections: NumpyDocString) -> set[str]:
    """Names of parameters and attributes, of which one entry may hold several."""
    entries = [entry for part in ("Parameters", "Attributes") for entry in sections[part]]
    return {name.strip("* ") for entry in entries for name in entry.name.split(",")}


def check(thing: object, where: str) -> None:
    """Every parameter is described, and what comes back unless that is nothing."""
    sections = read(thing)
    signature = inspect.signature(thing)  # type: ignore[arg-type]
    missing = {name for name in signature.parameters if name not in ("self", "cls")} - told(sections)
    assert not missing, f"{where}: {missing}"
    nothing = signature.return_annotation in (None, "None", signature.empty)
    assert nothing or sections["Returns"] or sections["Yields"], f"{where} does not say what it returns"


@pytest.mark.parametrize("thing", NAMES, ids=lambda thing: thing.__name__)
def test_a_public_name_is_described_with_an_example(thing: object) -> None:
    sections = read(thing)
    assert sections["Summary"]
    assert any(">>>" in line for line in sections["Examples"])
    if inspect.isfunction(thing):
        check(thing, thing.__name__)
    elif inspect.isclass(thing):
        own = thing.__init__.__module__ if "__init__" in vars(thing) else ""
        if own.startswith("logts") and thing not in (logts.Study, logts.Client):  # made by create and open
            check_made(thing, sections)
        for name, member in members(thing):
            described = member if inspect.getdoc(member) else spoken_of(name)
            check(described, f"{thing.__name__}.{name}")


def check_made(kind: type, sections: NumpyDocString) -> None:
    missing = set(inspect.signature(kind).parameters) - told(sections)
    assert not missing, f"{kind.__name__}: {missing}"


def spoken_of(name: str) -> object:
    """What a method means is said by the protocol, once for all questions, or by a class above."""
    for protocol in (logts.Problem, Comparable, logts.policies.TrackAndStop, logts.problems.Spoken):
        if hasattr(protocol, name):
            return getattr(protocol, name)
    from logts.policies.staged import Staged

    return getattr(Staged, name)
