"""Recorded experiments replayed: does a wrong model ever get a wrong verdict past the guard?

Each recorded experiment is run as it was (every arm at its recorded rate, which no straight logit fits
exactly) and as its twin (every arm at the rate of the fitted model, so that the model is right); by default,
by names alone, and with the model trusted. Counted are verdicts that rest on the model and are wrong, and
what the features saved or cost. Writes ``benchmarks/results/replays.md``.
"""

import argparse
import functools
import itertools
import time
from pathlib import Path

import numpy as np
import pandas as pd

from logts import Arms, BestArm, LogTS, Rates, Recorded, Runs, simulate
from logts.experiments import datasets

DELTA = 0.05
FORMULAS = {
    "electricity_choice": "~ price + contract + supplier",
    "nyc_flights_block_month": "~ block + month",
}


def load(name: str, folder: Path | None) -> tuple[Arms, pd.DataFrame]:
    """A recorded experiment of the package, or of a folder with ``NAME/arms.csv`` and features ``x0``, ..."""
    if name in FORMULAS:
        table = pd.read_csv(datasets.path(name), dtype={"month": str})
        return Arms(table, FORMULAS[name]), table
    table = pd.read_csv((folder or Path()) / name / "arms.csv")
    return Arms(table.filter(regex=r"^x\d+$").to_numpy()), table


def row(name: str, world: str, way: str, runs: Runs) -> str:
    """One line of the table."""
    ends = [(r.basis, r.correct) for r in runs]
    cells = [
        ends.count(("model", True)),
        ends.count(("model", False)),
        ends.count(("model-free", True)),
        ends.count(("model-free", False)),
    ]
    guesses = sum(basis == "guess" for basis, _ in ends)
    middle = np.median([r.samples for r in runs])
    told = [name, world, way, len(runs), *cells, guesses, f"{middle:,.0f}"]
    return f"| {' | '.join(map(str, told))} |"


def main() -> None:
    """Fill the table and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--twins", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=int, default=300_000)
    parser.add_argument("--folder", type=Path, help="further experiments: a folder with NAME/arms.csv")
    parser.add_argument("--also", nargs="*", default=[], help="names of those")
    options = parser.parse_args()
    lines = [
        "| experiment | world | way | runs | by the model: right | wrong | without it: right | wrong | "
        "undecided | median trials |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    begin = time.perf_counter()
    for name in [*FORMULAS, *options.also]:
        arms, table = load(name, options.folder)
        worlds: list[tuple[str, int, Rates | Recorded]] = [
            ("as recorded", options.runs, Recorded(table["successes"], table["trials"])),
            ("straight twin", options.twins, Rates(table["fitted_rate"])),
        ]
        ways = {
            "default": (arms, True),
            "names alone": (Arms(names=arms.names), True),
            "trusted": (arms, False),
        }
        for (world, most, truth), (way, (given, guard)) in itertools.product(worlds, ways.items()):
            policy = functools.partial(LogTS, max_trials=options.budget, guard=guard)
            runs = most if way == "default" else options.runs
            found = simulate(
                policy, given, truth, BestArm(), delta=DELTA, runs=runs, rng=0, jobs=options.jobs
            )
            lines.append(row(name, world, way, found))
            print(lines[-1], flush=True)
    minutes = (time.perf_counter() - begin) / 60
    text = (
        "# Recorded experiments, replayed\n\n"
        f"Best arm, delta = {DELTA}, at most {options.budget:,} trials a run; made by `python "
        "benchmarks/replays.py` in "
        f"{minutes:.0f} minutes on {options.jobs} processes. A twin draws from the fitted model: a verdict "
        "that does not rest on\n"
        "the model is there a false alarm, or the arms' own outcomes sufficed first.\n\n"
    )
    Path(__file__).with_name("results").joinpath("replays.md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
