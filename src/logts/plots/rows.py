"""The shape that pictures of options share: a row for each option, with rates, trials or bars in it."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from logts.evidence.intervals import Rate, leading
from logts.tools.algebra import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#22313f"
ACCENT = "#d1495b"
PALE = "#9fb3c8"
GRID = "#e6ebf0"
NARROW = 7.5  # inches
WIDE = 9.5
LONGEST = 40  # characters of a name


def empty(height: float, title: str | None, width: float = NARROW) -> "Figure":
    """A picture with nothing but a title. It belongs to nobody: no window and no global state know of it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'logts[plots]'") from error
    lines = textwrap.wrap(one_line(title or ""), int(11 * width), max_lines=2, placeholder=" …")
    figure = Figure(figsize=(width, height + 0.2 * max(len(lines) - 1, 0)), layout="constrained")
    if lines:
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=12, color=INK, parse_math=False)
    return figure


def in_words(text: str, title: str | None) -> "Figure":
    """A picture that says why there is nothing to draw."""
    figure = empty(1.2, title)
    figure.text(0.02, 0.4, textwrap.fill(text, 90), color=INK, va="center", parse_math=False)
    return figure


def plain(axes: "Axes", along: str) -> None:
    """No frame, and a pale grid along one axis ("x", "y") or "both"."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_axisbelow(True)
    axes.grid(axis="x" if along == "x" else "y" if along == "y" else "both", color=GRID, lw=0.8)


def panels(names: Sequence[str], count: int, title: str | None) -> "tuple[Figure, list[Axes]]":
    """An empty picture of one panel or several, with a named row for each option."""
    figure = empty(1.5 + 0.28 * len(names), title, NARROW if count == 1 else WIDE)
    grid = figure.subplots(1, count, sharey=True, squeeze=False, gridspec_kw={"wspace": 0.04})
    found: list[Axes] = list(grid[0])
    found[0].set_yticks(np.arange(len(names)), [shortened(name) for name in names], parse_math=False)
    found[0].set_ylim(-0.6, len(names) - 0.4)
    for axes in found:
        plain(axes, "x")
    return figure, found


def two_panels(names: Sequence[str], title: str | None) -> "tuple[Figure, Axes, Axes]":
    """Success rates on the left, shares of trials on the right."""
    figure, (left, right) = panels(names, 2, title)
    rates_axis(left)
    right.xaxis.set_major_formatter(_percent)
    return figure, left, right


def rates_axis(axes: "Axes", low: float = 0.0, high: float = 1.0) -> None:
    """An axis for success rates between these."""
    axes.set(xlim=rates_range(low, high), xlabel="success rate")
    axes.xaxis.set_major_formatter(_percent)


def rates_range(low: float, high: float) -> tuple[float, float]:
    """Success rates from 0 to 1; closer if all there is to see lies in the lower or the upper half."""
    begin = 1.0 - 1.1 * (1.0 - low) if low > 0.5 else 0.0
    end = 1.1 * high if high < 0.5 else 1.0
    return begin, max(end, begin + 1e-6)


def share_bars(
    axes: "Axes", shares: Array, even: float, colours: Sequence[str], labels: Sequence[str]
) -> None:
    """Bars with the share of trials of each option, and a line where even shares would be."""
    rows = np.arange(len(shares))
    axes.barh(rows, shares, color=list(colours), height=0.62)
    axes.axvline(even, color=INK, lw=1, ls=":")
    note(axes, "even shares", even, len(rows) - 0.45, va="bottom")
    for row, (share, label) in enumerate(zip(shares, labels, strict=True)):
        note(axes, label, max(share, even), row)  # clear of the dotted line
    axes.set_xlim(0, 1.2 * max(shares.max(), even))


def note(
    axes: "Axes", text: str, x: float, y: float, *, ha: str = "left", va: str = "center", colour: str = INK
) -> None:
    """Small print beside a point."""
    shift = {"left": 4, "right": -4}.get(ha, 0), {"bottom": 2}.get(va, 0)
    style: dict[str, Any] = {"fontsize": 8, "color": colour, "ha": ha, "va": va}
    axes.annotate(
        one_line(text),
        (x, y),
        shift,
        textcoords="offset points",
        annotation_clip=False,
        parse_math=False,
        **style,
    )


def one_line(name: str) -> str:
    """A name without line breaks and what else no picture can hold."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def shortened(name: str) -> str:
    """A name on one line, without its middle if it is long: names often differ at the end."""
    line = one_line(name)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 15]}…{line[-14:]}"


def _percent(value: float, _: object) -> str:
    return f"{100 * value:g}%"


def highest(rates: Sequence[Rate], most: int) -> list[int]:
    """Numbers of the options with the highest estimates, the best last: rows are drawn from below."""
    return leading(rates, most)[::-1]
