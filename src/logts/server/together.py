"""Asks and tells of one study that arrive at the same time share one commit.

While one batch is being written, in a thread, the next one gathers. Nobody waits for a clock: a caller who is
alone is served at once, and the more there are, the more share a wait for the disk.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from fastapi.concurrency import run_in_threadpool

from logts.server.metrics import Metrics
from logts.study import Study
from logts.study.at_once import Told
from logts.study.trial import Trials, Wanted

S = TypeVar("S")
T = TypeVar("T")


@dataclass
class _Request(Generic[S, T]):
    """What somebody says, and where the answer goes."""

    said: S
    answer: "asyncio.Future[T]"

    def give(self, answer: T) -> None:
        if not self.answer.done():  # who asked may have gone
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass
class _Batch:
    """What was asked and told while the batch before was written."""

    asks: list[_Request[Wanted, Trials]] = field(default_factory=list)
    tells: list[_Request[Told, None]] = field(default_factory=list)

    def write(self, study: Study) -> tuple[list[Trials], list[Exception | None]]:
        """Write all of it."""
        trials, refused = study.at_once([one.said for one in self.asks], [one.said for one in self.tells])
        return trials, [*refused]

    def fail(self, error: Exception) -> None:
        """Tell all that it could not be written."""
        for ask in self.asks:
            ask.fail(error)
        for tell in self.tells:
            tell.fail(error)


class Together:
    """Gathers what is asked and told of each study."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._next: WeakKeyDictionary[Study, _Batch] = WeakKeyDictionary()  # while one is being written
        self._writing: set[asyncio.Task[None]] = set()

    async def ask(self, study: Study, wanted: Wanted) -> Trials:
        """Trials to make, once they are written down."""
        request = _Request(wanted, asyncio.get_running_loop().create_future())
        self._batch(study).asks.append(request)
        trials = await request.answer
        self._metrics.counts["asked"] += len(trials)
        return trials

    async def tell(self, study: Study, told: Told) -> None:
        """Outcomes, on disk on return."""
        request: _Request[Told, None] = _Request(told, asyncio.get_running_loop().create_future())
        self._batch(study).tells.append(request)
        await request.answer
        self._metrics.counts["told"] += len(told[0])

    async def finish(self) -> None:
        """Wait until all that was begun is written."""
        while self._writing:
            await asyncio.gather(*self._writing, return_exceptions=True)

    def _batch(self, study: Study) -> _Batch:
        """The batch that is written next; if none is being written, soon."""
        batch = self._next.get(study)
        if batch is None:
            batch = self._next[study] = _Batch()
            task = asyncio.create_task(self._write(study))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return batch

    async def _write(self, study: Study) -> None:
        """Write batch after batch until nobody waits."""
        while (batch := self._next[study]).asks or batch.tells:
            self._next[study] = _Batch()
            self._metrics.counts["commits"] += 1
            try:
                trials, refused = await run_in_threadpool(batch.write, study)
            except Exception as error:
                batch.fail(error)
                continue
            for ask, given in zip(batch.asks, trials, strict=True):
                ask.give(given)
            for tell, why in zip(batch.tells, refused, strict=True):
                tell.give(None) if why is None else tell.fail(why)
        del self._next[study]
