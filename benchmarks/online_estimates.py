"""The online estimate of ECOLog beside the recursive forecasts of this package: accuracy, and time for each.

Arms on the unit sphere, tried at random. "Excess" is by how much all forecasts together fall short of the
log-likelihood of the best fit in hindsight; without prior knowledge it grows like (d/2) log t. "Distance" is
that of the estimate from the maximum-likelihood one, in the norm of the information: 1 is one standard error.
ECOLog is told S, twice the norm of the true parameter. Writes ``benchmarks/results/online_estimates.md``.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.special import expit

from logts import Arms
from logts.evidence.forecast import Forecaster
from logts.evidence.tally import Tally
from logts.experiments.ecolog import OnlineEstimate
from logts.logistic.fit import maximum_likelihood
from logts.tools.algebra import Array, Indices

TRIALS = 10_000
STOPS = (100, 1_000, TRIALS)  # trials after which the distance is taken
WORLDS = (
    (2, 20, 1.0),
    (5, 50, 2.0),
    (5, 50, 10.0),
    (10, 100, 4.0),
    (20, 200, 4.0),
)  # d, arms, norm of the parameter
NEVER = 1 << 40


class Method(Protocol):
    """What learns from outcomes one after the other."""

    def absorb(self, arms: Indices, outcomes: Array) -> None: ...

    @property
    def logits(self) -> Array: ...

    @property
    def score(self) -> float: ...


class Ours:
    """The forecasts of the package; ``refits`` says whether they are fitted exactly now and then."""

    def __init__(self, arms: Arms, radius: float, *, refits: bool) -> None:
        self._points = arms.points
        self._forecaster = Forecaster(arms.points)
        self._tally = Tally.of_nothing(len(arms))
        self._past = Tally.of_nothing(len(arms))
        if not refits:
            self._forecaster.due = NEVER

    def absorb(self, arms: Indices, outcomes: Array) -> None:
        self._forecaster.absorb(arms, outcomes, self._tally, self._past)

    @property
    def logits(self) -> Array:
        return self._points @ self._forecaster.best

    @property
    def score(self) -> float:
        return self._tally.score


class Ecolog:
    """The online estimate of ECOLog, with the weight of the authors' program or the one we infer."""

    def __init__(self, arms: Arms, radius: float, *, inferred: bool) -> None:
        self._points = arms.features
        self._estimate = OnlineEstimate(self._points, radius, 1.0 / (2.0 + 2.0 * radius) if inferred else 0.5)
        self.score = 0.0

    def absorb(self, arms: Indices, outcomes: Array) -> None:
        self.score += self._estimate.absorb(arms, outcomes)

    @property
    def logits(self) -> Array:
        return self._points @ self._estimate.theta


METHODS: dict[str, Callable[[Arms, float], Method]] = {
    "ours": lambda arms, radius: Ours(arms, radius, refits=True),
    "ours, never refitted": lambda arms, radius: Ours(arms, radius, refits=False),
    "ECOLog, weight 1/2 (the authors' program)": lambda arms, radius: Ecolog(arms, radius, inferred=False),
    "ECOLog, weight 1/(2 + 2S) (inferred)": lambda arms, radius: Ecolog(arms, radius, inferred=True),
}


@dataclass(frozen=True)
class Stream:
    """Arms in the order in which they are tried, and their outcomes."""

    arms: Arms
    tried: Indices
    outcomes: Array

    @classmethod
    def drawn(cls, d: int, count: int, norm: float, seed: int) -> "Stream":
        rng = np.random.default_rng([seed, d])
        x, theta = on_sphere(rng.normal(size=(count, d))), norm * on_sphere(rng.normal(size=(1, d)))[0]
        tried = rng.integers(count, size=TRIALS)
        return cls(Arms(x), tried, rng.random(TRIALS) < expit(x @ theta)[tried])

    def best_fit(self, t: int) -> tuple[Array, Array, float]:
        """Logits of the best fit to the first outcomes, the trials of each arm, and its log-likelihood."""
        n = np.bincount(self.tried[:t], minlength=len(self.arms)).astype(float)
        r = np.bincount(self.tried[:t], self.outcomes[:t], minlength=len(self.arms))
        fit = maximum_likelihood(self.arms.points, n, r)
        return self.arms.points @ fit.theta, n, fit.log_likelihood


def on_sphere(rows: Array) -> Array:
    """Rows of length one."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def run(
    make: Callable[[Arms, float], Method], stream: Stream, radius: float
) -> tuple[list[float], float, float]:
    """Distances at the stops, the excess at the end, and microseconds an outcome."""
    method = make(stream.arms, radius)
    distances = []
    seconds = 0.0
    done = 0
    for stop in STOPS:
        begin = time.perf_counter()
        method.absorb(stream.tried[done:stop], stream.outcomes[done:stop])
        seconds += time.perf_counter() - begin
        done = stop
        logits, n, best = stream.best_fit(stop)
        curvature = n * expit(logits) * expit(-logits)
        distances.append(math.sqrt(curvature @ (method.logits - logits) ** 2))
    return distances, best - method.score, 1e6 * seconds / TRIALS


def rows(d: int, count: int, norm: float, runs: int) -> Iterator[str]:
    """A row for each method in one world; medians, for a best fit may be far off at 100 trials."""
    streams = [Stream.drawn(d, count, norm, seed) for seed in range(runs)]
    for name, make in METHODS.items():
        run(make, streams[0], 2.0 * norm)  # compiled before it counts
        found = [run(make, stream, 2.0 * norm) for stream in streams]
        distances = np.median([one[0] for one in found], axis=0)
        excess = np.array([one[1] for one in found])
        error = excess.std(ddof=1) / math.sqrt(runs)
        cells = " | ".join(f"{distance:.2f}" for distance in distances)
        fastest = min(one[2] for one in found)
        yield f"| {d} | {norm:g} | {name} | {excess.mean():.1f} ± {error:.1f} | {cells} | {fastest:.2f} |"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).with_name("results") / "online_estimates.md"
    )
    options = parser.parse_args()
    stops = " | ".join(f"distance at {stop:,}" for stop in STOPS)
    lines = [
        f"| d | norm | estimate | excess at {TRIALS:,} | {stops} | us an outcome |",
        "|---|---|---|---|" + "---|" * len(STOPS) + "---|",
    ]
    for d, count, norm in WORLDS:
        for line in rows(d, count, norm, options.runs):
            print(line, flush=True)
            lines.append(line)
    floors = ", ".join(
        f"{0.5 * d * math.log(TRIALS):.0f} for d = {d}" for d in sorted({world[0] for world in WORLDS})
    )
    about = (__doc__ or "").split("Writes")[0].strip()
    made = f"Made by `python benchmarks/online_estimates.py --runs {options.runs}`"
    shown = "means with standard errors of the excess, medians of the distance, best times"
    head = f"# Online estimates\n\n{about}\n\n{made}: {shown}. (d/2) log t is {floors}.\n\n"
    options.out.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
