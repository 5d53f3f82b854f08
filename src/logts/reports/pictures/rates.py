"""The rates of the options, and where the trials went."""

from typing import TYPE_CHECKING

from logts.plots.verdict import plot_options
from logts.reports.pictures import PICTURES
from logts.reports.standing import Standing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@PICTURES.enter("rates", place=10)
def rates_picture(at: Standing, *, most: int = 20, title: str | None = None) -> "Figure":
    """Rates of the options with their intervals, and where the trials went.

    Parameters
    ----------
    at
        How the study stands.
    most
        How many options to show, the best on top.
    title
        A line above the picture, by default how the study stands; empty for none.
    """
    title = at.said if title is None else title
    if at.strengths:
        label = "rate of winning against an average one"
        return plot_options(at.strengths, None, at.marked, most=most, title=title, label=label)
    return plot_options(at.rates, at.last.tally.trials if at.own else None, at.marked, most=most, title=title)
