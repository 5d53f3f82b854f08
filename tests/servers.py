"""Servers of our own that tests call, over the wire."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI

from logts.server.app import make_app
from logts.server.settings import Limits, Settings

TABLE = "headline,tone\nHello,plain\nHi there,warm\nGood day,formal\n"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Serving:
    """A server that runs, and the application in it."""

    url: str
    app: FastAPI

    def call(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Answer:
        """Send a request: a body that is no bytes as JSON, headers with _ for -."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)

    def get(self, path: str, token: str = "", **headers: str) -> Answer:
        return self.call("GET", path, None, token, **headers)

    def post(self, path: str, body: Any = None, token: str = "", **headers: str) -> Answer:
        return self.call("POST", path, {} if body is None else body, token, **headers)

    def begin(self, name: str, **said: Any) -> Answer:
        """Begin a study of three headlines."""
        return self.post("/api/studies", {"name": name, "table": TABLE, "names": "headline"} | said)


@contextmanager
def serving(
    db: str, *, root_path: str = "", limits: Limits | None = None, port: int = 0
) -> Iterator[Serving]:
    """A server in a thread of this process."""
    app = make_app(Settings(db, root_path=root_path, limits=limits or Limits()))
    found = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, args=([found],))
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Serving(f"http://127.0.0.1:{found.getsockname()[1]}", app)
    finally:
        app.state.live.close()
        server.should_exit = True
        thread.join(120)
        found.close()
        assert not thread.is_alive()
