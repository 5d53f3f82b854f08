"""The shape that pictures of options share: rates on the left, trials on the right, a row for each option."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from logts.algebra import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT, PALE, GRID = "#22313f", "#d1495b", "#9fb3c8", "#e6ebf0"


def two_panels(names: Sequence[str], title: str | None) -> "tuple[Figure, Axes, Axes]":
    """An empty picture with a named row for each option."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'logts[plots]'") from error
    rows = np.arange(len(names))
    size = (9.5, 1.5 + 0.28 * len(names))
    figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=size, layout="constrained", gridspec_kw={"wspace": 0.04})
    left.set(xlim=(0, 1), xlabel="success rate", yticks=rows)
    left.set_yticklabels(list(names))
    for axes in (left, right):
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_axisbelow(True)
        axes.grid(axis="x", color=GRID, lw=0.8)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, color=INK)
    return figure, left, right


def share_bars(axes: "Axes", shares: Array, even: float, colours: Sequence[str], labels: Sequence[str]) -> None:
    """Bars with the share of trials of each option, and a line where even shares would be."""
    rows = np.arange(len(shares))
    axes.barh(rows, shares, color=list(colours), height=0.62)
    axes.axvline(even, color=INK, lw=1, ls=":")
    axes.annotate("even shares", (even, len(rows) - 0.45), (4, 0), textcoords="offset points", fontsize=8, color=INK, va="bottom")
    for row, (share, label) in enumerate(zip(shares, labels, strict=True)):
        beside = max(share, even)  # clear of the dotted line
        axes.annotate(label, (beside, row), (4, 0), textcoords="offset points", va="center", fontsize=8, color=INK)
    axes.set_xlim(0, 1.2 * max(shares.max(), even))
