"""A trial, and how it is spoken of: by its id, by its arm, by who makes it."""

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from logts.arms import Arms
from logts.tools.state import record

_TOKEN = secrets.token_hex(4)  # numbers of processes come again, above all in containers


@dataclass(frozen=True)
class Trial:
    """A trial to make: its id, the name and number of its arm, and the columns of that arm."""

    id: int
    arm: str
    number: int
    columns: Mapping[str, Any]


@record
@dataclass(frozen=True)
class Out:
    """A trial whose outcome is still to come: its arm, until when it is leased, and to whom."""

    arm: int
    until: float
    worker: str


def this_worker() -> str:
    """Host, process and a word that is its own, so that others can tell whether it still runs."""
    return f"{socket.gethostname()}:{os.getpid()}:{_TOKEN}"


def find_arm(arms: Arms, arm: str | int) -> int:
    """The number of an arm given by name or number."""
    if isinstance(arm, str) and arm not in arms.names:
        raise ValueError(f"no arm is called {arm!r}")
    number = arms.names.index(arm) if isinstance(arm, str) else int(arm)
    if not 0 <= number < len(arms):
        raise ValueError(f"arm {arm} does not exist: there are {len(arms)} arms, numbered from 0")
    return number
