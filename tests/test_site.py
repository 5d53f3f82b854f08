"""The site: every page is in its contents, links lead somewhere, examples run, figures are those measured."""

import re
import shlex
import sys
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from logts.cli.app import app
from tests.test_documentation import DOCS, MADE, ROOT, TEXTS

mpl.use("Agg")
PAGES = TEXTS | {
    path: path.read_text()
    for path in [ROOT / "CHANGELOG.md", *sorted((ROOT / "benchmarks" / "results").rglob("*.md"))]
}
EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("*.py"))


def in_contents(page: Path) -> list[Path]:
    """The pages that the contents on a page name."""
    found = []
    for block in re.findall(r"```\{toctree\}\n(.*?)```", PAGES.get(page, ""), re.DOTALL):
        for entry in block.split():
            if not entry.startswith(":"):
                found += [path for path in page.parent.glob(f"{entry}.*") if path.suffix in (".md", ".rst")]
    return [path.resolve() for path in found]


def test_every_page_is_in_the_contents() -> None:
    """A new page needs its line in a toctree, as in ``docs/index.md``: nobody finds it otherwise."""
    reached, new = set(), [DOCS / "index.md"]
    while new:
        page = new.pop()
        reached.add(page)
        new += [below for below in in_contents(page) if below not in reached]
    pages = {*PAGES, *DOCS.glob("*.rst")} - {ROOT / "README.md"}
    assert pages - reached == set()


def anchors(text: str) -> set[str]:
    """What the headings of a page are called in links."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", PAGES[path]):
        there = (path.parent / target).resolve() if target else path
        if any(there.is_relative_to(folder) for folder in MADE):
            assert target == "gallery/index.rst"  # a link to an example is one to its source
            continue
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(PAGES[there]), f"{target}#{anchor}"


def test_every_picture_is_shown_and_described() -> None:
    shown = re.findall(r"!\[([^\]]+)\]\([^)]*images/([\w.]+)\)", "\n".join(PAGES.values()))
    assert {name for _, name in shown} == {path.name for path in (DOCS / "images").iterdir()}
    assert all(len(words) > 15 for words, _ in shown)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_the_gallery_run_and_draw(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, object] = {"__name__": path.stem}
    sys.modules[path.stem] = sys.modules[__name__]  # dataclasses look up their module
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert len(capsys.readouterr().out) > 100
    drawn = [found for found in scope.values() if isinstance(found, Figure)]
    assert drawn
    for figure in drawn:
        picture = BytesIO()
        figure.savefig(picture)
        picture.seek(0)
        pixels = matplotlib.image.imread(picture)
        assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 50


def test_the_first_study_goes_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its two files are written, its commands called one after the other."""
    page = TEXTS[DOCS / "start.md"]
    for name in ("settings.csv", "try.py"):
        found = re.search(rf"`{name}`:?.*?```\w+\n(.*?)```", page, re.DOTALL)
        assert found is not None
        (tmp_path / name).write_text(found.group(1))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    lines = "".join(re.findall(r"```bash\n(.*?)```", page, re.DOTALL)).splitlines()
    commands = [shlex.split(line, comments=True) for line in lines]
    assert [command[:2] for command in commands] == [
        ["logts", name] for name in ("plan", "run", "status", "report", "export")
    ]
    told = []
    for _, name, *options in commands:
        few = ["-j", "1", "--runs", "40", "--seconds", "0.1"] if name == "plan" else []
        done = CliRunner().invoke(app, [name, *few, *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        told.append(done.output)
    assert "Best: slow | fine." in told[1]
    assert "Best: slow | fine." in told[2]
    assert {"logts.db", "report.html", "trials.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_guarantees_are_those_measured() -> None:
    """The figures of the page on guarantees are the largest of the tables of calibration."""
    measured = PAGES[ROOT / "benchmarks" / "results" / "calibration.md"]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in measured.splitlines() if "|" in line]
    verdicts = [row for row in rows if len(row) == 8 and row[5].isdigit()]
    fair = [row for row in verdicts if row[1] not in ("peeking forecasts", "lost failures")]
    watched = [row for row in rows if len(row) == 11 and row[3].isdigit()]
    wrong = [row for row in watched if row[1] == "wrong"]
    right = [row for row in watched if row[1] == "right"]
    intervals = [row for row in rows if len(row) == 5 and row[2].isdigit()]
    assert (len(fair), len(wrong), len(right), len(intervals)) == (65, 8, 4, 8)
    found = []
    for tie in (True, False):
        for delta in ("0.2", "0.5"):
            mine = [row for row in fair if ("exact tie" in row[0]) == tie and row[2] == delta]
            found.append(max(int(row[6]) for row in mine))
    found.append(max(int(row[5]) for row in wrong))
    found.append(max(int(row[7]) for row in wrong))
    found.append(max(int(row[9]) for row in right))
    found.append(max(int(row[3]) for row in intervals))
    found += [int(row[6]) for row in verdicts if row not in fair]
    told = re.findall(r"\| ([\d,]+) of 3,000 \|$", TEXTS[DOCS / "guarantees.md"], re.MULTILINE)
    assert [int(figure.replace(",", "")) for figure in told] == found


@pytest.mark.parametrize(
    ("page", "heading", "measured"),
    [
        ("docs/log_ts.md", "## Other stopping rules", ["samples"]),
        ("README.md", "## What none of the peers has", ["samples", "league"]),
    ],
)
def test_figures_are_those_measured(page: str, heading: str, measured: list[str]) -> None:
    """Numbers of thousands, and those of a table with digits behind the point."""
    section = TEXTS[ROOT / page].split(heading)[1].split("\n## ")[0]
    tables = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    results = "\n".join(PAGES[ROOT / "benchmarks" / "results" / f"{name}.md"] for name in measured)
    figures = re.findall(r"\b\d{1,3}(?:,\d{3})+\b|\b\d\.\d\d\b", tables)
    assert len(figures) >= 4
    for figure in figures:
        assert re.search(rf"(?<![\d,.]){re.escape(figure)}(?![\d,])", results), figure
