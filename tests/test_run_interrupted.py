"""``logts run`` interrupted, and the trials that the dead left behind."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import logts
from logts.cli.trial_command import TrialCommand
from logts.cli.work import Crew
from logts.journal import JournalError
from logts.study import this_worker
from logts.study.dead import release_of_the_dead
from tests.commands import RUN, alive

pytestmark = pytest.mark.usefixtures("folder")


def start(folder: Path) -> "subprocess.Popen[str]":
    """A run that would take for ever, in a process of its own."""
    program = [sys.executable, "-c", "from logts.cli import main; main()", *RUN, "-j", "3"]
    wait = "test {works} = no || sleep 0.01; sleep 0.03"
    words = [*program, "--", "sh", "-c", f"echo $$ >> {folder}/pids; {wait}; exit $((LOGTS_TRIAL % 2))"]
    return subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # under nohup it would be ignored
    )


def wait_for(trials: int, process: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        try:
            if logts.Study.open("logts.db").counts.sum() >= trials:
                return
        except (ValueError, JournalError):
            pass
        time.sleep(0.05)
    raise AssertionError("nothing happens")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_goes_on_without_loss(folder: Path, how: signal.Signals) -> None:
    made = 0
    for _ in range(2):
        process = start(folder)
        wait_for(made + 5, process)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        study = logts.Study.open("logts.db")
        made = int(study.counts.sum())
        if how is not signal.SIGKILL:
            assert process.returncode == 130, err
            assert "the same command goes on" in out
            assert all(until < time.time() for _, _, until in study.waiting)  # given back
            assert not any(alive(int(pid)) for pid in Path("pids").read_text().split())
        else:
            release_of_the_dead(study)
            assert all(until < time.time() for _, _, until in study.waiting)
    waiting = sorted(trial.id for trial, _, _ in study.waiting)
    assert [trial.id for trial in study.ask(len(waiting) + 1)][: len(waiting)] == waiting
    frame = study.to_pandas()
    assert frame["trial"].tolist() == list(range(len(frame)))
    told = frame[frame["outcome"].notna()]
    assert (told["outcome"] == 1 - told["trial"] % 2).all()


def test_trials_of_the_living_are_left_alone() -> None:
    arms = logts.Arms(names=["a", "b"])
    study = logts.Study.create("x.db", "x", arms=arms, problem=logts.BestArm())
    study.ask(1)
    study.ask(1, worker="elsewhere:1")
    release_of_the_dead(study)
    assert all(until > time.time() for _, _, until in study.waiting)


def test_trials_whose_process_number_came_again_are_given_back() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    host, process, _ = this_worker().rsplit(":", 2)
    study.ask(1, worker=f"{host}:{process}:another")
    study.ask(1)
    release_of_the_dead(study)
    assert [trial.id for trial, _, until in study.waiting if until < time.time()] == [0]
    length = len(study.events())
    release_of_the_dead(study)
    assert len(study.events()) == length


def test_a_lease_that_ends_under_a_worker_does_no_harm() -> None:
    study = logts.Study.create("x.db", "x", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
    command = TrialCommand(["true"], [], shell=False, timeout=9.0)
    crew = Crew(study, command, jobs=1, retries=0, budget=None, timeout=9.0)
    (trial,) = study.ask()
    study.tell(trial, 0)  # by somebody else
    crew._tell(trial, True)
    crew._give_up(trial, "it broke")
    assert len(crew.troubles) == 2
    assert study.counts.sum() == 1
    threads = [threading.Thread(target=crew._make, args=(trial,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not crew._tries._running
