"""Live updates: who lost the connection goes on where they were; a server ends without losing a word."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import logts
from tests.servers import Serving, serving

PROGRAM = [sys.executable, "-m", "logts", "serve"]


@contextmanager
def listening(server: Serving, path: str, **headers: str) -> Iterator[Iterator[dict[str, str]]]:
    """The events of a stream, each by field."""
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    connection.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("text/event-stream")

    def events() -> Iterator[dict[str, str]]:
        fields: dict[str, str] = {}
        for raw in answer:
            line = raw.decode().rstrip("\n")
            if line:
                name, _, text = line.partition(": ")
                fields[name] = text
            elif "data" in fields:
                yield fields
                fields = {}

    try:
        yield events()
    finally:
        connection.close()


def test_a_stream_tells_what_happens_and_goes_on_where_it_was(lasting_url: str) -> None:
    name = f"live {time.time_ns()}"
    path = f"/api/studies/{name.replace(' ', '%20')}/live"
    with serving(lasting_url) as server, serving(lasting_url) as other:
        server.begin(name)
        study = logts.Study.open(lasting_url, name)
        with listening(server, path) as events:
            first = next(events)
            assert (first["event"], first["id"]) == ("progress", "1")
            study.tell(study.ask(4), [1, 0, 1, 1])  # by another process, as it were
            second = next(events)
            said = json.loads(second["data"])
            while said["told"] < 4:
                second = next(events)
                said = json.loads(second["data"])
            assert (said["position"], said["asked"]) == (int(second["id"]), 4) == (3, 4)
        # The connection is lost; meanwhile things happen, and the next server knows of them.
        study.tell(study.ask(2), [1, 0])
        with listening(other, path, Last_Event_ID="3") as events:
            third = next(events)
            assert (third["id"], json.loads(third["data"])["told"]) == ("5", 6)
        begin = time.monotonic()
        with listening(other, path, Last_Event_ID="5") as events:
            threading.Timer(1.0, lambda: study.ask(1)).start()
            assert next(events)["id"] == "6"  # nothing twice
            assert time.monotonic() - begin > 0.9
        assert server.get("/metrics").text.count("logts_listeners") == 2


def start(db: Path, port: int, *words: str) -> subprocess.Popen[str]:
    """A server as people start it, once it answers. It talks to a file: a pipe that nobody reads fills up."""
    given = [*PROGRAM, "--db", str(db), "--port", str(port), *words]
    with _log(db).open("w") as log:
        process = subprocess.Popen(given, stderr=log, text=True)
    end = time.monotonic() + 120
    while "Uvicorn running" not in _log(db).read_text():
        assert process.poll() is None, _log(db).read_text()
        assert time.monotonic() < end, "it did not start"
        time.sleep(0.05)
    return process


def said_until_the_end(process: "subprocess.Popen[str]", db: Path) -> str:
    """All that a server has said, once it has ended."""
    process.wait(120)
    return _log(db).read_text()


def _log(db: Path) -> Path:
    return db.with_suffix(".log")


def test_a_server_that_is_told_to_end_finishes_what_it_began(tmp_path: Path, unused_port: int) -> None:
    process = start(tmp_path / "s.db", unused_port)
    url = f"http://127.0.0.1:{unused_port}"
    client = logts.Client.create(url, "a", arms=logts.Arms(names=["x", "y"]), delta=1e-9)
    told: dict[int, bool] = {}

    def work(caller: str) -> None:
        mine = logts.Client.open(url, "a")
        try:
            while True:
                (trial,) = mine.ask(caller=caller)
                mine._server.post("studies", "a", "tell", ids=trial.id, outcomes=trial.id % 2 == 0)
                told[trial.id] = trial.id % 2 == 0
        except Exception:  # it is gone
            mine.close()

    workers = [threading.Thread(target=work, args=(str(k),)) for k in range(4)]
    for worker in workers:
        worker.start()
    server = Serving(url, None)  # type: ignore[arg-type]  # it runs elsewhere
    with listening(server, "/api/studies/a/live") as events:
        next(events)
        end = time.monotonic() + 120
        while len(told) <= 10 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        list(events)  # the stream ends
    lines = said_until_the_end(process, tmp_path / "s.db")
    assert process.returncode in (0, -signal.SIGTERM), lines
    for worker in workers:
        worker.join()
    client.close()
    study = logts.Study.open(tmp_path / "s.db", "a")
    assert len(told) > 10
    study.tell(list(told), list(told.values()))  # what was acknowledged is known: no other outcome
    frame = study.to_pandas().set_index("trial")
    assert all(frame.outcome[trial] == outcome for trial, outcome in told.items())
    records = [json.loads(line) for line in lines.splitlines()]
    requests: list[dict[str, Any]] = [record for record in records if record["event"] == "request"]
    assert {"time", "level", "method", "path", "status", "ms", "token"} <= set(requests[0])


def test_no_secret_is_logged(tmp_path: Path, unused_port: int) -> None:
    from logts.journal import open_store
    from logts.server.tokens import Role, Tokens

    token = Tokens(open_store(tmp_path / "s.db", create=True)).make(
        Role.READ, studies=None, label="", days=None
    )
    process = start(tmp_path / "s.db", unused_port, "--root-path", "/logts")
    server = Serving(f"http://127.0.0.1:{unused_port}", None)  # type: ignore[arg-type]  # it runs elsewhere
    assert server.get(f"/logts/api/studies?token={token}", token).status == 200
    assert server.get("/api/studies", Cookie=f"logts_token={token}").status == 200
    process.send_signal(signal.SIGINT)
    lines = said_until_the_end(process, tmp_path / "s.db")
    assert token.split("_")[1] in lines  # the public part
    assert token.split("_")[2] not in lines


def test_a_server_does_not_start_where_it_should_not(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "--db", str(tmp_path / "s.db"), "--host", "0.0.0.0"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )
    assert done.returncode == 1
    assert "make the first one with 'logts token make'" in done.stderr
    assert "Traceback" not in done.stderr
