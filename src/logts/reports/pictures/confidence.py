"""Confidence over trials, and who led."""

from dataclasses import astuple
from typing import TYPE_CHECKING

from logts.plots.confidence import plot_confidence
from logts.reports.course import course_of
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
    course = course_of(at)
    trials, claims, leaders, aside = zip(*map(astuple, course), strict=True) if course else ((),) * 4
    wanted = 1.0 - at.permitted(at.free)
    title = at.said if title is None else title
    return plot_confidence(trials, claims, leaders, wanted, free=aside, title=title)
