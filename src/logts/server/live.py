"""Who listens is told that a journal has grown. The journal is only read: nobody who listens can lock it."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from weakref import WeakKeyDictionary

from fastapi.concurrency import run_in_threadpool
from fastapi.sse import ServerSentEvent

from logts.server.metrics import Metrics
from logts.study import Study
from logts.study.facts import progress_of

EVERY = 0.5  # seconds between two looks at a journal
RETRY = 1_000  # milliseconds after which a browser that lost its connection comes back


class Live:
    """Follows the journals to which somebody listens; all who listen to a study share one look."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._closing = asyncio.Event()
        self._looking: WeakKeyDictionary[Study, asyncio.Lock] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[Study, tuple[float, dict[str, Any]]] = WeakKeyDictionary()

    def close(self) -> None:
        """Let all streams end: browsers come back, to the next server."""
        self._closing.set()

    async def follow(self, study: Study, last: int | None) -> AsyncIterator[ServerSentEvent]:
        """How a study stands, now unless that is what was seen ``last``, and whenever its journal grows."""
        self._metrics.listeners += 1
        try:
            while not self._closing.is_set():
                said = await self._look(study)
                if said["position"] != last:
                    last = said["position"]
                    yield ServerSentEvent(data=said, event="progress", id=str(last), retry=RETRY)
                try:
                    await asyncio.wait_for(self._closing.wait(), EVERY)
                except TimeoutError:
                    continue
        finally:
            self._metrics.listeners -= 1

    async def _look(self, study: Study) -> dict[str, Any]:
        lock = self._looking.setdefault(study, asyncio.Lock())
        async with lock:
            at, said = self._seen.get(study, (-EVERY, {}))
            if time.monotonic() - at >= 0.8 * EVERY:
                said = await run_in_threadpool(progress_of, study)
                self._seen[study] = time.monotonic(), said
            return said
