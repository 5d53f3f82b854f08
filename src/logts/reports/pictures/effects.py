"""What the columns of the model do."""

from typing import TYPE_CHECKING

from logts.evidence.intervals import ENDS
from logts.plots.effects import plot_effects
from logts.plots.rows import in_words
from logts.reports.effects import Effects, effects_of
from logts.reports.pictures import PICTURES
from logts.reports.standing import Standing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@PICTURES.enter("effects", place=35)
def effects_picture(at: Standing, *, most: int = 20, title: str | None = None) -> "Figure":
    """What the columns of the model do to the logit of a rate, with intervals.

    Parameters
    ----------
    at
        How the study stands.
    most
        How many effects to show, the first of the table.
    title
        A line above the picture, by default the question; empty for none.
    """
    title = "What do the columns do?" if title is None else title
    try:
        return draw_effects(effects_of(at, most=most), title=title)
    except ValueError as error:
        return in_words(str(error), title)


def draw_effects(effects: Effects, *, title: str = "") -> "Figure":
    """The same, of effects that are known."""
    ends = ([getattr(effect, end) for effect in effects] for end in ENDS)
    return plot_effects([effect.name for effect in effects], *ends, title=title)
