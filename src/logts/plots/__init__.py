"""Pictures."""

from logts.plots.allocation import plot_allocation
from logts.plots.verdict import plot_verdict

__all__ = ["plot_allocation", "plot_verdict"]
