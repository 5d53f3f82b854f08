"""The page on usual rules: its figures are what its code prints, and what the benchmark measures."""

import contextlib
import io
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta
from statsmodels.stats.proportion import proportions_ztest

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "usual_rules.py"


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(NUMBER, text)]


def test_what_the_page_shows_is_what_its_code_prints() -> None:
    text = (ROOT / "docs" / "why_usual_rules_fail.md").read_text()
    pairs = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert len(pairs) == 2
    scope: dict[str, object] = {}
    for code, shown in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "page", "exec"), scope)
        told = printed.getvalue()
        assert re.sub(NUMBER, "n", told) == re.sub(NUMBER, "n", shown)
        # Another machine may round a sum otherwise, and a study then end at another look.
        assert numbers(told) == pytest.approx(numbers(shown), rel=0.1)


def test_what_the_page_says_was_measured() -> None:
    """The figures of the first table, in the counts of the benchmark's page."""
    measured = (ROOT / "benchmarks" / "results" / "usual_rules.md").read_text()
    said = (ROOT / "docs" / "why_usual_rules_fail.md").read_text()
    rows = {
        "z-test at 5%, one look": r"z-test at 5% \| once, at 10,000 each \| 0.1 \|.*?: (.*?)%",
        "z-test at 5%, a look every 100 trials": r"z-test at 5% \| every 100 each \| 0.1 \|.*?: (.*?)%",
        '"95% probable to be best", a look every 100 trials': r"best \| every 100 each \| 0.1 \|.*?: (.*?)%",
        "Gaussian plug-in track-and-stop": r"plug-in \| when it likes \| 0.1 \|.*?: (.*?)%",
        "Log-TS": r"Log-TS \| when it likes \| 0.1 \|.*?: (.*?)%",
    }
    for name, pattern in rows.items():
        found = re.search(pattern, measured)
        told = re.search(re.escape(f"| {name} | ") + r"([.\d]+)%", said)
        assert found is not None
        assert told is not None
        digits = len(told.group(1).partition(".")[2])
        assert round(float(found.group(1)), digits) == float(told.group(1))
    plug_in = re.search(r"0.95 and 0.90 \| Gaussian plug-in \| .*?: (\d+)\.", measured)
    assert plug_in is not None
    assert f"| {plug_in.group(1)}% |" in said
    assert "0.95 and 0.90 | Log-TS | 0 of 400" in measured


def test_the_usual_rules_are_what_they_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    made = runpy.run_path(str(SCRIPT))
    rng = np.random.default_rng(0)
    n = np.array([20.0, 100.0, 1000.0] * 10)
    a, b = rng.binomial(n.astype(int), [[0.1], [0.15]]).astype(float)
    a[0] = b[0] = 0.0  # nothing to tell apart
    declared = made["z_test"](a, b, n)
    probability = made["probability_best"](a, b, n)
    assert 0 < declared.sum() < len(n)
    for i in range(len(n)):
        expected = proportions_ztest([a[i], b[i]], [n[i], n[i]])[1] < 0.05 if i else False
        assert declared[i] == expected
        first, second = beta(1 + a[i], 1 + n[i] - a[i]), beta(1 + b[i], 1 + n[i] - b[i])
        peak = second.mean()
        found = quad(lambda x, f=first, g=second: f.cdf(x) * g.pdf(x), 0.0, 1.0, points=[peak], limit=400)[0]
        assert probability[i] == pytest.approx(found, abs=1e-4)


def test_the_benchmark_writes_its_page_and_its_picture(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    picture = tmp_path / "picture.png"
    words = ["--runs", "3", "--studies", "40", "--jobs", "1", "--out", str(page), "--picture", str(picture)]
    subprocess.run([sys.executable, str(SCRIPT), *words], check=True, capture_output=True)
    assert page.read_text().count("\n|") == 2 + 2 * (4 + 3 + 2) + 2 + 8
    assert picture.stat().st_size > 10_000
