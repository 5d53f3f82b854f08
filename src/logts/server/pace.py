"""How fast callers may call: for each a bucket of requests that fills up again."""

import time
from collections import OrderedDict

from fastapi import HTTPException, Request

from logts.server.settings import Limits

KNOWN = 10_000  # callers that are remembered


class Buckets:
    """A bucket for each caller: so many requests a second, and as many at once."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> bool:
        """Whether there is a request left for this caller."""
        now = time.monotonic()
        left, since = self._left.pop(caller, (self._at_once, now))
        left = min(self._at_once, left + (now - since) * self._per_second)
        self._left[caller] = max(left - 1.0, 0.0), now
        if len(self._left) > KNOWN:
            self._left.popitem(last=False)
        return left >= 1.0


class Pace:
    """Refuses callers who are too fast, and addresses that try tokens."""

    def __init__(self, limits: Limits) -> None:
        self._said = f"at most {limits.pace:,.0f} requests a second: wait a moment, then go on"
        self._requests = Buckets(limits.pace, limits.pace)
        self._guesses = Buckets(limits.guesses / 60.0, limits.guesses)

    def request(self, caller: str) -> str:
        """Why a request is refused; empty if it is not."""
        return "" if self._requests.take(caller) else self._said

    def guess(self, request: Request) -> None:
        """Note a wrong token; an error if this address has sent too many."""
        if not self._guesses.take(request.client.host if request.client else ""):
            raise HTTPException(429, "too many wrong tokens from here: wait a minute", {"Retry-After": "60"})
