"""Success rates beside the share of trials that the optimal allocation gives each option."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from logts.bounds import LowerBound
from logts.logistic.kernels import mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, ACCENT, PALE = "#22313f", "#d1495b", "#9fb3c8"


def plot_allocation(bound: LowerBound, theta: ArrayLike, *, most: int = 20, title: str | None = None) -> "Figure":
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
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'logts[plots]'") from error
    arms = bound.arms
    if bound.design is None or bound.answer is None:
        raise ValueError(f"there is no allocation to draw: {bound.note}")
    logits = arms.points @ arms.coordinates(theta)[: arms.dimension]
    rates = np.array([mean(logit) for logit in logits])
    chosen = np.argsort(-bound.weights, kind="stable")[:most]
    chosen = chosen[np.argsort(rates[chosen], kind="stable")]
    answers = set(bound.answer.items) if arms.items.points is arms.points else set()
    colours = [ACCENT if i in answers else PALE for i in chosen]
    rows = np.arange(len(chosen))
    figure, (left, right) = plt.subplots(
        1, 2, sharey=True, figsize=(9.5, 1.5 + 0.28 * len(chosen)), layout="constrained", gridspec_kw={"wspace": 0.04}
    )
    left.hlines(rows, 0, rates[chosen], color=colours, lw=1.2)
    left.scatter(rates[chosen], rows, color=colours, s=36, zorder=3)
    left.set(xlim=(0, 1), xlabel="success rate", yticks=rows)
    left.set_yticklabels([arms.names[i] for i in chosen])
    shares = bound.weights[chosen]
    right.barh(rows, shares, color=colours, height=0.62)
    even = 1 / len(arms)
    right.axvline(even, color=INK, lw=1, ls=":")
    right.annotate("even shares", (even, len(rows) - 0.45), (4, 0), textcoords="offset points", fontsize=8, color=INK, va="bottom")
    for row, share in zip(rows, shares, strict=True):
        beside = max(share, even)  # clear of the dotted line
        right.annotate(f"{share:.1%}", (beside, row), (4, 0), textcoords="offset points", va="center", fontsize=8, color=INK)
    right.set(xlim=(0, 1.15 * max(shares.max(), even)), xlabel="share of trials in the optimal allocation")
    for axes in (left, right):
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    for axes in (left, right):
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_axisbelow(True)
        axes.grid(axis="x", color="#e6ebf0", lw=0.8)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, color=INK)
    return figure
