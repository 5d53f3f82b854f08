"""The course of a study: how sure it was after how many trials, and who led."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from logts.plots.rows import ACCENT, GRID, INK, PALE, empty, in_words, note, one_line, plain, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999)
State = TypeVar("State")
LETTERS = 95  # that fit across the picture in small print


def plot_confidence(
    trials: Sequence[int],
    confidence: Sequence[float],
    leaders: Sequence[str | None],
    wanted: float,
    *,
    free: Sequence[bool] = (),
    title: str | None = None,
) -> "Figure":
    """Draw confidence over trials, who led meanwhile, and the line that has to be passed.

    Parameters
    ----------
    trials, confidence, leaders
        For some moments the outcomes so far, what could be claimed then, and the leader (None for nobody).
    wanted
        The confidence at which the study stops.
    free
        For each moment whether the model had been set aside; these times are shaded.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> from logts.plots import plot_confidence
    >>> figure = plot_confidence([10, 20, 40], [0.0, 0.6, 0.97], [None, "red", "red"], 0.95)
    """
    if not trials:
        return in_words("Too early: there is nothing to show yet.", title)
    figure = empty(3.6, title)
    strip, axes = figure.subplots(2, 1, sharex=True, height_ratios=(1, 9))
    ends = (trials[0] / 1.15, trials[-1] * 1.15)
    shade = [leader is not None and leader == leaders[-1] for leader in leaders]
    needed = height_of(wanted)
    # What lies far above is drawn at the edge.
    top = max(1.15 * needed, min(1.05 * max(map(height_of, confidence)), needed + 1.0))
    heights = [min(height_of(value), top) for value in confidence]
    axes.plot(trials, heights, color=PALE, lw=1.6, zorder=2)
    axes.scatter(trials, heights, color=[ACCENT if last else PALE for last in shade], s=18, zorder=3)
    axes.axhline(needed, color=INK, lw=1.2, ls=":")
    note(axes, f"stops above {100 * wanted:.4g}%", ends[0], needed, va="bottom")
    shown = [mark for mark in MARKS if height_of(mark) <= top]
    axes.set_yticks([height_of(mark) for mark in shown], [f"{100 * mark:g}%" for mark in shown])
    axes.set(
        xscale="log",
        xlim=ends,
        ylim=(-0.03 * top, 1.04 * top),
        xlabel="trials (logarithmic scale)",
        ylabel="confidence",
    )
    _whole_numbers(axes, ends)
    plain(axes, "both")
    for aside, begin, end in spans_of(trials, free, ends[1]) if free else ():
        if aside:
            axes.axvspan(begin, end, color=GRID, alpha=0.6, lw=0)
            note(axes, "without the model", end, 1.04 * top, ha="right", va="bottom")
    _name_leaders(strip, trials, leaders, ends)
    return figure


def height_of(confidence: float) -> float:
    """Every step towards certainty alike: 90%, 99% and 99.9% are one apart."""
    return -math.log10(max(1.0 - confidence, 1e-12))


def spans_of(trials: Sequence[int], states: Sequence[State], end: float) -> list[tuple[State, float, float]]:
    """Each state with where it begins and where the next one does."""
    begins = [k for k in range(len(trials)) if k == 0 or states[k] != states[k - 1]]
    ends = [*(trials[k] for k in begins[1:]), end]
    return [(states[k], trials[k], until) for k, until in zip(begins, ends, strict=True)]


def _name_leaders(
    strip: "Axes", trials: Sequence[int], leaders: Sequence[str | None], ends: tuple[float, float]
) -> None:
    """A strip with who led when; names where there is room."""
    for leader, begin, end in spans_of(trials, leaders, ends[1]):
        left = ends[0] if begin == trials[0] else begin
        room = int(LETTERS * math.log(end / left) / math.log(ends[1] / ends[0])) - 2
        last = leader is not None and leader == leaders[-1]
        colour = GRID if leader is None else ACCENT if last else PALE
        strip.axvspan(left, end, facecolor=colour, edgecolor="white", lw=1.5)
        name = "nobody yet" if leader is None else one_line(leader)
        if room >= min(len(name), 8):
            text = name if len(name) <= room else f"{name[: room - 1]}…"
            note(strip, text, math.sqrt(left * end), 0.5, ha="center", colour="white" if last else INK)
        elif end == ends[1]:  # whoever leads at the end is always named
            note(strip, shortened(name), end, 1.0, ha="right", va="bottom", colour=ACCENT if last else INK)
    strip.set(ylim=(0, 1), yticks=[0.5], yticklabels=["leader"])
    strip.tick_params(axis="both", which="both", length=0, labelbottom=False)
    strip.spines[:].set_visible(False)


def _whole_numbers(axes: "Axes", ends: tuple[float, float]) -> None:
    ticks = ticks_between(*ends)
    axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    axes.set_xticks([], minor=True)


def ticks_between(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten, few enough to stand side by side on a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if math.log10(high / low) > 2.5 else (1, 2, 5)
    ticks = [step * 10.0**power for power in decades for step in steps]
    return [tick for tick in ticks if low <= tick <= high]
