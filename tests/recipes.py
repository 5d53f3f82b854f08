"""Recipes of CONTRIBUTING.md as tests try them: the file on the page, put into a folder of the package."""

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from logts.cli.commands import COMMANDS
from logts.journal import STORES
from logts.policies import POLICIES
from logts.problems import QUESTIONS
from logts.reports.pictures import PICTURES
from logts.stopping import RULES
from logts.tools.registry import Registry, discover

GUIDE = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text()
REGISTRIES: tuple[Registry[Any], ...] = (COMMANDS, PICTURES, POLICIES, QUESTIONS, RULES, STORES)

Add = Callable[[ModuleType, str], None]


def recipe(title: str) -> str:
    """The file that a recipe writes."""
    found = re.search(rf"^## {title}\n.*?```python\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    return found.group(1)


@contextmanager
def registries_unchanged() -> Iterator[None]:
    """What is entered meanwhile is gone afterwards."""
    before = [dict(registry) for registry in REGISTRIES]
    try:
        yield
    finally:
        for registry, known in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(known)


@contextmanager
def adding(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Gives what puts a file toy.py into a folder of the package, as far as imports can tell."""
    added = []

    def put(package: ModuleType, text: str) -> None:
        beside = folder / package.__name__
        beside.mkdir()
        (beside / "toy.py").write_text(text)
        patch.setattr(package, "__path__", [*package.__path__, str(beside)])
        importlib.invalidate_caches()
        discover(package.__name__, list(package.__path__))
        added.append(package)

    with registries_unchanged():
        yield put
    for package in added:
        del sys.modules[f"{package.__name__}.toy"]
        del package.toy
