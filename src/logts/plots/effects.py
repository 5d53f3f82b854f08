"""What the columns of a model do: changes of the logit with their intervals."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from logts.plots.rows import ACCENT, INK, PALE, note, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDEST = 3.0  # times the largest estimate: further out intervals are cut off, at first they are very wide


def plot_effects(
    names: Sequence[str],
    low: Sequence[float],
    estimates: Sequence[float],
    high: Sequence[float],
    *,
    title: str | None = None,
) -> "Figure":
    """Draw changes of the logit, each with its interval; those whose sign is proven are in colour.

    Parameters
    ----------
    names
        What is changed, the first on top.
    low, estimates, high
        The ends of the intervals, which may be infinite, and the estimates, NaN where there is none.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> from logts.plots import plot_effects
    >>> figure = plot_effects(["cache: off to on"], [0.2], [1.2], [2.2])
    """
    ends = [np.asarray(values, dtype=float)[::-1] for values in (low, estimates, high)]
    known = np.abs(ends[1][np.isfinite(ends[1])])
    finite = np.abs(np.concatenate(ends)[np.isfinite(np.concatenate(ends))])
    widest = min(finite.max(initial=1.0), WIDEST * max(known.max(initial=1.0), 1.0))
    reach = 1.08 * widest
    figure, (axes,) = panels(list(names)[::-1], 1, title)
    axes.axvline(0.0, color=INK, lw=1, ls=":")
    for row, (begin, middle, end) in enumerate(zip(*ends, strict=True)):
        if math.isinf(begin) and math.isinf(end):
            note(axes, "nothing is known", 0.0, row)
            continue
        colour = ACCENT if begin > 0.0 or end < 0.0 else PALE
        axes.hlines(row, max(begin, -reach), min(end, reach), color=colour, lw=2.4, alpha=0.6)
        if math.isfinite(middle):
            axes.scatter([middle], [row], color=colour, s=36, zorder=3)
    axes.set(xlim=(-reach, reach), xlabel="change of the logit, with intervals that hold for all at once")
    return figure
