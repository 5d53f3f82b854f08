"""Trials that can be trusted: what is a no, what a broken command looks like, and its end."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import logts
from logts.cli.alike import FIRST, Alike, AlikeError
from logts.cli.answers import Answers
from tests.commands import NAMED, RUN, alive, call

pytestmark = pytest.mark.usefixtures("folder")
WORKS = ("test", "{works}", "=", "yes")
# It ends with the code that its argument says.
CODE = ("sh", "-c", 'exit "$0"', "{code}")


def counts() -> tuple[int, int, int]:
    """Trials of the study with a yes, with a no, abandoned."""
    frame = logts.Study.open("logts.db").to_pandas()
    return tuple(
        int((frame[c] == v).sum()) for c, v in (("outcome", 1), ("outcome", 0), ("state", "abandoned"))
    )  # type: ignore[return-value]


# Which exit codes are answers.


def test_exit_codes_can_be_chosen() -> None:
    Path("codes.csv").write_text("name,code\na,0\nb,1\nc,3\nd,4\n")
    chosen = ("--yes", "3,4", "--no", "0", "--retries", "0", "--budget", "16")
    result = call("run", "codes.csv", *NAMED, *chosen, "--", *CODE)
    assert result.exit_code == 3, result.output
    frame = logts.Study.open("logts.db").to_pandas()
    told = {name: set(group["outcome"].dropna()) for name, group in frame.groupby("option")}
    assert told == {"a": {0}, "b": set(), "c": {1}, "d": {1}}
    assert set(frame[frame["option"] == "b"]["reason"].dropna()) == {"exit code 1"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--yes", "1"),
            "exit code 1 cannot say both yes and no: it is in --yes and --no, which is 1 unless",
        ),
        (("--no", "0"), "exit code 0 cannot say both yes and no: it is in --yes, which is 0 unless"),
        (("--yes", "0,3", "--no", "1,3"), "exit code 3 cannot say both yes and no: it is in --yes and --no"),
        (("--no", "one"), "'one' are not exit codes, numbers from 0 to 255 such as 1,2"),
        (("--no", "1,"), "'1,' are not exit codes"),
        (("--yes", "-1"), "'-1' are not exit codes"),
        (("--yes", "256"), "'256' are not exit codes"),
    ],
)
def test_exit_codes_that_make_no_sense(words: tuple[str, ...], said: str) -> None:
    result = call(*RUN, *words, "--", *WORKS)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not Path("logts.db").exists()


# What broke has not said no.

BROKEN = {
    "a Python traceback": (sys.executable, "-c", "raise RuntimeError('{works}')"),
    "a Python syntax error": (sys.executable, "broken.py", "{works}"),
    "a missing Python module": (sys.executable, "-m", "no_such_module", "{works}"),
    "a command that was not found": ("sh", "-c", "no-such-program {works} | grep -q yes"),
    "a missing file": ("sh", "-c", "cat no-such-file | grep -q {works}"),
    "a missing permission": ("sh", "-c", "./options.csv {works} || exit 1"),
}


@pytest.mark.parametrize("sign", BROKEN)
def test_a_command_that_broke_has_not_said_no(sign: str) -> None:
    Path("broken.py").write_text("if:\n")
    result = call(*RUN, "--retries", "0", "--", *BROKEN[sign])
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert f"10 trials in a row ended in errors: exit code 1, but with {sign} on stderr:" in said
    assert "or --no 1 counts it as a no anyway" in said
    assert counts() == (0, 0, 10)
    assert call(*RUN, "--no", "1", "--budget", "14", "--", *BROKEN[sign]).exit_code == 3
    assert counts() == (0, 4, 10)


def test_the_advice_is_given_once() -> None:
    result = call(*RUN, "--retries", "0", "--budget", "4", "--", *BROKEN["a Python traceback"])
    assert (
        result.output.count("given up: exit code 1, but with a Python traceback on stderr: RuntimeError") == 4
    )
    assert result.output.count("--no 1 counts it as a no anyway") == 1


@pytest.mark.parametrize(
    ("said", "broken"),
    [
        ("sh: 1: curl: not found", True),
        ("./try.sh: line 3: curl: command not found", True),
        ("./try: 3: curl: not found", True),
        ("sh: curl: not found", True),
        ("zsh: command not found: curl", True),
        ("  + Exception Group Traceback (most recent call last):", True),
        ("log\n  File 'x.py', line 1\nSyntaxError: invalid syntax", True),
        ('Exception in thread "main" java.lang.NullPointerException', True),
        ("Error: no\n    at Object.<anonymous> (/x.js:1:7)\n\nNode.js v20.1.0", True),
        ("Error: object 'x' not found\nExecution halted", True),
        ("", False),
        ("FAILED", False),
        ("GET /page: 404 Not Found", False),
        ("no answer was found in 3 files", False),
        ("2 tests failed: SyntaxErrorTest, TracebackTest", False),
    ],
)
def test_signs_of_a_broken_command(said: str, broken: bool) -> None:
    assert bool(Answers().broken(1, said)) == broken
    assert not Answers().broken(0, said)
    assert not Answers(no=(1,), chosen=True).broken(1, said)


def test_a_traceback_is_found_far_above_the_last_line() -> None:
    program = "import sys, traceback\ntry: 1/0\nexcept Exception: traceback.print_exc()\n"
    program += "print('cleaning up\\n' * 5000, file=sys.stderr)\nsys.exit('{works}' != 'yes')"
    assert call(*RUN, "--retries", "0", "--budget", "9", "--", sys.executable, "-c", program).exit_code == 3
    yes, no, lost = counts()
    assert yes > 0  # a yes is a yes
    assert (no, yes + lost) == (0, 9)


# All options alike.


def test_a_command_that_fails_alike_for_all_options_stops_the_run() -> None:
    words = (
        *RUN,
        "--budget",
        "50",
        "--",
        "sh",
        "-c",
        "echo $0 >> tries; echo server: gone >&2; exit 1",
        "{name}",
    )
    result = call(*words)
    assert result.exit_code == 1
    assert f"the first {FIRST} trials, of 3 options, all said no, each with the same" in result.output
    assert "\n  server: gone\n" in result.output
    assert "run the same command again: it goes on" in result.output.replace("\n", " ")
    assert counts() == (0, FIRST, 0)
    assert call(*words).exit_code == 3
    assert counts() == (0, 50, 0)


def test_yes_to_everything_with_the_same_words_stops_it_too() -> None:
    result = call(*RUN, "--budget", "50", "-j", "3", "--", "sh", "-c", "echo skipped >&2; : {name}")
    assert result.exit_code == 1
    assert "all said yes, each with the same last line on stderr:\n  skipped\n" in result.output


@pytest.mark.parametrize("last", ["", "echo 'no luck with' $LOGTS_TRIAL >&2;"])
def test_an_honest_world_with_low_rates_is_only_warned_about(last: str) -> None:
    result = call(*RUN, "--budget", "30", "--", "sh", "-c", f"{last} exit 1; : {{name}}")
    assert result.exit_code == 3
    assert result.output.count(f"Warning: the first {FIRST} trials, of 3 options, all said no.") == 1
    assert counts() == (0, 30, 0)


def test_one_other_outcome_is_enough() -> None:
    script = "echo same >&2; test $LOGTS_TRIAL = 7; : {name}; test $LOGTS_TRIAL = 7"
    result = call(*RUN, "--budget", "30", "--", "sh", "-c", script)
    assert result.exit_code == 3
    assert "Warning" not in result.output
    assert counts() == (1, 29, 0)


def test_few_options_say_nothing_about_all() -> None:
    names = ["a", "b", "c", "d"]
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=names), problem=logts.BestArm())
    alike = Alike(study)
    for name in ["a", "b"] * FIRST:
        assert not alike.hear(name, False, "the same")
    with pytest.raises(AlikeError, match="of 3 options"):
        alike.hear("c", False, "the same")
    assert not alike.hear("d", False, "the same")  # once is enough


# Nothing is left running.

# A child in a session of its own; and one whose parent has ended.
DAEMONS = """
import os, subprocess, sys, time
def leave():
    with open(sys.argv[1], 'a') as pids:
        pids.write(f'{os.getpid()}\\n')
    time.sleep(120)
if os.fork() == 0:
    os.setsid()
    leave()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        leave()
    os._exit(0)
os.wait()
time.sleep(120)
"""
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")


def gone(count: int) -> bool:
    """Whether so many processes were begun, and none of them runs."""
    pids = Path("pids").read_text().split() if Path("pids").exists() else []
    assert len(pids) >= count
    return not any(alive(int(pid)) for pid in pids)


@ON_LINUX
def test_a_timeout_ends_what_left_the_session() -> None:
    Path("daemons.py").write_text(DAEMONS)
    words = ("--timeout", "1.5", "--retries", "0", "--budget", "2", "-j", "2")
    result = call(*RUN, *words, "--", sys.executable, "daemons.py", "pids", "{name}")
    assert result.exit_code == 3, result.output
    assert "no answer within 1.5 seconds" in result.output
    assert gone(4)


@ON_LINUX
def test_a_timeout_ends_only_its_own_trial() -> None:
    aside = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        script = (
            "setsid sleep 60 & test $LOGTS_TRIAL = 0 && wait; sleep 1; echo $LOGTS_TRIAL >> ended; : {name}"
        )
        words = ("--timeout", "0.7", "--retries", "0", "--budget", "1")
        call(*RUN, *words, "--", "sh", "-c", script)
        assert alive(aside.pid)
    finally:
        aside.kill()
        aside.wait()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signals_in_quick_succession_leave_nothing_running(how: signal.Signals) -> None:
    program = [sys.executable, "-c", "from logts.cli import main; main()", *RUN, "-j", "6"]
    words = [*program, "--", "sh", "-c", "echo $$ >> pids; exec sleep 120; : {name}"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60.0
    while not Path("pids").exists() or len(Path("pids").read_text().split()) < 6:
        assert time.monotonic() < end
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    for _ in range(4):
        process.send_signal(how)
        time.sleep(0.005)
    process.communicate(timeout=30)
    assert process.returncode in (130, -how)  # the last may come after all is done
    assert gone(6)
    study = logts.Study.open("logts.db")
    assert len(study.waiting) == 6
    assert all(until < time.time() for _, _, until in study.waiting)  # given back
