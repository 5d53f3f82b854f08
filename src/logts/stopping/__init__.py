"""When to stop: rules behind one protocol, one file each, and the forecasts and intervals that go with the default one."""

from logts.evidence.fit_check import ALARM, CALM, misfit
from logts.evidence.forecast import Forecaster
from logts.evidence.intervals import Rate, rate
from logts.evidence.model_free import evidence as model_free_evidence
from logts.stopping.base import Reading, State, StoppingRule, nothing
from logts.stopping.evidence import Evidence
from logts.stopping.likelihood_ratio import LikelihoodRatio
from logts.stopping.paper import Paper
from logts.stopping.stylized import Stylized
from logts.tools.algebra import Array

RULES = ("evidence", "likelihood-ratio", "paper", "paper-practical", "stylized")

__all__ = [
    "ALARM",
    "CALM",
    "RULES",
    "Forecaster",
    "Rate",
    "Reading",
    "State",
    "StoppingRule",
    "make_rule",
    "misfit",
    "model_free_evidence",
    "nothing",
    "rate",
]


def make_rule(name: str, metric: Array, radius: float | None, kappa: float | None) -> StoppingRule:
    """A rule by its name; ``radius`` and ``kappa`` for those that need them, ``metric`` the units in which they are meant."""
    if name not in RULES:
        raise ValueError(f"stopping must be one of {', '.join(RULES)}; got {name!r}")
    if name in ("evidence", "stylized"):
        if radius is not None or kappa is not None:
            raise ValueError(f"stopping={name!r} uses neither radius nor kappa: leave them out")
        return Evidence() if name == "evidence" else Stylized()
    if radius is None or not radius > 0.0:
        raise ValueError(f"stopping={name!r} needs radius, a bound on the norm of theta; got {radius!r}")
    if (name == "paper") != (kappa is not None) or (kappa is not None and not kappa >= 4.0):
        raise ValueError(
            f"stopping='paper', and only that, needs kappa, the largest 1/mu' over the arms (at least 4); got {kappa!r}"
        )
    return LikelihoodRatio(radius, metric) if name == "likelihood-ratio" else Paper(radius, metric, kappa)
