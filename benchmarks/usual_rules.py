"""How often usual rules name the wrong option, and how often this package does.

Two equal options: whoever names a winner is wrong. A two-proportion z-test at 5% and a stop at "95% probable
to be best" (exact, uniform priors) are looked at every so many trials of each option, up to 10,000 of each.
The Gaussian plug-in rule and Log-TS look and share trials as they like, up to as many in all. Two different
options: the last two again, with delta = 0.05 and no limit. Intervals are 95%, of Clopper and Pearson. Writes
``benchmarks/results/usual_rules.md`` and draws ``docs/images/usual_rules.png``.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv
from scipy.stats import binomtest, norm

from logts import Arms, BestArm, LogTS, Policy, Rates, Runs, simulate
from logts.plots.rows import ACCENT, INK, PALE, plain
from logts.policies import GaussianPlugIn
from logts.tools.algebra import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.05
HORIZON = 10_000  # trials of each option
EVERY = (10_000, 1_000, 100, 10)  # trials of each option from look to look
PROBABLE = "95% probable to be best"
DRAWN = 100  # the one of these that is drawn
EQUAL = (0.1, 0.5)
PAIRS = ((0.95, 0.90), (0.10, 0.05), (0.05, 0.03), (0.50, 0.40))
NODES, SHARES = np.polynomial.legendre.leggauss(40)
RULES: dict[str, Callable[..., Policy]] = {"Gaussian plug-in": GaussianPlugIn, "Log-TS": LogTS}
GREEN = "#2a7f62"

Declares = Callable[[Array, Array, Array], Array]


def z_test(a: Array, b: Array, n: Array) -> Array:
    """Whether a two-sided two-proportion z-test tells ``a`` of ``n`` from ``b`` of ``n``."""
    pooled = (a + b) / (2.0 * n)
    error = np.sqrt(pooled * (1.0 - pooled) * 2.0 / n)
    return np.asarray(np.abs(a - b) / n > norm.isf(LEVEL / 2.0) * error)


def probability_best(a: Array, b: Array, n: Array) -> Array:
    """That the second rate is the larger one, after uniform priors: the mean of F_a(F_b^-1(u)) over u."""
    u = 0.5 * (NODES + 1.0)
    x = betaincinv(1.0 + b[:, None], 1.0 + (n - b)[:, None], u)
    return np.asarray(betainc(1.0 + a[:, None], 1.0 + (n - a)[:, None], x) @ (0.5 * SHARES))


def probable(a: Array, b: Array, n: Array) -> Array:
    """Whether one of the two is best with a probability of 95%."""
    return np.asarray(np.abs(probability_best(a, b, n) - 0.5) > 0.5 - LEVEL)


def first_declared(declares: Declares, rate: float, every: int, studies: int) -> Array:
    """Trials of each option at which a winner is first declared between two equal options; or infinity."""
    rng = np.random.default_rng([0, every])
    count = np.zeros((2, studies))
    first = np.full(studies, np.inf)
    for n in range(every, HORIZON + 1, every):
        going = np.flatnonzero(np.isinf(first))
        count[:, going] += rng.binomial(every, rate, size=(2, len(going)))
        declared = declares(count[0, going], count[1, going], np.full(len(going), float(n)))
        first[going[declared]] = n
    return first


def share(wrong: int, of: int) -> str:
    """A percentage with its interval."""
    low, high = binomtest(wrong, of).proportion_ci()
    return f"{wrong:,} of {of:,}: {wrong / of:.1%} ({low:.1%} to {high:.1%})"


@dataclass(frozen=True)
class Measured:
    """All that was measured: when winners were declared among equals, and runs between two that differ."""

    first: dict[str, Array]
    pairs: dict[tuple[float, float], dict[str, Runs]]


def equal(options: argparse.Namespace, measured: Measured) -> Iterator[str]:
    """Winners among equals."""
    yield "| rule | looked at | rate | a winner declared |"
    yield "|---|---|---|---|"
    rules: list[tuple[str, Declares, int, tuple[int, ...]]] = [
        ("z-test at 5%", z_test, options.studies, EVERY),
        (PROBABLE, probable, options.studies // 4, EVERY[:-1]),
    ]
    for name, declares, studies, intervals in rules:
        for every in intervals:
            looked = "once, at 10,000 each" if every == HORIZON else f"every {every:,} each"
            for rate in EQUAL:
                first = first_declared(declares, rate, every, studies)
                if (every, rate) == (DRAWN, EQUAL[0]):
                    measured.first[name] = first
                yield f"| {name} | {looked} | {rate:g} | {share(int(np.isfinite(first).sum()), studies)} |"
    for name, rule in RULES.items():
        for rate in EQUAL:
            make = partial(rule, max_trials=2 * HORIZON)
            runs = compared(make, (rate, rate), options)
            first = np.array([np.inf if row.basis == "guess" else row.samples / 2.0 for row in runs])
            if rate == EQUAL[0]:
                measured.first[name] = first
            yield f"| {name} | when it likes | {rate:g} | {share(int(np.isfinite(first).sum()), len(runs))} |"


def different(options: argparse.Namespace, measured: Measured) -> Iterator[str]:
    """Wrong verdicts between two options that differ, and what they cost."""
    yield "| rates | rule | wrong | trials, mean (standard error) |"
    yield "|---|---|---|---|"
    for pair in PAIRS:
        measured.pairs[pair] = {name: compared(rule, pair, options) for name, rule in RULES.items()}
        for name, runs in measured.pairs[pair].items():
            samples = np.array([row.samples for row in runs])
            error = samples.std(ddof=1) / np.sqrt(len(runs))
            cost = f"{samples.mean():,.0f} ({error:,.0f})"
            yield f"| {pair[0]:.2f} and {pair[1]:.2f} | {name} | {share(wrong(runs), len(runs))} | {cost} |"


def compared(make: Callable[..., Policy], rates: tuple[float, float], options: argparse.Namespace) -> Runs:
    """Runs of a policy that knows two options by name alone."""
    world = (Arms(names=["first", "second"]), Rates(rates), BestArm())
    return simulate(make, *world, delta=LEVEL, runs=options.runs, rng=0, jobs=options.jobs)


def wrong(runs: Runs) -> int:
    return sum(not row.correct for row in runs)


def draw(measured: Measured, picture: Path) -> None:
    """Equal options on the left, different ones on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
    draw_equal(left, measured.first)
    draw_different(right, measured.pairs)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)


def draw_equal(axes: "Axes", first: dict[str, Array]) -> None:
    """The share of studies of two equal options that have named a winner, as trials go on."""
    looks = np.unique(np.round(np.geomspace(10, HORIZON, 400)))
    looked = f"looked at every {DRAWN}"
    lines = [  # and where each is named
        ("Gaussian plug-in", "Gaussian plug-in track-and-stop", INK, "-", (110, 59.5), "left"),
        (PROBABLE, f"“{PROBABLE}”,\n{looked}", ACCENT, "--", (1_250, 42), "right"),
        ("z-test at 5%", f"z-test at 5%,\n{looked}", ACCENT, "-", (9_300, 13), "right"),
        ("Log-TS", "Log-TS (this package)", GREEN, "-", (9_300, -3.4), "right"),
    ]
    for name, label, colour, line, at, side in lines:
        reached = [100.0 * np.mean(first[name] <= look) for look in looks]
        axes.plot(looks, reached, line, color=colour, lw=2.0)
        axes.text(*at, label, ha=side, color=colour)
    axes.axhline(100.0 * LEVEL, color=PALE, lw=1.2)
    axes.text(9_300, 6.2, "5%: what each is meant to keep", ha="right", color=INK, fontsize=9)
    axes.set(xscale="log", xlim=(10, HORIZON), ylim=(-5.0, 65.0), xlabel="trials of each option")
    axes.set_yticks(range(0, 61, 10))
    axes.set_ylabel("studies that have named a “winner”, %")
    title = f"Two equal options ({EQUAL[0]:.0%}): every winner is a mistake"
    axes.set_title(title, loc="left", color=INK, fontsize=12)
    plain(axes, "y")


def draw_different(axes: "Axes", pairs: dict[tuple[float, float], dict[str, Runs]]) -> None:
    """Shares of wrong verdicts with their intervals, a group for each pair."""
    colours = {"Gaussian plug-in": INK, "Log-TS": GREEN}
    for side, (name, colour) in enumerate(colours.items()):
        for place, runs in enumerate(found[name] for found in pairs.values()):
            mistakes = wrong(runs)
            low, high = binomtest(mistakes, len(runs)).proportion_ci()
            value = mistakes / len(runs)
            at = place + 0.36 * side - 0.18
            axes.bar(at, 100.0 * value, 0.32, color=colour, label=name if place == 0 else None)
            axes.plot([at, at], [100.0 * low, 100.0 * high], color=PALE, lw=2.0)
            axes.text(at, 100.0 * high + 0.6, f"{mistakes}", ha="center", color=colour, fontsize=9)
    axes.axhline(100.0 * LEVEL, color=PALE, lw=1.2)
    axes.set_xticks(range(len(pairs)), [f"{a:.0%} and {b:.0%}" for a, b in pairs])
    axes.set(ylim=(0.0, 40.0), ylabel="verdicts for the worse one, %")
    studies = len(next(iter(pairs.values()))["Log-TS"])
    axes.set_title(f"Two different options: wrong of {studies} studies", loc="left", color=INK, fontsize=12)
    axes.legend(frameon=False, loc="upper right", fontsize=9)
    plain(axes, "y")


def main() -> None:
    """Measure, write the page and draw the picture."""
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of the Gaussian plug-in rule and of Log-TS")
    parser.add_argument("--studies", type=int, default=8_000, help="of two equal options, for other rules")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=here / "results" / "usual_rules.md")
    parser.add_argument("--picture", type=Path, default=here.parent / "docs" / "images" / "usual_rules.png")
    options = parser.parse_args()
    measured = Measured({}, {})
    parts = []
    for title, table in (("Two equal options", equal), ("Two different options", different)):
        lines = []
        for line in table(options, measured):
            print(line, flush=True)
            lines.append(line)
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    about = (__doc__ or "").split("Writes")[0].strip()
    made = f"Made by `python benchmarks/usual_rules.py --runs {options.runs} --studies {options.studies}`."
    options.out.write_text(f"# Usual rules\n\n{about} {made}\n\n" + "\n\n".join(parts) + "\n")
    draw(measured, options.picture)


if __name__ == "__main__":
    main()
