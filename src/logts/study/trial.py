"""A trial, and how it is spoken of: by its id, by its arm, by who makes it."""

import os
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from logts.arms import Arms
from logts.tools.algebra import Indices

_TOKEN = secrets.token_hex(4)  # numbers of processes come again, above all in containers


@dataclass(frozen=True)
class Trial:
    """A trial to make: its id, the name and number of its arm, and the columns of that arm."""

    id: int
    arm: str
    number: int
    columns: Mapping[str, Any]


def this_worker() -> str:
    """Host, process and a word that is its own, so that others can tell whether it still runs."""
    return f"{socket.gethostname()}:{os.getpid()}:{_TOKEN}"


def numbers_of(ids: int | Trial | Iterable[int | Trial]) -> Indices:
    """Ids, given as such or as trials, one or many."""
    listed = [ids] if isinstance(ids, (int, np.integer, Trial)) else list(ids)
    numbers = [item.id if isinstance(item, Trial) else item for item in listed]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ValueError(f"an id is a whole number, as ask gave it; got {number!r}")
        if abs(number) > 2**62:
            raise ValueError(f"no trial has the id {number}: ids come from ask")
    return np.array(numbers, dtype=np.intp)


def find_arm(arms: Arms, arm: str | int) -> int:
    """The number of an arm given by name or number."""
    if isinstance(arm, str) and arm not in arms.names:
        raise ValueError(f"no arm is called {arm!r}")
    number = arms.names.index(arm) if isinstance(arm, str) else int(arm)
    if not 0 <= number < len(arms):
        raise ValueError(f"arm {arm} does not exist: there are {len(arms)} arms, numbered from 0")
    return number
