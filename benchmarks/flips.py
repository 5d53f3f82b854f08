"""Flip a bit of a study's file, again and again: does it open whole, or say what is wrong?

A file holds two studies, one of them decided, each with a snapshot. For every flip one random bit of a copy
is changed. Both studies are opened and read from the beginning: whole is a study with all its events, its
name and its state, to the last bit; short is one that opens with anything else. What is said is a sentence,
an error of logts' own; anything else that is raised is a raw error. Then ``logts rescue`` saves what can be
read of the same copy: the events saved must be the first ones of their study, and what it says has to name
what is missing. Writes ``benchmarks/results/flips.md``.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import logts
from logts.cli.app import app
from logts.journal import Event, JournalError, open_store
from logts.study import replay

RATES = np.array([0.3, 0.45, 0.5, 0.75])
WHOLE, SAID, SHORT, RAW = "opens whole", "says what is wrong", "opens short without a word", "raw error"
ALL, SOME, NONE, UNTOLD = "all events", "fewer, and says so", "nothing, and says so", "fewer without a word"

Journals = dict[str, list[Event]]


def make(path: Path) -> tuple[Journals, dict[str, str]]:
    """Two studies in a file: their events, and their states."""
    replay.SNAPSHOT_EVENTS = 60
    arms = logts.Arms([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1]], names=["plain", "bold", "short", "both"])
    rng = np.random.default_rng(0)
    events: Journals = {}
    states: dict[str, str] = {}
    for name, delta in (("headlines", 0.3), ("buttons", 1e-6)):
        study = logts.Study.create(path, name, arms=arms, problem=logts.BestArm(), delta=delta)
        for _ in range(70):
            trials = study.ask(3)
            study.tell(trials, rng.random(len(trials)) < RATES[[trial.number for trial in trials]])
        events[name] = study.events()
        states[name] = state(study)
        study.close()
    return events, states


def state(study: logts.Study) -> str:
    return json.dumps(study._read().state(), sort_keys=True)


def opened(path: Path, events: Journals, states: dict[str, str]) -> str:
    """How the studies of a file open; if they differ, the worst of it."""
    found = {WHOLE}
    for name in events:
        try:
            with logts.Study.open(path, name) as study:
                same = study.events() == events[name] and state(study) == states[name]
            found.add(WHOLE if same else SHORT)
        except Exception as error:
            found.add(_kind(error))
    return max(found, key=[WHOLE, SAID, SHORT, RAW].index)


def rescued(path: Path, new: Path, events: Journals) -> str:
    """What ``logts rescue`` saves, and whether it says so."""
    result = CliRunner().invoke(app, ["rescue", str(path), str(new)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return RAW
    if not new.exists():
        return NONE if result.exit_code == 1 and "can be read" in result.output else UNTOLD
    store = open_store(new)
    saved = {name: store.journal(name).read_from(0) for name in store.names()}
    store.close()
    lines = result.output.splitlines()
    complete = 0
    for name, journal in saved.items():
        whole = journal in events.values()
        complete += whole
        first = any(journal == known[: len(journal)] for known in events.values())
        claimed = any(line.startswith(f"{name}: ") and "all of them" in line for line in lines)
        if not first or (claimed and not whole):
            return UNTOLD
    if complete == len(events):
        return ALL
    told = sum("cannot be read" in line or "not known" in line for line in lines)
    return SOME if told else UNTOLD


def _kind(error: Exception) -> str:
    """A sentence of ours, or whatever else came up."""
    return SAID if type(error) in (JournalError, ValueError) else RAW


def flip(times: int, seed: int, folder: Path) -> tuple[int, Counter[str], Counter[str]]:
    """The size of the file, how often it opened how, and how often it was rescued how."""
    path = folder / "studies.db"
    events, states = make(path)
    whole = path.read_bytes()
    rng = random.Random(seed)
    opening: Counter[str] = Counter()
    rescue: Counter[str] = Counter()
    parts: list[tuple[Counter[str], Callable[[Path], str]]] = [
        (opening, lambda broken: opened(broken, events, states)),
        (rescue, lambda broken: rescued(broken, folder / "rescued.db", events)),
    ]
    for _ in range(times):
        at = rng.randrange(8 * len(whole))
        for counter, part in parts:
            for left in [*folder.glob("broken.db*"), *folder.glob("rescued.db*")]:
                left.unlink()
            broken = folder / "broken.db"
            flipped = bytearray(whole)
            flipped[at // 8] ^= 1 << at % 8
            broken.write_bytes(flipped)
            found = part(broken)
            counter[found] += 1
            if found in (SHORT, RAW, UNTOLD):
                print(f"bit {at}: {found}", file=sys.stderr, flush=True)
    return len(whole), opening, rescue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "flips.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        size, opening, rescue = flip(given.flips, given.seed, Path(folder))
    lines = ["# Flipped bits", "", " ".join((__doc__ or "").split("\n\n")[1].split()), ""]
    lines += [f"{given.flips:,} flips of a file of {size:,} bytes.", ""]
    for title, kinds, counter in (
        ("open", (WHOLE, SAID, SHORT, RAW), opening),
        ("rescue saves", (ALL, SOME, NONE, UNTOLD, RAW), rescue),
    ):
        lines += [f"| {title} | flips |", "|---|--:|", *(f"| {kind} | {counter[kind]:,} |" for kind in kinds)]
        lines += [""]
    lines += [f"Reproduce: `python benchmarks/flips.py --flips {given.flips} --seed {given.seed}`.", ""]
    given.out.write_text("\n".join(lines))
    print("\n".join(lines[4:]))
    sys.exit(1 if any(counter[kind] for counter in (opening, rescue) for kind in (SHORT, RAW, UNTOLD)) else 0)


if __name__ == "__main__":
    main()
