"""Does the model fit? Observed rates against fitted ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from logts.plots.rows import ACCENT, INK, PALE, empty, note, plain, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMED = 5  # outliers


def plot_fit(
    names: Sequence[str],
    trials: ArrayLike,
    successes: ArrayLike,
    fitted: ArrayLike,
    said: str = "",
    *,
    title: str | None = None,
) -> "Figure":
    """Draw observed against fitted rates.

    Options more than two standard deviations off are in colour, the worst of them named.

    Parameters
    ----------
    names
        The names of what was tried.
    trials, successes
        Its counts.
    fitted
        The rates that the model gives it.
    said
        What is to be said about the fit, in a few words.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> from logts.plots import plot_fit
    >>> figure = plot_fit(["red", "green", "blue"], [50, 40, 60], [10, 22, 50], [0.2, 0.5, 0.85])
    """
    n, r, p = (np.asarray(given, dtype=float) for given in (trials, successes, fitted))
    tried = np.flatnonzero(n > 0)
    n = n[tried]
    p = p[tried]
    seen = r[tried] / n
    spread = np.sqrt(np.maximum(p * (1 - p), 1e-12) / n)
    off = (seen - p) / spread
    colours = np.where(np.abs(off) > 2, ACCENT, PALE)
    low = np.clip(seen - 2 * spread, 0, 1)
    high = np.clip(seen + 2 * spread, 0, 1)
    figure = empty(4.6, title)
    axes = figure.subplots()
    axes.axline((0, 0), slope=1, color=INK, lw=1, ls=":")
    axes.vlines(p, low, high, color=colours, lw=1.4, alpha=0.7)
    axes.scatter(p, seen, color=colours, s=26, zorder=3)
    across = _around(p, p)
    along = _around(low, high)
    worst = [i for i in np.argsort(-np.abs(off), kind="stable")[:NAMED] if abs(off[i]) > 2]
    clear = -np.inf
    for i in sorted(worst, key=lambda i: seen[i]):  # from below, each clear of the last
        height = max(seen[i], clear)
        side = "right" if p[i] > np.mean(across) else "left"
        note(axes, shortened(names[tried[i]]), p[i], height, ha=side)
        clear = height + 0.045 * np.ptp(along)
    axes.set(
        xlabel="fitted rate", ylabel="observed rate, with two standard deviations", xlim=across, ylim=along
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    plain(axes, "both")
    axes.set_title(said, loc="left", fontsize=10, color=INK)
    return figure


def _around(low: ArrayLike, high: ArrayLike) -> tuple[float, float]:
    begin = float(np.min(low))
    end = float(np.max(high))
    room = max(0.06 * (end - begin), 0.01)
    return begin - room, end + room
