"""A verdict: estimated rates with their intervals, and where the trials went."""

from typing import TYPE_CHECKING

import numpy as np

from logts.arms import Arms
from logts.plots.rows import ACCENT, PALE, share_bars, two_panels
from logts.policies import Verdict
from logts.policies.base import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_verdict(verdict: Verdict, arms: Arms, *, most: int = 20, title: str | None = None) -> "Figure":
    """Draw rates with intervals (left) and shares of trials (right), best option on top; answers in colour.

    Parameters
    ----------
    verdict, arms
        What a study over these arms ended with; the items must be the arms.
    most
        How many options to show: those with the highest estimates.
    title
        A line above the picture; by default the verdict.
    """
    if arms.items.points is not arms.points:
        raise ValueError("the items of these arms are not the arms: rates and trials have no rows in common")
    rates = verdict.rates
    chosen = sorted(range(len(rates)), key=lambda i: rates[i].estimate)[-most:]
    colours = [ACCENT if i in verdict.answer.items else PALE for i in chosen]
    said = f"{verdict.summary().splitlines()[0]} Confidence {percent(verdict.confidence)} after {verdict.trials:,} trials"
    figure, left, right = two_panels([rates[i].name for i in chosen], title or said)
    rows = np.arange(len(chosen))
    left.hlines(rows, [rates[i].low for i in chosen], [rates[i].high for i in chosen], color=colours, lw=2.4, alpha=0.6)
    left.scatter([rates[i].estimate for i in chosen], rows, color=colours, s=36, zorder=3)
    left.set_xlabel("success rate, with intervals that hold for all at once")
    counts = np.array(verdict.counts, dtype=float)
    shares = counts[chosen] / max(counts.sum(), 1.0)
    share_bars(right, shares, 1 / len(arms), colours, [f"{int(counts[i]):,}" for i in chosen])
    right.set_xlabel("share and number of trials")
    return figure
