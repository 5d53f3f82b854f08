"""Documentation is complete and its examples run."""

import importlib
import inspect
import pkgutil
import re
import runpy
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest

import logts
from logts.study import fold
from tests.recipes import registries_unchanged

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MADE = [DOCS / "gallery", DOCS / "generated"]  # copies, which `make docs` makes
TEXTS = {
    path: path.read_text()
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    if not any(path.is_relative_to(folder) for folder in MADE)
}
ALL = "\n".join(TEXTS.values())
ROOMS = [logts, logts.planning, logts.plots, logts.policies]


def public(room: ModuleType) -> list[str]:
    """What the reference lists of a room: of policies not what helps to write one."""
    helps = room is logts.policies
    names = [name for name in room.__all__ if room is logts or name not in logts.__all__]
    return [name for name in names if name[:2] != "__" and not (helps and (name.islower() or name.isupper()))]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_public_names_are_in_the_reference(room: ModuleType) -> None:
    listed = set(re.findall(r"^   ([\w.]+)$", (DOCS / "api.rst").read_text(), re.MULTILINE))
    inside = room.__name__.removeprefix("logts").lstrip(".")
    for name in public(room):
        assert f"{inside}.{name}".lstrip(".") in listed


@pytest.mark.parametrize("name", public(logts))
def test_public_names_are_spoken_of(name: str) -> None:
    assert re.search(rf"\b{name}\b", ALL)


@pytest.mark.parametrize("status", logts.Status)
def test_statuses_are_documented_and_are_sentences(status: Enum) -> None:
    assert f"`{status.name}`" in ALL
    assert str(status).endswith(".")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_python_examples_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of a page one after the other; what stands below a block is what it prints."""
    scope: dict[str, object] = {"__name__": "example"}
    with registries_unchanged():
        for block, told in re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```\n)?", TEXTS[path], re.DOTALL):
            exec(compile(block, str(path), "exec"), scope)
            printed = capsys.readouterr().out
            if told:
                assert rounded(printed) == rounded(told)


def rounded(text: str) -> str:
    """Without what may differ in its last digits."""
    return re.sub(r"within [-.0-9e]+", "", text).strip()


def test_the_page_of_commands_is_what_they_say() -> None:
    made = runpy.run_path(str(DOCS / "commands.py"))
    assert made["PAGE"].read_text() == made["text"](), "run: python docs/commands.py"


def test_events_are_documented() -> None:
    table = TEXTS[DOCS / "journal.md"]
    for kind in re.findall(r"``(\w+)`` \|", fold.__doc__ or ""):
        assert f"| `{kind}` |" in table


@pytest.mark.parametrize("name", [name for name in dir(logts.Study) if not name.startswith("_")])
def test_what_a_study_offers_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXTS[DOCS / "studies.md"])
    assert getattr(logts.Study, name).__doc__ or name in ("name", "arms", "problem", "delta")


def owners() -> dict[str, list[str]]:
    """The source of every class and module of the package, by its name."""
    found: dict[str, list[str]] = {}
    for info in pkgutil.walk_packages(logts.__path__, "logts."):
        module = importlib.import_module(info.name)
        found.setdefault(info.name.rsplit(".", 1)[-1], []).append(inspect.getsource(module))
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__.startswith("logts."):
                bases = [base for base in kind.__mro__ if base.__module__.startswith("logts.")]
                found.setdefault(name, []).append("\n".join(inspect.getsource(base) for base in bases))
    return found


def test_every_symbol_names_what_carries_it() -> None:
    """Each ``Owner.name`` of the table of symbols is a name in the source of that class or module."""
    table = TEXTS[DOCS / "math.md"].split("## Symbols")[1].split("##")[0]
    sources = owners()
    named = re.findall(
        r"`(\w+)\.(\w+)`",
        "".join(line.split(" | ")[1] for line in table.splitlines() if re.match(r"\| (\$|smallest)", line)),
    )
    assert len(named) > 20
    for owner, name in named:
        assert any(re.search(rf"\b{name}\b", source) for source in sources[owner]), f"{owner}.{name}"
