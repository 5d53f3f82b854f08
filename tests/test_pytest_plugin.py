"""``@pytest.mark.logts``, in runs of the real pytest."""

import re

import pytest

pytest_plugins = ["pytester"]

ENDS = """
import pytest
count = {}

def nth(name):
    count[name] = count.get(name, 0) + 1
    return count[name]

@pytest.mark.logts(above=0.8)
def test_good():
    nth("good")

@pytest.mark.logts(above=0.8)
def test_bad():
    print("said in run", nth("bad"))
    assert 0, "broken"

@pytest.mark.logts(above=0.8, budget=30)
def test_close():
    assert nth("close") % 5, "no luck"

@pytest.mark.logts(above=0.8, budget=30, undecided="xfail")
def test_close_but_expected():
    assert nth("expected") % 5

@pytest.mark.logts(above=0.8)
@pytest.mark.xfail
def test_known():
    nth("known")
    assert 0

@pytest.mark.logts(above=0.5, within=0.1, delta=0.01)
class TestAll:
    @pytest.mark.parametrize("i", [1, 2])
    def test_of_a_class(self, i):
        pass

def test_plain():
    assert count == {"good": 24, "bad": 3, "close": 30, "expected": 30, "known": 3}
"""


TORN = "@pytest.fixture\ndef x():\n yield\n assert nth() < {}\ndef test_it(x): pass"


def test_a_test_is_run_until_its_rate_is_known_and_reported_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(ENDS)
    result = pytester.runpytest_inprocess("-rx", "--junitxml=report.xml")
    result.assert_outcomes(passed=4, failed=2, xfailed=2)
    result.stdout.fnmatch_lines(
        [
            "failed, not above 80%: 0 of 3 succeeded; the rate lies between 0.0% and 75.*% (95% sure)",
            "*Last run that failed*",
            "E*broken",
            "said in run 3",
            "undecided, the budget of 30 is spent, and both sides of 80% are possible: 24 of 30 succeeded*",
            "*logts: how often tests pass*",
            "*::test_good: passed, above 80%: 24 of 24 succeeded; *",
            "XFAIL *::test_close_but_expected - undecided, *",
        ]
    )
    assert "said in run 2" not in result.stdout.str()
    told = (pytester.path / "report.xml").read_text()
    assert len(re.findall("<testcase ", told)) == 8
    assert 'name="logts" value="passed, above 80%: 24 of 24 succeeded' in told


def test_fixtures_of_the_test_are_new_in_every_run_and_others_stay(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_one="""
import pytest
from pathlib import Path
log = Path("log")

def note(word):
    with log.open("a") as file:
        file.write(word + " ")

@pytest.fixture(scope="module")
def wide():
    note("up"); yield; note("down")

@pytest.fixture
def own(wide, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "x").touch()
    note("("); yield; note(")")

@pytest.mark.logts(above=0.5)
def test_it(own, monkeypatch, caplog, capsys):
    note("it")
""",
        test_two="""
from pathlib import Path
def test_after():
    assert Path("log").read_text() == "up " + "( it ) " * 7 + "down "
""",
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [
        ("def test_it(): pytest.skip('not here')", {"skipped": 1}),
        ("def test_it(): nth() < 4 or pytest.skip('not here')", {"skipped": 1}),
        ("@pytest.mark.skip\ndef test_it(): pass", {"skipped": 1}),
        ("@pytest.fixture\ndef x(): assert nth() < 4\ndef test_it(x): pass", {"errors": 1}),
        ("@pytest.fixture\ndef x():\n yield\n assert nth() < 4\ndef test_it(x): pass", {"errors": 1}),
        (
            "@pytest.fixture\ndef x():\n yield\n assert nth() < 7\ndef test_it(x): pass",
            {"passed": 1, "errors": 1},
        ),
        ("class Test(unittest.TestCase):\n def test_it(self): self.assertLess(nth(), 99)", {"passed": 1}),
        ("class Test(unittest.TestCase):\n def test_it(self): self.skipTest('x')", {"skipped": 1}),
    ],
    ids=["skip", "skip later", "mark", "error", "torn down", "torn down at the end", "unittest", "its skip"],
)
def test_skips_are_skips_and_errors_are_errors(
    pytester: pytest.Pytester, body: str, outcomes: dict[str, int]
) -> None:
    start = "import pytest, unittest\npytestmark = pytest.mark.logts(above=0.5)\nseen = []\n"
    count = "def nth():\n seen.append(1)\n return len(seen)\n"
    pytester.makepyfile(test_one=start + count + body, test_two="def test_after(): pass")
    told = pytester.runpytest_inprocess()
    told.assert_outcomes(**{**outcomes, "passed": outcomes.get("passed", 0) + 1})


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        ("", "missing 1 required positional argument: 'above'"),
        ("above=2", "strictly between 0 and 1"),
        ("above=0.9, budget=10", "can never pass"),
        ("above=0.9, often=3", "often"),
        ("0.9, undecided='pass'", "undecided is 'fail' or 'xfail'; got 'pass'"),
    ],
)
def test_a_mark_that_cannot_be_meant_is_refused(pytester: pytest.Pytester, mark: str, sentence: str) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.logts({mark})\ndef test_it(): pass")
    result = pytester.runpytest_inprocess("--strict-markers")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*::test_it: @pytest.mark.logts: *{sentence}*"])


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """No other plugins in new processes: to load them takes long."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return "-p", "logts.integrations.pytest_plugin"


def test_workers_of_xdist_tell_counts_and_interval(pytester: pytest.Pytester, alone: tuple[str, str]) -> None:
    pytester.makepyfile(
        """
import pytest
@pytest.mark.logts(above=0.5)
@pytest.mark.parametrize("i", range(4))
def test_it(i):
    assert i
"""
    )
    result = pytester.runpytest_subprocess(*alone, "-p", "xdist", "-n", "2")
    result.assert_outcomes(passed=3, failed=1)
    assert len(re.findall(r"passed, above 50%: 7 of 7 succeeded", result.stdout.str())) == 3
    result.stdout.fnmatch_lines(["failed, not above 50%: 0 of 7 succeeded; *"])


def test_nothing_large_is_loaded_without_a_mark(pytester: pytest.Pytester, alone: tuple[str, str]) -> None:
    pytester.makepyfile(
        """
import sys
def test_it():
    assert "logts.integrations.pytest_plugin" in sys.modules
    assert not {"numpy", "numba", "scipy", "click"} & set(sys.modules)
"""
    )
    pytester.runpytest_subprocess(*alone).assert_outcomes(passed=1)
