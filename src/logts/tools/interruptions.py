"""Signals that end what runs, such as Ctrl-C, heard where it can be left and remembered elsewhere."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self


class Interruptions:
    """Signals that end a run: the first that is heeded is a KeyboardInterrupt, more of them change nothing.

    In a thread other than the main one no signal is ever heard: there this does nothing.

    Parameters
    ----------
    signals
        Which ones.

    Attributes
    ----------
    came
        Whether there was one. An exception may get lost on its way; this does not.
    heeded
        Whether the next one counts.
    """

    def __init__(self, signals: Sequence[int]) -> None:
        self._signals = signals if threading.current_thread() is threading.main_thread() else ()
        self._kept = False
        self.came = False
        self.heeded = True

    def __enter__(self) -> Self:
        # What is ignored, as under nohup, stays so.
        heard = [number for number in self._signals if signal.getsignal(number) not in (None, signal.SIG_IGN)]
        self._before = {number: signal.signal(number, self._hear) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, whatever comes is kept; once it is left, it is a KeyboardInterrupt."""
        self._kept = True
        try:
            yield
        finally:
            self._kept = False
        if self.came and self.heeded:
            self.heeded = False
            raise KeyboardInterrupt

    def _hear(self, *_: object) -> None:
        if not self.heeded:
            return
        self.came = True
        if not self._kept:
            self.heeded = False
            raise KeyboardInterrupt
