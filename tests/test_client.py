"""The client: the methods of a study, over the wire."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import logts
from logts.client.connection import Server
from logts.journal import open_store
from logts.server.settings import Limits
from logts.server.tokens import Role, Tokens
from tests.servers import TABLE, serving


def test_it_has_what_a_study_has() -> None:
    shown = {name for name in dir(logts.Study) if not name.startswith("_")}
    # What a server does by itself for all of its callers.
    assert shown - {name for name in dir(logts.Client) if not name.startswith("_")} == {"at_once"}


def test_a_study_over_the_wire_is_the_same_as_one_here(tmp_path: Path) -> None:
    db = str(tmp_path / "s.db")
    (tmp_path / "options.csv").write_text(TABLE)
    with serving(db) as server:
        client = logts.Client.create(
            server.url, "a & b?", arms=tmp_path / "options.csv", names="headline", delta=0.1
        )
        assert (client.name, client.where) == ("a & b?", server.url)
        client.tell_history(["Hello", "Hi there"], [True, False])
        client.tell_counts("Hello", 1, 2)
        client.note("source", {"who": "me"})
        client.abandon(client.ask(1), "lost")
        client.release(client.ask(1))
        rng, rates = np.random.default_rng(0), [0.1, 0.5, 0.9]
        while client.verdict is None:
            trials = client.ask(10)
            client.tell(trials, [rng.random() < rates[trial.number] for trial in trials])
        study = logts.Study.open(db, "a & b?")
        verdict = client.verdict
        assert verdict == study.verdict
        assert list(verdict.rates()) == list(study.rates()) == list(client.rates())
        assert trials[0].columns["tone"] in ("plain", "warm", "formal")
        for name in ("confidence", "asked", "told", "abandoned", "progress", "notes", "created"):
            assert getattr(client, name) == getattr(study, name)
        assert len(client.moments) == len(study.moments)
        assert client.summary() == study.summary()
        assert client.arms.names == study.arms.names
        assert (client.counts == study.counts).all()
        assert client.to_pandas().equals(study.to_pandas())
        assert client.events() == study.events()
        assert "Good day" in client.report(tmp_path / "report.html").read_text()
        assert logts.Client.list(server.url) == ["a & b?"]
        with logts.Client.open(server.url) as again:
            assert again.name == "a & b?"
        client.close()


def test_mistakes_are_those_of_a_study(tmp_path: Path) -> None:
    db = str(tmp_path / "s.db")
    with serving(db) as server:
        client = logts.Client.create(server.url, "a", arms=logts.Arms(names=["x", "y"]))
        client.tell(client.ask(), True)
        with pytest.raises(ValueError, match="trial 0 was told yes before, now no: the first outcome stands"):
            client.tell(0, False)
        with pytest.raises(ValueError, match="no trial has the id 9"):
            client.tell(9, False)
        with pytest.raises(ValueError, match="n: "):
            client.ask(0)
        with pytest.raises(ValueError, match="there is no study called 'b'"):
            logts.Client.open(server.url, "b")
        with pytest.raises(ValueError, match="holds a study called 'a' already"):
            logts.Client.create(server.url, "a", arms=[{"n": "x"}, {"n": "y"}])
        with pytest.raises(ValueError, match="give a server a table of options and a formula"):
            logts.Client.create(server.url, "c", arms=logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]))
        with pytest.raises(ValueError, match="a server is known by an address"):
            logts.Client.open("studies.db", "a")
        token = Tokens(open_store(db)).make(Role.READ, studies=None, label="", days=None)
        server.app.state.tokens.refresh()
        with pytest.raises(PermissionError, match="a token is needed"):
            client.ask()
        reader = logts.Client.open(server.url, "a", token=token)
        assert reader.told == 1
        with pytest.raises(PermissionError, match="takes the role answer"):
            reader.ask()
        for one in (client, reader):
            one.close()


def test_a_client_waits_for_a_server_that_was_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logts.client.client.TRIES", 9)  # on a busy machine a server takes long to start
    db = str(tmp_path / "s.db")
    with serving(db) as server:
        client = logts.Client.create(server.url, "a", arms=logts.Arms(names=["x", "y"]))
        (trial,) = client.ask(caller="me")
        url = server.url
    port = int(url.rsplit(":", 1)[1])
    seen: list[int] = []
    asking = threading.Thread(target=lambda: seen.extend(one.id for one in client.ask(caller="me")))
    asking.start()
    time.sleep(0.3)
    with serving(db, port=port):
        asking.join()
        assert seen == [trial.id]
        client.tell(trial, True)
        client.close()
    with pytest.raises(RuntimeError, match="does not answer"):
        logts.Client.open(url, "a")


def test_who_is_too_fast_waits_and_goes_on(tmp_path: Path) -> None:
    with serving(str(tmp_path / "s.db"), limits=Limits(pace=2.0)) as server:
        client = logts.Client.create(server.url, "a", arms=logts.Arms(names=["x", "y"]))
        assert [client.ask()[0].id for _ in range(6)] == [0, 1, 2, 3, 4, 5]  # without a caller: not repeated
        client.close()


def test_a_connection_that_the_server_has_closed_meanwhile_is_not_used_again() -> None:
    closed = threading.Semaphore(0)

    def answer(listening: socket.socket) -> None:
        for _ in range(2):  # as a server does that closes what is idle: without a word before
            connection, _ = listening.accept()
            with connection:
                connection.recv(10_000)
                head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"
                connection.sendall(f'{head}{{"trials":[]}}'.encode())
            closed.release()

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        listening.settimeout(30)
        answering = pool.submit(answer, listening)
        server = Server(f"http://127.0.0.1:{listening.getsockname()[1]}")
        for _ in range(2):
            assert server.post("studies", "a", "ask", n=1) == {"trials": []}  # tried once: it asks for trials
            closed.acquire(timeout=60)
        answering.result(60)
        server.close()
