"""Workers that make trials until the study is decided: ask, run, tell. All they know is in the journal."""

import contextlib
import functools
import threading
import time
from collections import Counter, deque

from logts.cli.alike import Alike
from logts.cli.trial_command import Ended, TrialCommand
from logts.cli.tries import Tries
from logts.journal import JournalError
from logts.study import Study, Trial
from logts.study.dead import release_of_the_dead
from logts.study.work import HOPELESS, LONGEST, patiently

RECENT = 30.0  # seconds over which the pace is measured


class Crew:
    """Threads that work on a study with a command.

    Parameters
    ----------
    study, command
        What is studied, and what makes a trial.
    jobs
        Trials at a time.
    retries
        How often a trial that ended in an error is tried again before it is abandoned.
    budget
        Trials at most, over the life of the study; None for no limit.
    timeout
        Seconds for a trial, after which the command ends it. Its lease allows for all tries.
    """

    def __init__(
        self,
        study: Study,
        command: TrialCommand,
        *,
        jobs: int,
        retries: int,
        budget: int | None,
        timeout: float,
    ) -> None:
        self.study = study
        self.command = command
        self._tries = Tries(command, retries)
        self._budget = budget
        self._lease = (timeout + LONGEST) * (retries + 1) + 60.0
        self._stop = self._tries.stop
        self._lock = threading.Lock()
        self._ends: deque[float] = deque(maxlen=10_000)
        self._in_a_row = 0
        self._alike = Alike(study)
        self._failures = Counter[str]()
        self._said: dict[str, str] = {}
        self._advised: set[str] = set()
        self.troubles: list[str] = []
        self._told = 0  # of the troubles
        self.failure: Exception | None = None
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]

    def start(self) -> None:
        release_of_the_dead(self.study)
        for thread in self.threads:
            thread.start()

    @property
    def busy(self) -> bool:
        return not self._stop.is_set() and any(thread.is_alive() for thread in self.threads)

    @property
    def pace(self) -> float:
        """Trials a second, lately."""
        now = time.monotonic()
        with self._lock:
            recent = [end for end in self._ends if end > now - RECENT]
        return len(recent) / max(now - recent[0], 1e-9) if len(recent) > 1 else 0.0

    def news(self) -> list[str]:
        """Troubles that have not been asked for yet."""
        new = self.troubles[self._told :]
        self._told += len(new)
        return new

    def stop(self) -> None:
        """End the commands that run and give their trials back."""
        self._tries.end()
        for thread in self.threads:
            if thread.ident is not None:  # it was started
                thread.join()

    def _work(self) -> None:
        try:
            while not self._stop.is_set() and (trial := self._next()) is not None:
                try:
                    self._make(trial)
                except Exception:
                    patiently(functools.partial(self.study.release, trial), threading.Event())
                    raise
        except Exception as error:  # told to the main thread, which stops the others
            self.failure = self.failure or error
            self._stop.set()

    def _next(self) -> Trial | None:
        """The next trial; None once there is none to come. Trials that others have may come back to us."""
        while not self._stop.is_set():
            trials = patiently(lambda: self.study.ask(1, lease=self._lease, up_to=self._budget), self._stop)
            if trials:
                return trials[0]
            spent = self._budget is not None and self.study.asked >= self._budget
            if self.study.verdict is not None or spent:
                return None
            self._stop.wait(0.2)
        return None

    def _make(self, trial: Trial) -> None:
        keep_words = functools.partial(self._keep_words, trial)
        ended = self._tries.make(trial.columns, trial.id, trial.arm, keep_words)
        if ended is None:
            patiently(lambda: self.study.release(trial), threading.Event())
        elif ended.outcome is not None:
            self._tell(trial, ended.outcome, ended.last)
        else:
            self._give_up(trial, ended.trouble, ended.advice)

    def _keep_words(self, trial: Trial, ended: Ended) -> None:
        """Note what a failure said: the first, second, fourth, eighth of each option, if it is news."""
        if ended.outcome or not ended.said:
            return
        with self._lock:
            self._failures[trial.arm] += 1
            count = self._failures[trial.arm]
            if count & (count - 1) or self._said.get(trial.arm) == ended.said:
                return
            self._said[trial.arm] = ended.said
        failed = {"trial": trial.id, "as": "no" if ended.outcome is False else "error", "said": ended.said}
        with contextlib.suppress(JournalError):  # the outcome is more important, and comes next
            self.study.note("failures", {trial.arm: failed})

    def _tell(self, trial: Trial, outcome: bool, last: str = "") -> None:
        self._in_a_row = 0
        try:
            patiently(lambda: self.study.tell(trial, outcome), threading.Event())
        except ValueError as error:  # our lease was over, and somebody else's outcome came first
            self.troubles.append(str(error))
        with self._lock:
            self._ends.append(time.monotonic())
        if self.study.verdict is not None:
            self._stop.set()
            return
        with self._lock:
            warning = self._alike.hear(trial.arm, outcome, last)
        if warning:
            self.troubles.append(warning)

    def _give_up(self, trial: Trial, trouble: str, advice: str = "") -> None:
        try:
            patiently(lambda: self.study.abandon(trial, trouble), threading.Event())
        except ValueError as error:  # our lease was over, and somebody else has its outcome
            self.troubles.append(str(error))
            return
        hint = f" ({advice})" if advice and advice not in self._advised else ""
        self._advised.add(advice)
        self.troubles.append(f"trial {trial.id} ({trial.arm}) given up: {trouble}{hint}")
        self._in_a_row += 1
        if self._in_a_row >= HOPELESS:
            broken = f"{HOPELESS} trials in a row ended in errors: {trouble}"
            other = f"; or {advice}" if advice else ""
            raise ValueError(f"{broken}. Mend the command, then run this again{other}")
