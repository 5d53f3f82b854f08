"""Trials of workers that are no more: given back, so that nobody waits for their leases to end."""

import os
import time
from collections.abc import Iterable
from typing import Protocol

from logts.study.trial import Trial, Waiting, this_worker


class Leasing(Protocol):
    """A study whose trials are out for some time."""

    @property
    def waiting(self) -> Waiting:
        """Trials that are out."""

    def release(self, ids: Iterable[int | Trial]) -> None:
        """Give trials back."""


def release_of_the_dead(study: Leasing) -> None:
    """Give back the trials of processes on this host that are no more."""
    now = time.time()
    gone = [trial for trial, worker, until in study.waiting if until > now and _dead(worker)]
    if gone:
        study.release(gone)


def _dead(worker: str) -> bool:
    """Whether a worker (host, process, a word of its own) ran here and no longer does; False if unknown."""
    host, process, word = [*worker.rsplit(":", 2), "", ""][:3]
    mine = this_worker().rsplit(":", 2)
    if host != mine[0] or not process.isdigit():
        return False
    if process == mine[1]:
        return word != mine[2]  # its number is ours now
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
