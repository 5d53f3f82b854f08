"""Options, decided or not: estimated rates with their intervals, and where the trials went."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.evidence.intervals import Rate
from logts.judge import Verdict, percent
from logts.plots.rows import ACCENT, PALE, highest, panels, rates_axis, share_bars, two_panels

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

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> import numpy as np, logts
    >>> from logts.plots import plot_verdict
    >>> arms = logts.Arms(names=["red", "green"])
    >>> policy = logts.LogTS(arms, logts.BestArm(), max_trials=40)
    >>> asked = policy.ask(40)
    >>> policy.tell(asked.ids, asked.arms == 1)
    >>> figure = plot_verdict(policy.verdict, arms)
    """
    if not arms.own_items:
        raise ValueError("the items of these arms are not the arms: rates and trials have no rows in common")
    sure = f"Confidence {percent(verdict.confidence)} after {verdict.trials:,} trials"
    said = f"{verdict.summary().splitlines()[0]} {sure}"
    return plot_options(verdict.rates(), verdict.counts, verdict.answer.items, most=most, title=title or said)


def plot_options(
    rates: Sequence[Rate],
    counts: ArrayLike | None,
    answers: Collection[int],
    *,
    most: int = 20,
    title: str | None = None,
    label: str = "success rate",
) -> "Figure":
    """Draw rates with intervals and, where there are counts, shares of trials.

    The best option is on top, answers are in colour.

    Parameters
    ----------
    rates
        A rate for each option.
    counts
        Trials of each; None where the options are not what was tried.
    answers
        Numbers of the options that answer the question.
    most
        How many options to show: those with the highest estimates.
    title
        A line above the picture.
    label
        What the rates are.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> import logts
    >>> from logts.plots import plot_options
    >>> rates = [logts.Rate("red", 0.1, 0.2, 0.4), logts.Rate("green", 0.6, 0.8, 0.9)]
    >>> figure = plot_options(rates, [20, 30], [1], title="green it is")
    """
    chosen = highest(rates, most)
    colours = [ACCENT if i in answers else PALE for i in chosen]
    names = [rates[i].name for i in chosen]
    rows = np.arange(len(chosen))
    low = [rates[i].low for i in chosen]
    high = [rates[i].high for i in chosen]
    if counts is None:
        figure, (left,) = panels(names, 1, title)
    else:
        figure, left, right = two_panels(names, title)
        made = np.asarray(counts, dtype=float)
        shares = made[chosen] / max(made.sum(), 1.0)
        share_bars(right, shares, 1 / len(made), colours, [f"{int(made[i]):,}" for i in chosen])
        right.set_xlabel("share and number of trials")
    rates_axis(left, min(low), max(high))
    left.hlines(rows, low, high, color=colours, lw=2.4, alpha=0.6)
    left.scatter([rates[i].estimate for i in chosen], rows, color=colours, s=36, zorder=3)
    left.set_xlabel(f"{label}, with intervals that hold for all at once")
    return figure
