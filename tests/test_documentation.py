"""Documentation is complete and its examples run."""

import importlib
import inspect
import pkgutil
import re
import runpy
from enum import Enum
from pathlib import Path

import pytest

import logts
from logts.study import fold
from tests.recipes import registries_unchanged

ROOT = Path(__file__).parent.parent
TEXTS = {
    path: path.read_text()
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
}
ALL = "\n".join(TEXTS.values())


@pytest.mark.parametrize("name", [name for name in logts.__all__ if name != "__version__"])
def test_public_names_are_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", ALL)
    assert getattr(logts, name).__doc__


@pytest.mark.parametrize("status", logts.Status)
def test_statuses_are_documented_and_are_sentences(status: Enum) -> None:
    assert f"`{status.name}`" in ALL
    assert str(status).endswith(".")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXTS[path]):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_python_examples_run(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, object] = {"__name__": "example"}
    with registries_unchanged():
        for block in re.findall(r"```python\n(.*?)```", TEXTS[path], re.DOTALL):
            exec(compile(block, str(path), "exec"), scope)
    if path.name == "README.md":
        shown = re.search(r"```\n(best: .*?)```", TEXTS[path], re.DOTALL)
        assert shown is not None
        told, printed = (
            re.sub(r"within [-.0-9e]+", "", text).strip()
            for text in (shown.group(1), capsys.readouterr().out)
        )
        assert printed == told


def test_the_page_of_commands_is_what_they_say() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "commands.py"))
    assert made["PAGE"].read_text() == made["text"](), "run: python docs/commands.py"


def test_events_are_documented() -> None:
    table = TEXTS[ROOT / "docs" / "studies.md"].split("## The journal")[1]
    for kind in re.findall(r"``(\w+)`` \|", fold.__doc__ or ""):
        assert f"| `{kind}` |" in table


@pytest.mark.parametrize("name", [name for name in dir(logts.Study) if not name.startswith("_")])
def test_what_a_study_offers_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXTS[ROOT / "docs" / "studies.md"])
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
    table = TEXTS[ROOT / "docs" / "math.md"].split("## Symbols")[1].split("##")[0]
    sources = owners()
    named = re.findall(
        r"`(\w+)\.(\w+)`",
        "".join(line.split(" | ")[1] for line in table.splitlines() if line.startswith("| `")),
    )
    assert len(named) > 20
    for owner, name in named:
        assert any(re.search(rf"\b{name}\b", source) for source in sources[owner]), f"{owner}.{name}"
