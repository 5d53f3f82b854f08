"""One trial with a command: started, tried again after an error, ended when somebody says stop."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from logts.cli.trial_command import Ended, Running, TrialCommand
from logts.study.work import LONGEST


class Tries:
    """Makes trials, in any number of threads at a time.

    Parameters
    ----------
    command
        What makes a trial.
    retries
        How often a trial that ended in an error is tried again.
    """

    def __init__(self, command: TrialCommand, retries: int) -> None:
        self._command = command
        self._retries = retries
        self._lock = threading.Lock()
        self._running: set[Running] = set()
        self.stop = threading.Event()

    def make(
        self, columns: Mapping[str, Any], trial: int, option: str, heard: Callable[[Ended], None]
    ) -> Ended | None:
        """How the last try ended, ``heard`` being told of each; None if it was stopped before its answer."""
        for attempt in range(self._retries + 1):
            running = self._command.start(columns, trial, option)
            with self._lock:
                self._running.add(running)
            if self.stop.is_set():  # perhaps set before we were on the list
                running.end()
            ended = running.wait()
            with self._lock:
                self._running.discard(running)
            if self.stop.is_set() and ended.outcome is None:
                return None
            heard(ended)
            if ended.outcome is not None:
                break
            self.stop.wait(min(0.1 * 2**attempt, LONGEST))
        return ended

    def end(self) -> None:
        """End the commands that run, and start no more."""
        self.stop.set()
        with self._lock:
            running = list(self._running)
        for one in running:
            one.end()
