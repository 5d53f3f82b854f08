"""Pictures."""

from logts.plots.allocation import plot_allocation
from logts.plots.confidence import plot_confidence
from logts.plots.effects import plot_effects
from logts.plots.fit import plot_fit
from logts.plots.plan import plot_plan
from logts.plots.settled import plot_settled
from logts.plots.verdict import plot_options, plot_verdict

__all__ = [
    "plot_allocation",
    "plot_confidence",
    "plot_effects",
    "plot_fit",
    "plot_options",
    "plot_plan",
    "plot_settled",
    "plot_verdict",
]
