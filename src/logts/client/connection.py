"""A server as a client knows it: requests over a connection that stays open, and what they may end in."""

import http.client
import json
import os
import select
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from logts.journal import Decide, Event, JournalError, Store
from logts.study.refused import RefusedError, UnknownTrialError

TRIES = 5  # of a request that can be repeated without harm, while the server is away
TIMEOUT = 60.0  # seconds


class Server(Store):
    """What a client knows of a server: its address, a token, and connections that stay open.

    As a store it can be read and not written: what is asked or told goes through the routes.
    """

    def __init__(self, url: str, *, token: str | None = None, create: bool = False) -> None:
        super().__init__(url.rstrip("/"), create=create)
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"a server is known by an address such as http://127.0.0.1:8000; got {url!r}")
        self._address = parts
        self._token = os.environ.get("LOGTS_TOKEN") if token is None else token
        self._idle: list[http.client.HTTPConnection] = []  # to append and to pop needs no lock

    def get(self, *path: str, **query: Any) -> Any:
        """What a route says."""
        return self._call("GET", path, query, None, tries=TRIES)

    def post(self, *path: str, tries: int = 1, **body: Any) -> Any:
        """What a route says to a body. Only what can be repeated without harm is tried more than once."""
        return self._call("POST", path, {}, body, tries=tries)

    def read_from(self, name: str, position: int) -> list[Event]:
        lines: str = self.get("studies", name, "journal", **{"from": position})
        return [json.loads(line) for line in lines.splitlines()]

    def append(self, name: str, position: int, decide: Decide, *, durable: bool = True) -> None:
        raise JournalError("a journal on a server is written by its server: use ask and tell")

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _call(self, method: str, path: Sequence[str], query: Any, body: Any, tries: int) -> Any:
        address = "/".join([self._address.path, "api", *(quote(part, safe="") for part in path)])
        address += f"?{urlencode(query)}" if query else ""
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        text = None if body is None else json.dumps(body)
        for turn in range(1, max(tries, TRIES) + 1):
            again = turn < tries
            try:
                status, kind, said = self._send(method, address, text, headers)
            except (OSError, http.client.HTTPException) as error:
                trouble = (
                    f"{self.where} does not answer ({str(error) or type(error).__name__}): is it running?"
                )
            else:
                if status < 400:
                    return json.loads(said) if kind == "application/json" else said
                trouble = _detail(said)
                if status not in (429, 503):
                    raise _error(status, said)
                again = again or (status == 429 and turn < TRIES)  # too fast: nothing was done
            if not again:
                break
            time.sleep(0.2 * 2**turn)
        raise JournalError(trouble)

    def _send(self, method: str, address: str, text: str | None, headers: Any) -> tuple[int, str, str]:
        connection = self._connection()
        try:
            connection.request(method, address, text, headers)
            answer = connection.getresponse()
            said = answer.read().decode()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return answer.status, answer.headers.get_content_type(), said

    def _connection(self) -> http.client.HTTPConnection:
        """One that is open. A server closes those that were idle for some seconds: that is a word, too."""
        while self._idle:
            kept = self._idle.pop()
            if kept.sock is not None and not select.select([kept.sock], [], [], 0)[0]:
                return kept
            kept.close()
        return self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        secure = self._address.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self._address.hostname or "", self._address.port, timeout=TIMEOUT)


def _detail(said: str) -> str:
    try:
        return str(json.loads(said)["detail"])
    except (ValueError, KeyError, TypeError):
        return said[:500]


def _error(status: int, said: str) -> Exception:
    """What a study would have raised."""
    if status in (401, 403):
        return PermissionError(_detail(said))
    if status == 409:
        return RefusedError(_detail(said))
    if status == 404 and "trial" in _detail(said):
        return UnknownTrialError(_detail(said))
    return ValueError(_detail(said))
