"""Whether the model fits."""

from typing import TYPE_CHECKING

from scipy.special import expit

from logts.plots.fit import plot_fit
from logts.plots.rows import in_words
from logts.reports.fit_words import doubt_in_words, fit_in_words
from logts.reports.pictures import PICTURES
from logts.reports.standing import Standing
from logts.tools.algebra import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@PICTURES.enter("fit", place=40)
def fit_picture(at: Standing, *, title: str | None = None) -> "Figure":
    """Whether the model fits: observed against fitted rates.

    Parameters
    ----------
    at
        How the study stands.
    title
        A line above the picture, by default the question; empty for none.
    """
    title = "Does the model fit?" if title is None else title
    if not at.checkable:
        return in_words(fit_in_words(at), title)
    fitted: Array = expit(at.arms.points @ at.fit.theta)
    tally = at.last.tally
    return plot_fit(at.arms.names, tally.trials, tally.successes, fitted, doubt_in_words(at), title=title)
