"""The page of ``speed.py``: tables, pictures, and what has changed since the last entries of its history."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.lines
import matplotlib.ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

mpl.use("Agg")

HISTORY = Path(__file__).with_name("results") / "speed.jsonl"
DIMENSION = 5
SHOWN = 5  # entries of the history, at most
CHANGED = 0.15  # beyond which a change is marked; less is noise
COLOURS = {
    "logts": "#0b6e4f",
    "logts, forecast, no guard": "#6fb98f",
    "plain NumPy": "#b5651d",
    "pseudo-code": "#8b1e3f",
}
Found = dict[str, Any]


def write_page(history: Sequence[Found], folder: Path) -> None:
    """Write ``speed.md`` and its pictures for the last entry."""
    last = history[-1]
    _steps_picture(last).savefig(folder / "speed-steps.png", dpi=140)
    _arms_picture(last).savefig(folder / "speed-arms.png", dpi=140)
    cut = (
        " Small sizes only: `--quick`."
        if last["quick"]
        else " Plain NumPy and the pseudo-code end at 1,000 arms: their designs hold matrices of K x K."
    )
    parts = [
        "# How fast it is",
        f"Made by `make bench` on {last['date']} with logts {last['version']}, {last['made with']}, one "
        f"thread, in {last['minutes']:.0f} minutes. Every figure is the best of some repetitions in turns."
        f"{cut} To write the page of the last run again: `python benchmarks/speed.py --page`.",
        "## Since the last entries",
        _changes(history),
        "## Microseconds a sample",
        "Best arm, delta = 0.1, arms uniform on the sphere, theta of norm 2; whole runs, drawing outcomes "
        f"included, {last['trials']:,} trials. Where time ran out, their number is given: the first of a "
        "run, between which the evidence is looked at most often, and not to be compared with others. "
        "As trials grow: an endless study of three arms in the plane, told "
        "500 outcomes at a time. *Forecast, no guard* is the rule that plain NumPy follows, one trial after "
        "the other. *Pseudo-code* fits, designs and tests anew at every step; with the history each "
        "takes longer.",
        "![Microseconds a sample against dimensions, arms and trials](speed-steps.png)",
        _steps_table(last),
        "## Designs and memory",
        f"To a certified gap of 0.001, d = {DIMENSION}. *Beside a copy*: the time over that of reading the "
        "features as often as there were scans, at the speed of a copy. Memory is what a study holds after "
        "three looks, and its peak; the features themselves belong to whoever made the arms.",
        "![Time and scans of designs, memory, against arms](speed-arms.png)",
        _arms_table(last),
        "## Beside what the machine could do",
        _limits(last),
        "## The first start",
        _table(["", "seconds"], [[name, f"{value:.2f}"] for name, value in last["starts"].items()]),
        "`logts compile` compiles ahead, in two processes.",
        "## Where the time goes",
        "The three slowest rows of *microseconds a sample*: functions by their own time, that of compiled "
        "code and of operators of NumPy in it.",
        *[f"**{name}**\n\n{_profile(shares)}" for name, shares in last["profiles"].items()],
    ]
    (folder / "speed.md").write_text("\n\n".join(part for part in parts if part) + "\n")


def figures(found: Found) -> dict[str, float]:
    """What is compared from entry to entry, each in a unit of its own."""
    told = {f"µs a sample, K = 100, d = {d}": us["logts"][0] for d, us in found["d"].items()}
    told |= {f"µs a sample, K = {int(k):,}, d = {DIMENSION}": us["logts"][0] for k, us in found["K"].items()}
    told |= {f"µs a sample, from {int(t):,} trials on": us for t, us in found["t"].items()}
    told |= {f"ms for a design, K = {int(k):,}": 1e3 * s for k, (s, _) in found["designs"].items()}
    told |= {f"MB of a study, K = {int(k):,}": held for k, (held, _) in found["memory"].items()}
    told |= {f"s, {name}": value for name, value in found["starts"].items()}
    return told


def _changes(history: Sequence[Found]) -> str:
    shown = [entry for entry in history if entry["quick"] == history[-1]["quick"]][-SHOWN:]
    if len(shown) < 2:
        return "This is the first entry."
    each = [figures(entry) for entry in shown]
    head = ["", *(f"{entry['date']}, {entry['version']}" for entry in shown), "change"]
    rows = []
    for name, value in each[-1].items():
        before = each[-2].get(name, math.nan)
        ratio = value / before
        mark = "" if not ratio > 1 + CHANGED else " **slower**" if "MB" not in name else " **more**"
        told = "" if math.isnan(ratio) else f"{100 * (ratio - 1):+.0f}%{mark}"
        rows.append([name, *(_number(entry.get(name, math.nan)) for entry in each), told])
    note = f"Changes below {100 * CHANGED:.0f}% are noise; all depend on what else the machine did."
    return f"{note}\n\n{_table(head, rows)}"


def _steps_table(last: Found) -> str:
    head = ["K", "d", *COLOURS, "plain NumPy / forecast", "pseudo-code / logts"]
    sized = [(100, int(d), us) for d, us in last["d"].items()]
    sized += [(int(k), DIMENSION, us) for k, us in last["K"].items()]
    rows = []
    for count, d, us in sized:
        of_plain = us["plain NumPy"][0] / us["logts, forecast, no guard"][0]
        of_naive = us["pseudo-code"][0] / us["logts"][0]
        times = [f"{ratio:,.0f}x" if ratio == ratio else "-" for ratio in (of_plain, of_naive)]
        rows.append([f"{count:,}", str(d), *(_told(us[name], last["trials"]) for name in COLOURS), *times])
    grown = [[f"{int(t):,} to {2 * int(t):,}", _number(us)] for t, us in last["t"].items()]
    return f"{_table(head, rows)}\n\n{_table(['trials', 'µs a sample'], grown)}"


def _arms_table(last: Found) -> str:
    rows = []
    for k, (seconds, scans) in last["designs"].items():
        held, peak = last["memory"][k]
        features = 8 * int(k) * DIMENSION
        read = scans * features / (1e9 * last["limits"]["GB/s"])
        told = [_number(1e3 * seconds), str(scans), f"{seconds / read:,.0f}x"]
        rows.append([f"{int(k):,}", *told, _number(held), _number(peak), _number(features / 1e6)])
    head = ["K", "ms for a design", "scans", "beside a copy", "MB held", "MB peak", "MB of features"]
    return _table(head, rows)


def _limits(last: Found) -> str:
    rate = last["limits"]
    rows = []
    for d, us in last["d"].items():
        least = 12 * int(d) ** 2 / (1e3 * rate["GFLOP/s"])
        fast, all_of_it = us["logts, forecast, no guard"][0], us["logts"][0]
        rows.append([d, f"{least:.4f}", _number(fast), f"{fast / least:,.0f}x", f"{all_of_it / least:,.0f}x"])
    head = ["d", "µs at the limit", "forecast, no guard", "beside the limit", "logts beside the limit"]
    return (
        f"A copy moves {rate['GB/s']:.1f} GB/s, a product of two 256 x 256 matrices does "
        f"{rate['GFLOP/s']:.0f} GFLOP/s, one thread. A step that learns from an outcome has to update three "
        "Gaussian posteriors, 12 d² operations, if nothing else; the rest is looks at the evidence, designs "
        f"and Python.\n\n{_table(head, rows)}"
    )


def _profile(shares: Iterable[tuple[str, float]]) -> str:
    return _table(["function", "share"], [[f"`{name}`", f"{100 * share:.0f}%"] for name, share in shares])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _told(row: tuple[float, int], trials: int) -> str:
    """Microseconds a sample; with the number of trials where time ran out before all were made."""
    us, made = row
    return _number(us) if made >= trials or made == 0 else f"{_number(us)} ({made:,} trials)"


def _number(value: float) -> str:
    """Three digits, or a dash for what was not measured."""
    if not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _steps_picture(last: Found) -> Figure:
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    panels = figure.subplots(1, 3)
    panels[1].sharey(panels[0])
    for axes, key, title in zip(
        panels, "dK", ("dimensions, K = 100", f"arms, d = {DIMENSION}"), strict=False
    ):
        sizes = np.array([int(size) for size in last[key]])
        for name, colour in COLOURS.items():
            us, made = np.array([row[name] for row in last[key].values()], dtype=float).T
            _line(axes, sizes, us, name, colour, whole=made >= last["trials"])
        axes.set_xlabel(title)
    sizes = np.array([int(t) for t in last["t"]])
    _line(panels[2], sizes, np.array(list(last["t"].values())), "logts", COLOURS["logts"])
    panels[2].set_xlabel("trials made, K = 3, d = 2")
    panels[0].set_xticks(ticks := [int(d) for d in last["d"]], labels=map(str, ticks))
    panels[0].xaxis.set_minor_locator(mpl.ticker.NullLocator())
    panels[0].set_ylabel("microseconds a sample")
    handles = [mpl.lines.Line2D([], [], color=c, marker="o", label=name) for name, c in COLOURS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _arms_picture(last: Found) -> Figure:
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    sizes = np.array([int(k) for k in last["designs"]])
    seconds, scans = (np.array(column, dtype=float) for column in zip(*last["designs"].values(), strict=True))
    held, peak = (np.array(column) for column in zip(*last["memory"].values(), strict=True))
    _line(first, sizes, 1e3 * seconds, "", COLOURS["logts"])
    first.set_ylabel("milliseconds for a design")
    second.semilogx(sizes, scans, "o-", color=COLOURS["logts"], markersize=4)
    second.set_ylim(0, 1.2 * scans.max())
    second.yaxis.get_major_locator().set_params(integer=True)
    second.set_ylabel("scans of all arms")
    _line(third, sizes, held, "held", COLOURS["logts"])
    third.loglog(sizes, peak, "o--", color=COLOURS["plain NumPy"], markersize=4, label="peak")
    third.plot(sizes, 8e-6 * sizes * DIMENSION, ":", color="grey", label="the features")
    third.set_ylabel("megabytes of a study")
    third.legend(frameon=False)
    for axes in (first, second, third):
        axes.set_xlabel(f"arms, d = {DIMENSION}")
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _line(axes: Axes, sizes: Any, values: Any, name: str, colour: str, whole: Any = True) -> None:
    """A line in logarithms, with its slope over the larger half of the sizes at its end.

    Figures of which time ran out are hollow, and do not count for the slope unless all are.
    """
    whole = np.isfinite(values) & whole
    there = np.isfinite(values)
    axes.loglog(sizes[there], values[there], "o-", color=colour, markersize=4, label=name, mfc="white")
    axes.loglog(sizes[whole], values[whole], "o", color=colour, markersize=4)
    axes.spines[["top", "right"]].set_visible(False)
    end = sizes[there][-1], values[there][-1]
    there = whole if whole.sum() > 1 else there
    sizes, values = sizes[there], values[there]
    half = slice(len(sizes) // 2 if len(sizes) > 3 else 0, None)
    if len(sizes) > 1:
        slope = np.polyfit(np.log(sizes[half]), np.log(values[half]), 1)[0]
        word = f"slope {round(slope, 1) + 0.0:.1f}"
        axes.annotate(word, end, (6, -3), textcoords="offset points", color=colour, fontsize=9)
    axes.margins(x=0.2)
