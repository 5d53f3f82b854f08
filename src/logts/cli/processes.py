"""The end of a command with all that it started.

A process group is not all of it: a child that calls ``setsid`` leaves the group, and one whose parent has
ended belongs to nobody. Where there is ``/proc`` such processes are found by their parents, by their session,
or by a mark in the environment that they inherited.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
ROUNDS = 50  # what is ended may have started something in the meantime
PAUSE = 0.005


@dataclass(frozen=True)
class _Process:
    number: int
    parent: int
    session: int


def end_all(process: "subprocess.Popen[bytes]", mark: str) -> None:
    """End a process that leads a session of its own, with all that it started.

    Parameters
    ----------
    process
        The leader.
    mark
        What it has in its environment, ``NAME=value``, and nobody else.
    """
    sessions = {process.pid}
    for _ in range(ROUNDS):
        found = _started_by(process.pid, sessions, mark.encode())
        if process.returncode is None:  # nobody has waited for it: its number is still its own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.number, signal.SIGKILL)
        if not found:
            break
        sessions |= {one.session for one in found}
        time.sleep(PAUSE)
    process.wait()


def _started_by(leader: int, sessions: set[int], mark: bytes) -> list[_Process]:
    """The leader and what it started, as far as it can be known."""
    alive = {one.number: one for one in _alive()}
    found = {
        one.number
        for one in alive.values()
        if one.number == leader or one.session in sessions or _has(one, mark)
    }
    grown = True
    while grown:
        more = {one.number for one in alive.values() if one.parent in found} - found
        found |= more
        grown = bool(more)
    return [alive[number] for number in found]


def _alive() -> Iterator[_Process]:
    """All processes that run; none where there is no /proc."""
    own = os.getpid()
    for folder in PROC.iterdir() if PROC.is_dir() else ():
        if not folder.name.isdigit() or int(folder.name) == own:
            continue
        try:
            said = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if len(said) > 3 and said[0] not in "ZX":
            yield _Process(int(folder.name), int(said[1]), int(said[3]))


def _has(one: _Process, mark: bytes) -> bool:
    try:
        return mark in (PROC / str(one.number) / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is not ours
        return False
