"""Documentation is complete and its examples run."""

import re
from enum import Enum
from pathlib import Path

import pytest

import logts

ROOT = Path(__file__).parent.parent
TEXTS = {path: path.read_text() for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]}
ALL = "\n".join(TEXTS.values())


@pytest.mark.parametrize("name", logts.__all__)
def test_public_names_are_documented(name: str) -> None:
    assert f"{name}" in ALL
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
    for block in re.findall(r"```python\n(.*?)```", TEXTS[path], re.DOTALL):
        exec(compile(block, str(path), "exec"), scope)
    if path.name == "README.md":
        shown = re.search(r"```\n(best: .*?)```", TEXTS[path], re.DOTALL)
        assert shown is not None
        told, printed = (re.sub(r"within [-.0-9e]+", "", text).strip() for text in (shown.group(1), capsys.readouterr().out))
        assert printed == told
