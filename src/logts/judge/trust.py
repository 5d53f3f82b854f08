"""How far the model is trusted: the one state of the guard, and the part of delta each side has."""

from enum import Enum

from logts.tools.state import record


@record
class Trust(Enum):
    """What counts as evidence. Only ``WATCHED`` ever changes, into ``SET_ASIDE``.

    Attributes
    ----------
    share_with_model, share_without_model
        The parts of delta that the two kinds of evidence may use.
    share_of_alarm
        The part that the alarm may use: how often it is false.
    without_model
        Whether only evidence without the model counts.
    guarded, watching, hedged
        Whether the guard is on; whether there is a model as well, which is watched, or was; and whether there
        is also evidence without it.
    """

    BLIND = ("The guard is off: the model alone counts.", 1.0, 0.0)
    ALONE = (
        "The fit is watched, but there is no evidence without the model: if it is bad, nothing is proven.",
        1.0,
        0.0,
    )
    WATCHED = ("Evidence with the model and without it count side by side, and the fit is watched.", 0.8, 0.1)
    SET_ASIDE = ("An alarm was raised: only evidence without the model counts.", 0.0, 1.0)
    NO_MODEL = ("The arms share nothing: there is no model, and only their own outcomes count.", 0.0, 1.0)

    def __init__(self, meaning: str, share_with_model: float, share_without_model: float) -> None:
        self.meaning = meaning
        self.share_with_model = share_with_model
        self.share_without_model = share_without_model
        self.share_of_alarm = 1.0 - share_with_model - share_without_model
        self.without_model = not share_with_model
        self.guarded = self.name != "BLIND"
        self.watching = self.name in ("ALONE", "WATCHED", "SET_ASIDE")
        self.hedged = self.name in ("WATCHED", "SET_ASIDE")
