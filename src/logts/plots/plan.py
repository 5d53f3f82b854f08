"""A plan: how many trials simulated studies took, and how many any method needs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from logts.plots.rows import ACCENT, INK, PALE, WIDE, empty, in_words, note, plain
from logts.tools.algebra import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HILL = 0.62  # how high, where rows are one apart


def plot_plan(
    trials: Mapping[str, ArrayLike], bounds: Mapping[str, float], *, title: str | None = None
) -> "Figure":
    """Draw how many trials each policy's studies took, on a logarithmic axis, and lower bounds as lines.

    Parameters
    ----------
    trials
        For each policy the trials of its studies, infinite where nothing was proven. The first is drawn in
        colour.
    bounds
        Lower bounds, by what they are called; one that is infinite or zero is left out.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> from logts.plots import plot_plan
    >>> figure = plot_plan({"Log-TS": [120, 150, 210], "uniform": [200, 240, 260]}, {"at least": 60})
    """
    table = {name: np.asarray(values, dtype=float) for name, values in trials.items()}
    lines = {name: bound for name, bound in bounds.items() if 0.0 < bound < np.inf}
    proven = [values[np.isfinite(values)] for values in table.values()]
    known = np.concatenate([list(lines.values()), *proven])
    if not len(known):
        return in_words("No study was decided.", title)
    top = len(table) - 0.2 + 0.2 * len(lines)
    figure = empty(1.0 + 1.1 * top, title, WIDE)
    axes = figure.subplots()
    axes.set(xscale="log", xlim=(known.min() / 1.6, known.max() * 1.8), ylim=(-0.3, top))
    axes.set_xlabel("trials until the answer is proven")
    axes.set_yticks(np.arange(len(table)) + 0.1, [_label(*row) for row in table.items()][::-1])
    axes.set_xticks(_round_numbers(*axes.get_xlim()))
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    plain(axes, "x")
    for row, values in enumerate(table.values()):
        _hill(axes, values, len(table) - 1 - row, ACCENT if row == 0 else PALE)
    for row, (name, bound) in enumerate(lines.items()):
        height = top - 0.2 * row
        axes.plot([bound, bound], [-0.3, height], color=INK, lw=1.2, ls="--")
        note(axes, f"{name} {bound:,.0f}", bound, height, va="top")
    return figure


def _label(name: str, values: Array) -> str:
    lost = int(np.isinf(values).sum())
    return f"{name}\n{lost} of {len(values)} undecided" if lost else name


def _round_numbers(low: float, high: float) -> list[float]:
    """1, 2, 5, 10 and so on, at most a dozen."""
    tens = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    digits = (1, 2, 5) if len(tens) <= 5 else (1,)
    return [digit * 10.0**ten for ten in tens for digit in digits if low <= digit * 10.0**ten <= high]


def _hill(axes: "Axes", values: Array, floor: float, colour: str) -> None:
    """A smoothed histogram over dots, one for each study, with marks at the median and the 90% quantile."""
    proven = values[np.isfinite(values)]
    if len(proven):
        logs = np.log(proven)
        low, high = np.log(axes.get_xlim())
        width = max(1.06 * logs.std() * len(logs) ** -0.2, 0.006 * (high - low))
        # What was broken off lies somewhere beyond: no slope there.
        grid = np.linspace(low, high if len(proven) == len(values) else logs.max(), 800)
        density = np.exp(-0.5 * ((grid[:, None] - logs) / width) ** 2).sum(axis=1)
        hill = HILL * density / density.max()
        drawn = hill > 1e-3
        axes.fill_between(np.exp(grid), floor, floor + hill, where=drawn, color=colour, alpha=0.55, lw=0)
    apart = 0.05 * np.sin(12.9898 * np.arange(len(proven)))  # the same in every picture
    axes.scatter(proven, floor - 0.12 + apart, s=9, color=colour, alpha=0.6, lw=0)
    for share, word, side in ((0.5, "median", "right"), (0.9, "90%", "left")):
        mark = float(np.quantile(values, share, method="higher"))
        if np.isfinite(mark):
            axes.plot([mark, mark], [floor, floor + HILL + 0.06], color=INK, lw=1.6 if share == 0.5 else 1.0)
            note(axes, f"{word} {mark:,.0f}", mark, floor + HILL + 0.02, ha=side)
