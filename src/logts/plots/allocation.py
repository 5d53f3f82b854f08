"""Success rates beside the share of trials that the optimal allocation gives each option."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from logts.logistic.kernels import mean
from logts.planning.bounds import LowerBound
from logts.plots.rows import ACCENT, PALE, share_bars, two_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_allocation(
    bound: LowerBound, theta: ArrayLike, *, most: int = 20, title: str | None = None
) -> "Figure":
    """Draw rates (left) and optimal shares (right), best option on top; answers in colour.

    Parameters
    ----------
    bound
        A result of :func:`logts.lower_bound` whose items are its arms.
    theta
        The parameter it was computed for.
    most
        How many options to show: those with the largest shares.
    title
        A line above the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; ``figure.savefig(path)`` keeps it.

    Examples
    --------
    >>> import logts
    >>> from logts.plots import plot_allocation
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> bound = logts.lower_bound(arms, [-1.4, 0.0, 2.2], logts.BestArm())
    >>> figure = plot_allocation(bound, [-1.4, 0.0, 2.2])
    """
    arms = bound.arms
    if bound.design is None or bound.answer is None:
        raise ValueError(f"there is no allocation to draw: {bound.note}")
    logits = arms.points @ arms.coordinates(theta)[: arms.dimension]
    rates = np.array([mean(logit) for logit in logits])
    chosen = np.argsort(-bound.weights, kind="stable")[:most]
    chosen = chosen[np.argsort(rates[chosen], kind="stable")]
    answers = set(bound.answer.items) if arms.own_items else set()
    colours = [ACCENT if i in answers else PALE for i in chosen]
    figure, left, right = two_panels([arms.names[i] for i in chosen], title)
    rows = np.arange(len(chosen))
    shares = bound.weights[chosen]
    left.hlines(rows, 0, rates[chosen], color=colours, lw=1.2)
    left.scatter(rates[chosen], rows, color=colours, s=36, zorder=3)
    share_bars(right, shares, 1 / len(arms), colours, [f"{share:.1%}" for share in shares])
    right.set_xlabel("share of trials in the optimal allocation")
    return figure
