"""``@pytest.mark.logts(above=0.9)``: a test that has to pass more often than a rate, run until that is known.

Every run is a whole one: fixtures of the test itself are set up and torn down each time, those of wider scope
stay. A failure of the test is a no; an error in a fixture is an error and a skip is a skip, as without the
mark, and ends it. The test is reported once.

This file is loaded whenever pytest starts: what it needs is imported when a test has the mark.
"""

import copy
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from logts.integrations.gate import Gate

MARK = "logts"
RUNS = "logts-runs"
LINE = (
    "logts(above, within=0, delta=0.05, budget=1000, undecided='fail'): run the test until it is proven that "
    "it passes more often than this rate, or not; what is undecided when the budget is spent fails, or is an "
    "expected failure ('xfail')."
)
UNDECIDED = ("fail", "xfail")
LAST = "Last run that failed"


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", LINE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse marks that cannot be meant, before any test is run."""
    marked = [item for item in items if item.get_closest_marker(MARK)]
    for item in marked:
        _gate_of(item)
    if marked and not config.pluginmanager.has_plugin(RUNS):
        config.pluginmanager.register(Runs(), RUNS)


def pytest_terminal_summary(terminalreporter: "TerminalReporter") -> None:
    """A line for each of these tests: counts, and the interval of the rate."""
    reports = (report for reports in terminalreporter.stats.values() for report in reports)
    told = [
        (report.nodeid, said)
        for report in reports
        for name, said in getattr(report, "user_properties", ())
        if name == MARK and report.when == "call"
    ]
    if told:
        terminalreporter.section("logts: how often tests pass")
        for nodeid, said in told:
            terminalreporter.write_line(f"{nodeid}: {said}")


class Runs:
    """Runs the tests that have the mark; registered if there are any."""

    def __init__(self) -> None:
        self._said: bool | None = None  # what the last call was, whatever marks such as xfail make of it

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run the test until its gate is decided."""
        if item.get_closest_marker(MARK) is None:
            return None
        where = {"nodeid": item.nodeid, "location": item.location}
        item.ihook.pytest_runtest_logstart(**where)
        for report in self._reports(item, nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(**where)
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Any:
        """Look whether the test itself failed."""
        if call.when == "call":
            self._said = call.excinfo is None
        return (yield)

    def _reports(self, item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
        """Those of the last run, in which the call says what all of them said together."""
        gate, undecided = _gate_of(item)
        properties = list(item.user_properties)
        # To a test beside it everything is torn down that is its own, and nothing else.
        beside = copy.copy(item)
        failure: pytest.TestReport | None = None
        seconds = 0.0
        while True:
            item.user_properties[:] = properties
            run = _Run(item)
            call = run.begin()
            goes_on = False
            if call is not None:
                seconds += call.duration
                gate.tell(_next(gate), bool(self._said))
                failure = failure if self._said else call
                goes_on = not (gate.over or item.session.shouldstop or item.session.shouldfail)
                if not goes_on:
                    item.user_properties.append((MARK, gate.summary()))
                    run.reports[-1] = _together(item, gate, undecided, failure, seconds)
            if not run.end(beside if goes_on else nextitem) and goes_on:
                del run.reports[1]  # an error when torn down: it is neither a yes nor a no
                return run.reports + run.end_all(nextitem)
            if not goes_on:
                return run.reports


class _Run:
    """One run of a test: what pytest does with every test, but reports are kept and not told."""

    def __init__(self, item: pytest.Item) -> None:
        self._item: Any = item
        self.reports: list[pytest.TestReport] = []

    def begin(self) -> pytest.TestReport | None:
        """Set up and call; the report of the call, if it is an answer."""
        item = self._item
        item._report_sections.clear()
        if not getattr(item, "_request", True):
            item._initrequest()
        if not self._make("setup").passed or item.config.getoption("setuponly", False):
            return None
        call = self._make("call")
        return None if call.skipped and not hasattr(call, "wasxfail") else call

    def end(self, nextitem: pytest.Item | None) -> bool:
        """Tear down; whether that went well."""
        session = self._item.session
        then = None if session.shouldfail or session.shouldstop else nextitem
        report = self._make("teardown", nextitem=then)
        if hasattr(self._item, "_request"):
            self._item._request = False
            self._item.funcargs = None
        return report.passed

    def end_all(self, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
        """Tear down what the next test does not need, after an error; what goes wrong here as well."""
        state = self._item.session._setupstate
        call = pytest.CallInfo.from_call(lambda: state.teardown_exact(nextitem), "teardown")
        made = self._item.ihook.pytest_runtest_makereport(item=self._item, call=call)
        return [made] if made.failed else []

    def _make(self, when: Any, **how: Any) -> pytest.TestReport:
        from _pytest.runner import call_and_report

        report = call_and_report(self._item, when, log=False, **how)
        self.reports.append(report)
        return report


def _together(
    item: pytest.Item, gate: "Gate", undecided: str, failure: pytest.TestReport | None, seconds: float
) -> pytest.TestReport:
    """The report of all calls: passed, failed with what the last failure said, or an expected failure."""
    from logts.integrations.gate import Decision

    words = gate.summary()

    def say() -> None:
        if gate.decision is Decision.UNDECIDED and undecided == "xfail":
            pytest.xfail(words)
        if gate.decision is not Decision.PASS:
            pytest.fail(words, pytrace=False)

    call = pytest.CallInfo.from_call(say, "call")
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    report.duration = seconds
    if failure is not None and not report.passed:
        report.sections = [(LAST, failure.longreprtext), *failure.sections]
    return report


def _next(gate: "Gate") -> int:
    trial = gate.ask()
    if trial is None:
        raise RuntimeError("a gate that is over is not asked")
    return trial


def _gate_of(item: pytest.Item) -> tuple["Gate", str]:
    """The gate that the mark of a test describes, and what becomes of it if it is undecided."""
    from logts.integrations.gate import Gate

    mark = item.get_closest_marker(MARK)
    asked = dict(mark.kwargs) if mark is not None else {}
    undecided = asked.pop("undecided", UNDECIDED[0])
    try:
        if undecided not in UNDECIDED:
            raise ValueError(f"undecided is 'fail' or 'xfail'; got {undecided!r}")
        return Gate(*(mark.args if mark is not None else ()), **asked), undecided
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{MARK}: {error}") from error
