"""When each option was settled."""

from typing import TYPE_CHECKING

from logts.plots.settled import plot_settled
from logts.reports.pictures import PICTURES
from logts.reports.standing import Standing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@PICTURES.enter("settled", place=30)
def settled_picture(at: Standing, *, most: int = 20, title: str | None = None) -> "Figure":
    """When each option was settled: ruled out, or proven to belong to the answer.

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
    return plot_settled(at.strengths or at.rates, at.settled, at.marked, at.trials, most=most, title=title)
