"""The course of a study: when each option was settled."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from logts.evidence.intervals import Rate
from logts.plots.rows import ACCENT, PALE, highest, in_words, note, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_settled(
    rates: Sequence[Rate],
    when: Mapping[int, int | None],
    answers: Collection[int],
    trials: int,
    *,
    most: int = 20,
    title: str | None = None,
) -> "Figure":
    """Draw for each option a bar up to the trial at which it was settled, or an arrow while it is open.

    Parameters
    ----------
    rates
        A rate for each option: their names and their order.
    when
        For each option the trials after which it was settled, None while it is not; options with nothing to
        settle are left out.
    answers
        Numbers of the options that answer the question, drawn in colour.
    trials
        Trials so far.
    most
        How many options to show: those with the highest estimates.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> import logts
    >>> from logts.plots import plot_settled
    >>> rates = [logts.Rate("red", 0.1, 0.2, 0.4), logts.Rate("green", 0.6, 0.8, 0.9)]
    >>> figure = plot_settled(rates, {0: 30, 1: None}, [1], 50)
    """
    if not when:
        why = "no evidence yet, too many comparisons, or a rule without it"
        return in_words(f"Option by option there is nothing to show: {why}.", title)
    chosen = highest(rates, most)
    figure, (axes,) = panels([rates[i].name for i in chosen], 1, title)
    for row, i in enumerate(chosen):
        colour = ACCENT if i in answers else PALE
        until = when.get(i)
        if i not in when:
            note(axes, "nothing to settle", 0, row)
        elif until is not None:
            axes.barh(row, until, color=colour, height=0.62)
            note(axes, f"{until:,}", until, row)
        else:
            _still_open(axes, row, trials, colour)
    axes.set(xlim=(0, 1.16 * max(trials, 1)), xlabel="trials until it was settled")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure


def _still_open(axes: "Axes", row: int, trials: int, colour: str) -> None:
    """A pale bar up to now, and an arrow that goes on."""
    beyond = 1.05 * trials
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.6}
    axes.barh(row, trials, color=colour, height=0.62, alpha=0.35)
    axes.annotate("", (beyond, row), (trials, row), arrowprops=style, annotation_clip=False)
    note(axes, "open", beyond, row)
