"""A function that makes trials: what it says counts, what it raises does not, nothing is half told."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import logts
from logts.study import Trial
from logts.study.work import HOPELESS, Work
from tests.servers import TABLE, serving
from tests.studies import ARMS, RATES, begin

QUIET: dict[str, Any] = {"show": False, "retries": 0}


@pytest.fixture
def study() -> logts.Study:
    return begin(
        "memory://run", arms=logts.Arms(names=["a", "b", "c"], columns=[{"x": x} for x in (1, 2, 3)])
    )


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where these tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def often(*rates: float) -> Any:
    rng = np.random.default_rng(3)
    return lambda trial: rng.random() < rates[trial.number]


def noting(made: list[int]) -> Any:
    """Says yes, and writes down which trials were made."""

    def make(trial: Trial) -> bool:
        made.append(trial.id)
        return True

    return make


def test_it_runs_to_the_verdict_in_steps(study: logts.Study) -> None:
    seen: list[Trial] = []
    draw = often(0.1, 0.3, 0.9)

    def make(trial: Trial) -> Any:
        seen.append(trial)
        return draw(trial)

    assert study.run(make, budget=7, **QUIET) is None
    assert study.run(make, budget=7, **QUIET) is None  # it is spent
    assert (study.asked, study.told, len(seen)) == (7, 7, 7)
    assert all(trial.columns["x"] == trial.number + 1 for trial in seen)
    verdict = study.run(make, **QUIET)
    assert verdict is not None
    assert verdict == study.verdict
    assert verdict.answer.text == "best: c"
    assert study.told == len(seen) == verdict.trials
    assert study.run(make, **QUIET) == verdict
    assert study.told == len(seen)
    with pytest.raises(ValueError, match="jobs must be at least 1"):
        study.run(make, jobs=0)
    with pytest.raises(ValueError, match="retries must not be negative"):
        study.run(make, retries=-1)


def test_what_never_worked_is_raised_and_its_trial_given_back(study: logts.Study) -> None:
    def broken(trial: Trial) -> bool:
        raise KeyError("typo")

    with pytest.raises(KeyError, match="typo") as raised:
        study.run(broken, show=False, retries=1)
    assert "trial 0 (" in raised.value.__notes__[0]
    assert (study.asked, study.told, study.abandoned) == (1, 0, 0)
    assert study.ask(1)[0].id == 0  # without waiting for its lease to end


@pytest.mark.parametrize("said", [None, "yes", 2, float("nan"), [True, False]], ids=repr)
def test_what_is_neither_yes_nor_no_is_refused(study: logts.Study, said: Any) -> None:
    with pytest.raises(ValueError, match="outcome"):
        study.run(lambda trial: said, show=False)
    assert (study.told, study.abandoned) == (0, 0)
    assert study.ask(1)[0].id == 0


def test_an_error_is_no_outcome(study: logts.Study) -> None:
    """Every third trial fails, twice: it is tried three times, which works; and every ninth always."""
    tries: dict[int, int] = {}

    def make(trial: Trial) -> np.bool_:
        tries[trial.id] = tries.get(trial.id, 0) + 1
        if trial.id % 9 == 8 or (trial.id % 3 == 2 and tries[trial.id] < 3):
            raise TimeoutError("busy")
        return np.bool_(True)

    with pytest.warns(RuntimeWarning, match="given up: TimeoutError") as warned:
        study.run(make, budget=18, show=False)
    frame = study.to_pandas()
    assert len(warned) == 2
    assert frame["trial"][frame["state"] == "abandoned"].tolist() == [8, 17]
    assert frame["reason"][8] == "TimeoutError('busy')"
    assert frame["outcome"].dropna().tolist() == [1] * 16
    assert [tries[number] for number in (0, 2, 8)] == [1, 3, 3]


def test_ten_errors_in_a_row_end_it(study: logts.Study) -> None:
    def make(trial: Trial) -> bool:
        if trial.id >= 2:
            raise OSError("the network is gone")
        return True

    with pytest.warns(RuntimeWarning, match="given up"), pytest.raises(OSError, match="gone") as raised:
        study.run(make, **QUIET)
    assert f"{HOPELESS} trials in a row" in raised.value.__notes__[0]
    assert (study.told, study.abandoned, study.out) == (2, HOPELESS, 0)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_gives_the_trial_back_that_runs(study: logts.Study) -> None:
    before = signal.getsignal(signal.SIGINT)

    def make(trial: Trial) -> bool:
        if trial.id == 3:
            signal.raise_signal(signal.SIGINT)
        return True

    with pytest.raises(KeyboardInterrupt):
        study.run(make, budget=9, **QUIET)
    assert (study.asked, study.told) == (4, 3)
    assert signal.getsignal(signal.SIGINT) is before
    made: list[int] = []
    study.run(noting(made), budget=6, **QUIET)
    assert made == [3, 4, 5]


@pytest.mark.usefixtures("heard")
def test_ctrl_c_waits_for_what_is_being_written(study: logts.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    tell = study.tell
    ends = []

    def slow(*told: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        tell(*told)
        ends.append(study.told)

    monkeypatch.setattr(study, "tell", slow)
    with pytest.raises(KeyboardInterrupt):
        study.run(lambda trial: True, budget=9, **QUIET)
    assert ends == [1]
    assert (study.asked, study.told, study.out) == (1, 1, 0)


def test_several_at_a_time_keep_to_the_budget(study: logts.Study) -> None:
    three = threading.Barrier(3)

    def make(trial: Trial) -> bool:
        three.wait(timeout=60)  # none of them goes on alone
        return trial.number == 0

    study.run(make, budget=9, jobs=3, show=False)
    assert (study.asked, study.told, study.out) == (9, 9, 0)


@pytest.mark.usefixtures("heard")
def test_several_at_a_time_end_what_they_began_after_ctrl_c(study: logts.Study) -> None:
    begun = threading.Barrier(3)
    over = threading.Event()

    def make(trial: Trial) -> bool:
        begun.wait(timeout=60)
        over.wait(timeout=60)
        return True

    def interrupt() -> None:
        begun.wait(timeout=60)
        os.kill(os.getpid(), signal.SIGINT)
        work._stop.wait(timeout=60)  # it was heard
        over.set()

    work = Work(study, make, budget=9, retries=0)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        work.together(2, None)
    assert (study.asked, study.told, study.out) == (2, 2, 0)


def test_what_fails_in_a_thread_is_raised_here(study: logts.Study) -> None:
    with pytest.raises(ZeroDivisionError):
        study.run(lambda trial: 1 / 0, jobs=2, **QUIET)
    assert study.told == 0
    assert all(until < time.time() for _, _, until in study.waiting)


def test_after_a_kill_the_same_trial_comes_first(tmp_path: Path) -> None:
    file = str(tmp_path / "s.db")
    program = f"""
import os, logts
study = logts.Study.create({file!r}, "s", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm())
study.run(lambda trial: os._exit(9) if trial.id == 4 else trial.arm == "a", show=False)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=tmp_path).returncode == 9
    made: list[int] = []
    with logts.Study.open(file) as study:
        assert (study.told, study.out) == (4, 1)
        study.run(noting(made), budget=6, **QUIET)
        assert made == [4, 5]


def test_a_study_on_a_server_runs_here(tmp_path: Path) -> None:
    (tmp_path / "options.csv").write_text(TABLE)
    with serving(str(tmp_path / "s.db")) as server:
        client = logts.Client.create(
            server.url, "s", arms=tmp_path / "options.csv", names="headline", delta=0.1
        )
        draw = often(0.1, 0.5, 0.95)
        with client:
            assert client.run(draw, budget=5, show=False) is None
            assert client.asked == 5
            verdict = client.run(draw, jobs=2, show=False)
            assert verdict is not None
            assert verdict.answer.text == "best: Good day"
            assert client.told >= verdict.trials


def test_a_model_is_run_like_anything_else() -> None:
    study = begin("memory://model", arms=ARMS)
    verdict = study.run(often(*RATES), show=False)
    assert verdict is not None
    assert verdict.proven
