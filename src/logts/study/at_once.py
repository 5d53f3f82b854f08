"""What several callers ask and tell at the same time, in one append: one wait for the disk serves all."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from logts.journal import Event
from logts.study.fold import NONE, Fold
from logts.study.refused import RefusedError
from logts.study.replay import Replay
from logts.study.trial import Wanted
from logts.tools.algebra import Array, Indices

Told = tuple[Indices, Array]


class Written(NamedTuple):
    """The ids that each ask got, with their arms, and for each tell why it was refused, or None."""

    asked: list[tuple[Indices, Indices]]
    refused: list[RefusedError | None]


def write_at_once(replay: Replay, asks: Sequence[Wanted], tells: Sequence[Told]) -> Written:
    """Write down what was asked and told, then what follows from it."""
    with replay.lock:
        try:
            asked = _write(replay, asks, tells)
            return Written(asked, [None] * len(tells))
        except RefusedError as error:
            if not asks and len(tells) == 1:
                return Written([], [error])
        # Who is refused does not spoil it for the others.
        asked = _write(replay, asks, ()) if asks else []
        refused = [write_at_once(replay, (), [told]).refused[0] for told in tells]
        return Written(asked, refused)


def _write(replay: Replay, asks: Sequence[Wanted], tells: Sequence[Told]) -> list[tuple[Indices, Indices]]:
    given: list[tuple[Indices, Indices]] = []
    found: list[Event] = []

    def decide(fold: Fold) -> list[Event]:
        now = time.time()
        found[:] = fold.found(now) if asks else []
        if found:  # by a process that was killed before it was written down
            return found
        told = _joined(tells)
        made = fold.tell(*told, now) if tells else []  # this may be refused, so it comes first
        given[:] = [(NONE, NONE)] * len(asks)
        if asks and fold.verdict is None:
            asked, ids = fold.ask(asks, now, told[0])
            given[:] = [(one, fold.policy.ledger.arms_of(one)) for one in ids]
            # Before what was told: it was chosen without that.
            made = [*asked, *made]
        return made

    # What is asked follows from what was told: should a power cut take this event, the same ids get the same
    # arms again.
    fold = replay.write(decide, durable=bool(tells))
    if found:
        fold = replay.write(decide, durable=bool(tells))
    if tells:
        write_found(replay, fold)
    return given


def write_found(replay: Replay, fold: Fold) -> None:
    """Write down what follows from the outcomes, an alarm or the verdict: found while nobody waits."""
    if fold.found(0.0):
        replay.write(lambda fold: fold.found(time.time()))


def _joined(tells: Sequence[Told]) -> Told:
    if len(tells) < 2:
        return tells[0] if tells else (NONE, NONE)
    return np.concatenate([ids for ids, _ in tells]), np.concatenate([outcomes for _, outcomes in tells])
