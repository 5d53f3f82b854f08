"""The gate: decisions, their errors, and ``logts gate``."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betaln, xlog1py, xlogy
from scipy.stats import binom

from logts.integrations.gate import Decision, Gate
from tests.commands import alive, call

pytestmark = pytest.mark.usefixtures("folder")


def ends(n: int, r: int, delta: float) -> tuple[float, float]:
    """Where the evidence of the mixture over all rates comes up to 1/delta, by a root finder of SciPy."""
    line = betaln(r + 0.5, n - r + 0.5) - betaln(0.5, 0.5) - math.log(1.0 / delta)

    def above(p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p) - line)

    low = 0.0 if r == 0 else brentq(above, 1e-300, r / n)
    high = 1.0 if r == n else brentq(above, r / n, 1.0 - 1e-16)
    return low, high


def decided(gate: Gate, outcomes: "np.typing.ArrayLike") -> Gate:
    told = np.asarray(outcomes)
    while (trial := gate.ask()) is not None:
        gate.tell(trial, bool(told[trial]))
    return gate


@pytest.mark.parametrize("rate", [0.4, 0.75, 0.95, 1.0])
@pytest.mark.parametrize("within", [0.0, 0.05])
def test_it_decides_when_the_whole_interval_lies_on_one_side(rate: float, within: float) -> None:
    outcomes = np.random.default_rng(3).random(400) < rate
    expected = Decision.UNDECIDED
    for n in range(1, 401):
        r = int(outcomes[:n].sum())
        low, high = ends(n, r, 0.1)
        if low > 0.8 - within or high < 0.8 + within:
            expected = Decision.PASS if low > 0.8 - within else Decision.FAIL
            break
    gate = decided(Gate(0.8, within=within, delta=0.1, budget=400), outcomes)
    assert (gate.decision, gate.trials, gate.successes) == (expected, n, r)
    assert (gate.rate.low, gate.rate.high) == pytest.approx((low, high), abs=1e-9)


def test_both_errors_together_have_at_most_the_probability_delta() -> None:
    rng = np.random.default_rng(0)
    runs, delta = 200, 0.2
    found = [decided(Gate(0.7, delta=delta, budget=300), rng.random(300) < 0.7).decision for _ in range(runs)]
    # At the rate itself both would be wrong: at most delta in all, but for bad luck of 1 in 10,000.
    wrong = runs - found.count(Decision.UNDECIDED)
    assert 0 < wrong <= binom.ppf(1 - 1e-4, runs, delta)


def test_the_order_of_answers_does_not_matter() -> None:
    outcomes = np.random.default_rng(1).random(200) < 0.95
    alone = decided(Gate(0.8), outcomes)
    gate = Gate(0.8)
    while not gate.over:
        trials = [trial for _ in range(7) if (trial := gate.ask()) is not None]
        for trial in reversed(trials):  # the evidence waits for the earliest
            gate.tell(trial, bool(outcomes[trial]))
    assert gate.facts() == alone.facts()
    assert gate.ask() is None


def test_a_lost_trial_is_no_answer_and_comes_again() -> None:
    gate = Gate(0.5, budget=8)
    for _ in range(3):
        trial = gate.ask()
        assert trial is not None
        gate.abandon(trial)
    decided(gate, [True] * 20)
    assert (gate.decision, gate.trials, gate.lost) == (Decision.PASS, gate.least, 3)
    assert "3 more had no outcome" in gate.summary()


def test_within_the_tolerance_both_are_right_and_it_ends() -> None:
    outcomes = np.random.default_rng(2).random(5000) < 0.8
    exact = decided(Gate(0.8, budget=2000), outcomes)
    assert exact.decision is Decision.UNDECIDED
    assert "both sides of 80% are possible" in exact.summary()
    assert decided(Gate(0.8, within=0.05, budget=2000), outcomes).decision is not Decision.UNDECIDED


@pytest.mark.parametrize(
    ("above", "asked", "sentence"),
    [
        (1.0, {}, "strictly between 0 and 1"),
        (0.9, {"within": 0.2}, "between 0 and 0.1"),
        (0.9, {"delta": 1.0}, "delta is a probability"),
        (0.9, {"budget": 0}, "at least 1"),
        (0.9, {"budget": 52}, "a budget of 52 can never pass: even if every trial succeeds it takes 53"),
    ],
)
def test_what_cannot_be_meant_is_refused(above: float, asked: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Gate(above, **asked)  # type: ignore[arg-type]


def test_an_interval_is_never_shown_narrower_or_on_the_limit() -> None:
    gate = decided(Gate(0.8), [True] * 30)
    assert "between 80.6% and 100.0% (95% sure)" in gate.summary()
    assert gate.rate.low == pytest.approx(ends(24, 24, 0.05)[0])
    assert 0.806 <= gate.rate.low < 0.807


# The command.


def said(word: str) -> list[str]:
    return ["--", "sh", "-c", word]


def test_exit_codes_say_how_it_ended() -> None:
    passed = call("gate", "--above", "0.8", *said("exit 0"))
    assert (passed.exit_code, passed.output) == (
        0,
        "Passed, above 80%: 24 of 24 succeeded; the rate lies between 80.6% and 100.0% (95% sure).\n",
    )
    failed = call("gate", "--above", "0.8", *said("echo 'wrong answer' >&2; exit 1"))
    assert failed.exit_code == 1
    assert "Failed, not above 80%: 0 of 3 succeeded" in failed.output
    assert "The last no said:\n  wrong answer" in failed.output
    undecided = call("gate", "--above", "0.8", "--budget", "30", *said("exit $((LOGTS_TRIAL % 5 == 0))"))
    assert undecided.exit_code == 3
    assert "both sides of 80% are possible: 24 of 30 succeeded" in undecided.output
    assert "--within 3pt" in undecided.output


def test_errors_are_neither_pass_nor_fail() -> None:
    for words, sentence in [
        (
            ["--above", "0.8", "--retries", "0", *said("exit 7")],
            "10 trials in a row ended in errors: exit co",
        ),
        (["--above", "0.8", "--", "./nothing"], "cannot be run"),
        (["--above", "0.8", "--budget", "20", *said("exit 0")], "can never pass"),
        (["--above", "0.8"], "say what to run"),
        (said("exit 0"), "--above"),
        (["--above", "80", *said("exit 0")], "strictly between 0 and 1"),
    ]:
        result = call("gate", *words)
        assert result.exit_code == 2, result.output
        assert sentence in result.output
        assert "Traceback" not in result.output


def test_a_command_that_sometimes_breaks_is_tried_again_and_counted_without() -> None:
    words = ["--above", "0.5", "--retries", "0", *said("exit $((LOGTS_TRIAL % 2 * 7))")]
    result = call("gate", *words)
    assert result.exit_code == 0
    assert "7 of 7 succeeded, 6 more had no outcome" in result.output
    assert "The last trial without an outcome: exit code 7." in result.output


def test_many_at_once_decide_the_same() -> None:
    words = [
        "--above",
        "0.5",
        "--json",
        *said("sleep 0.0$((LOGTS_TRIAL % 3)); exit $((LOGTS_TRIAL % 6 == 0))"),
    ]
    one, four = (json.loads(call("gate", *words[:3], "-j", jobs, *words[3:]).stdout) for jobs in "14")
    assert one == four
    assert one["decision"] == "pass"
    assert one["low"] > 0.5


def test_an_interrupted_gate_says_how_it_stands_and_leaves_nothing_running(folder: Path) -> None:
    program = [
        sys.executable,
        "-c",
        "from logts.cli import main; main()",
        "gate",
        "--above",
        "0.5",
        "-j",
        "2",
    ]
    words = said(f"echo $$ >> {folder}/pids; [ $LOGTS_TRIAL -lt 2 ] || sleep 60")
    process = subprocess.Popen(
        [*program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    end = time.monotonic() + 60.0
    while not Path("pids").exists() or len(Path("pids").read_text().split()) < 4:
        assert time.monotonic() < end
        time.sleep(0.02)
    process.terminate()
    told = process.communicate(timeout=60)[0]
    assert process.returncode == 130
    assert told.startswith("Undecided, so far both sides of 50% are possible: 2 of 2 succeeded")
    assert not any(alive(int(pid)) for pid in Path("pids").read_text().split())


def test_braces_mean_nothing_to_a_gate() -> None:
    assert call("gate", "--above", "0.5", "--", "test", "{x}", "=", "{x}").exit_code == 0


def test_the_summary_is_added_to_the_file_of_the_step(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = folder / "step.md"
    step.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    call("gate", "--above", "0.5", *said("exit 0"))
    call("gate", "--above", "0.5", *said("echo '```<b>'; exit 1"))
    text = step.read_text()
    assert text.startswith(
        "before\n### Gate ✅ passed\n\n```\nsh -c 'exit 0'\n```\n\nPassed, above 50%: 7 of 7"
    )
    assert "### Gate ❌ failed\n\n````\nsh -c" in text  # a longer fence than that in the command
    other = folder / "other.md"
    call("gate", "--above", "0.5", "--summary", str(other), *said("exit 0"))
    assert other.read_text().startswith("### Gate ✅ passed")
    assert step.read_text() == text
    lost = call("gate", "--above", "0.5", "--summary", str(folder / "nowhere" / "x.md"), *said("exit 0"))
    assert lost.exit_code == 0  # the decision stands
    assert "The summary was not written" in lost.output
