"""Threads that make the trials of a gate with a command, and what is shown meanwhile."""

import threading
import time

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from logts.cli.trial_command import Ended, TrialCommand
from logts.cli.tries import Tries
from logts.cli.watching import ENDS, OFTEN, TOLD
from logts.integrations.gate import Gate
from logts.study.work import HOPELESS
from logts.tools.interruptions import Interruptions


class GateCrew:
    """Threads that work on a gate with a command.

    Parameters
    ----------
    gate, command
        What is to be decided, and what makes a trial.
    jobs
        Trials at a time.
    retries
        How often a trial that ended in an error is tried again before it is given up.

    Attributes
    ----------
    last_no
        What the last failure that counted said on stderr.
    trouble
        Why the last trial was given up.
    """

    def __init__(self, gate: Gate, command: TrialCommand, *, jobs: int, retries: int) -> None:
        self.gate = gate
        self.last_no = ""
        self.trouble = ""
        self.failure: Exception | None = None
        self._in_a_row = 0
        self._lock = threading.Lock()
        self._settled = threading.Condition(self._lock)
        self._tries = Tries(command, retries)
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    @property
    def busy(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def stop(self) -> None:
        """End the commands that run."""
        self._tries.end()
        with self._lock:
            self._settled.notify_all()
        for thread in self.threads:
            if thread.ident is not None:
                thread.join()

    def summary(self) -> str:
        """How it stands, in words."""
        with self._lock:
            return self.gate.summary()

    def _work(self) -> None:
        try:
            while (trial := self._next()) is not None:
                ended = self._tries.make({}, trial, "gate", lambda ended: None)
                if ended is not None:
                    self._hear(trial, ended)
        except Exception as error:  # told to the main thread
            self.failure = self.failure or error
            self._tries.stop.set()
            with self._lock:
                self._settled.notify_all()

    def _next(self) -> int | None:
        """The next trial. Who finds the budget given out waits: a trial that is given up comes again."""
        with self._lock:
            while not self._tries.stop.is_set() and not self.gate.over:
                trial = self.gate.ask()
                if trial is not None:
                    return trial
                self._settled.wait()
        return None

    def _hear(self, trial: int, ended: Ended) -> None:
        with self._lock:
            if ended.outcome is None:
                self._give_up(trial, ended)
            else:
                self._in_a_row = 0
                self.gate.tell(trial, ended.outcome)
                if not ended.outcome:
                    self.last_no = ended.said or self.last_no
            self._settled.notify_all()
        if self.gate.over:
            self._tries.end()

    def _give_up(self, trial: int, ended: Ended) -> None:
        self.gate.abandon(trial)
        self.trouble = ended.trouble + (f" ({ended.advice})" if ended.advice else "")
        self._in_a_row += 1
        if self._in_a_row >= HOPELESS:
            raise ValueError(f"{HOPELESS} trials in a row ended in errors: {self.trouble}")


def watch_gate(crew: GateCrew) -> bool:
    """Say on stderr how it goes until it ends; True if it was interrupted."""
    console = Console(stderr=True)
    with Interruptions(ENDS) as interruptions:
        try:
            crew.start()
            with console.status("") as line:
                _look_on(crew, console, line)
            interruptions.heeded = False  # nothing may come between the commands that run and their end
        except KeyboardInterrupt:
            pass  # it came
        finally:
            interruptions.heeded = False
            crew.stop()
    if crew.failure is not None:
        raise crew.failure
    return interruptions.came


def _look_on(crew: GateCrew, console: Console, line: Status) -> None:
    """One line that changes in a terminal, one now and then elsewhere."""
    told = time.monotonic()
    while crew.busy:
        time.sleep(OFTEN)
        if console.is_terminal:
            line.update(escape(crew.summary()))
        elif time.monotonic() > told + TOLD:
            told = time.monotonic()
            click.echo(crew.summary(), err=True)
