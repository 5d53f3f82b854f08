"""Pictures, with matplotlib (``pip install 'logts[plots]'``)."""

from logts.plots.allocation import plot_allocation

__all__ = ["plot_allocation"]
