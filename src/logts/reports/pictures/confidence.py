"""Confidence over trials, and who led."""

from typing import TYPE_CHECKING

from logts.arms import Arms
from logts.plots.confidence import plot_confidence
from logts.problems import Answer
from logts.reports.pictures import PICTURES
from logts.reports.standing import Standing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@PICTURES.enter("confidence", place=20)
def confidence_picture(at: Standing, *, title: str | None = None) -> "Figure":
    """Confidence over trials, and who led.

    Parameters
    ----------
    at
        How the study stands.
    title
        A line above the picture, by default how the study stands; empty for none.
    """
    course = {int(moment.tally.total): moment for moment in at.moments if moment.tally.total > 0}
    claims = [moment.confidence for moment in course.values()]
    if claims:
        claims[-1] = at.confidence
    leaders = [_name(at.arms, moment.leader) for moment in course.values()]
    aside = [moment.without_model and at.modelled for moment in course.values()]
    wanted = 1.0 - at.permitted(at.free)
    title = at.said if title is None else title
    return plot_confidence(list(course), claims, leaders, wanted, free=aside, title=title)


def _name(arms: Arms, leader: Answer | None) -> str | None:
    """The name of a single leader, else the answer in words, without what all answers begin with."""
    if leader is None:
        return None
    return arms.items.names[leader.items[0]] if len(leader.items) == 1 else leader.text.split(": ", 1)[-1]
