"""Trials made by a function: asked for, made and told, until the study is decided."""

import contextlib
import signal
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from logts.journal import JournalError
from logts.judge import Verdict
from logts.policies.ledger import checked_outcomes
from logts.study.live import Live
from logts.study.trial import Trial
from logts.tools.interruptions import Interruptions

HOPELESS = 10  # trials given up in a row: what makes them is broken
LONGEST = 5.0  # seconds before a trial that ended in an error is tried again
POLL = 0.2  # seconds between two looks whether others gave a trial back

Make = Callable[[Trial], Any]
T = TypeVar("T")


class Workable(Protocol):
    """What can be worked on: a study here, or one on a server."""

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided."""

    @property
    def asked(self) -> int:
        """How many trials were asked for."""

    def ask(self, n: int = 1, *, up_to: int | None = None) -> Sequence[Trial]:
        """Trials to make."""

    def tell(self, ids: Trial, outcomes: Any) -> None:
        """Report an outcome."""

    def abandon(self, ids: Trial, reason: object = "") -> None:
        """Give a trial up."""

    def release(self, ids: Trial) -> None:
        """Give a trial back."""


class Work:
    """A function that makes the trials of a study, one at a time or in several threads.

    Parameters
    ----------
    study, make
        What is worked on, and what makes a trial.
    budget
        Trials at most, over the life of the study; None for no limit.
    retries
        How often a trial that ended in an error is tried again before it is given up.
    """

    def __init__(self, study: Workable, make: Make, *, budget: int | None, retries: int) -> None:
        self.study = study
        self._make = make
        self._budget = budget
        self._retries = retries
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._worked = False
        self._in_a_row = 0
        self._failure: BaseException | None = None

    def alone(self, live: Live | None) -> None:
        """Make the trials here. Ctrl-C ends a trial that runs, and waits for what is being written."""
        with Interruptions([signal.SIGINT]) as interruptions:

            def kept() -> contextlib.AbstractContextManager[None]:
                return interruptions.kept()

            while True:
                with kept():
                    trial = self._next()
                if trial is None:
                    return
                self._carry_out(trial, kept)
                with kept():
                    _update(live)

    def together(self, jobs: int, live: Live | None) -> None:
        """Make the trials in so many threads. Ctrl-C lets those that run come to their end."""
        threads = [threading.Thread(target=self._in_thread, daemon=True) for _ in range(jobs)]
        with Interruptions([signal.SIGINT]) as interruptions:
            try:
                for thread in threads:
                    thread.start()
                while any(thread.is_alive() for thread in threads):
                    threads[0].join(POLL) if threads[0].is_alive() else self._stop.wait(POLL)
                    with interruptions.kept():
                        _update(live)
            finally:
                self._stop.set()
                interruptions.heeded = True  # another one does not wait for them
                for thread in threads:
                    if thread.ident is not None:  # it was started
                        thread.join()
        if self._failure is not None:
            raise self._failure

    def _in_thread(self) -> None:
        try:
            while not self._stop.is_set() and (trial := self._next()) is not None:
                self._carry_out(trial, contextlib.nullcontext)
        except BaseException as error:  # told to the main thread, which raises it
            with self._lock:
                self._failure = self._failure or error
            self._stop.set()

    def _next(self) -> Trial | None:
        """The next trial; None once there is none to come. Trials that others have may come back to us."""
        while not self._stop.is_set():
            trials = patiently(lambda: self.study.ask(1, up_to=self._budget), self._stop)
            if len(trials):
                return trials[0]
            spent = self._budget is not None and self.study.asked >= self._budget
            if spent or self.study.verdict is not None:
                return None
            self._stop.wait(POLL)
        return None

    def _carry_out(self, trial: Trial, kept: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
        """Make a trial and tell its outcome. Whatever else ends it gives it back, but for errors in a row."""
        try:
            outcome, trouble = self._outcome(trial)
        except BaseException:  # it was interrupted, or said neither yes nor no
            with contextlib.suppress(ValueError):  # its lease was over: it is somebody else's
                self.study.release(trial)
            raise
        with kept():
            if trouble is None:
                self._tell(trial, outcome)
            else:
                self._give_up(trial, trouble)

    def _outcome(self, trial: Trial) -> tuple[Any, Exception | None]:
        """What the function says, or what it raised at every try."""
        for attempt in range(self._retries + 1):
            try:
                said = self._make(trial)
            except Exception as error:
                trouble = error
            else:
                return checked_outcomes([said], 1), None
            if self._stop.wait(min(0.1 * 2**attempt, LONGEST)):
                break
        return None, trouble

    def _tell(self, trial: Trial, outcome: Any) -> None:
        with self._lock:
            self._worked, self._in_a_row = True, 0
        try:
            patiently(lambda: self.study.tell(trial, outcome), threading.Event())
        except ValueError as error:  # our lease was over, and somebody else's outcome came first
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)

    def _give_up(self, trial: Trial, trouble: Exception) -> None:
        """An error is no outcome: the trial is abandoned, unless the function has never worked."""
        with self._lock:
            worked = self._worked
            self._in_a_row += worked
            hopeless = self._in_a_row >= HOPELESS
        what = f"trial {trial.id} ({trial.arm})"
        if not worked:
            self.study.release(trial)
            trouble.add_note(f"logts: {what} was given back. Mend the function and run this again.")
            raise trouble
        self.study.abandon(trial, repr(trouble))
        if hopeless:
            trouble.add_note(f"logts: {HOPELESS} trials in a row ended in errors, {what} at last.")
            raise trouble
        warnings.warn(f"{what} given up: {trouble!r}", RuntimeWarning, stacklevel=2)


def carry_out(
    study: Workable, make: Make, live: Live | None, *, budget: int | None, jobs: int, retries: int
) -> Verdict | None:
    """Let a function make the trials of a study; returns the verdict, None if the budget was spent first."""
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1; got {jobs!r}")
    if retries < 0:
        raise ValueError(f"retries must not be negative; got {retries!r}")
    work = Work(study, make, budget=budget, retries=retries)
    with live or contextlib.nullcontext():
        if jobs == 1:
            work.alone(live)
        else:
            work.together(jobs, live)
    return study.verdict


def patiently(action: Callable[[], T], stop: threading.Event) -> T:
    """Try again for a while if the database is out of reach: an outcome that is known must not be lost."""
    for pause in (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0):
        try:
            return action()
        except JournalError:
            if stop.wait(pause):
                raise
    return action()


def _update(live: Live | None) -> None:
    if live is not None:
        live.update()
