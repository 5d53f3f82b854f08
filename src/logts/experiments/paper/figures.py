"""The paper's figures: logarithm of samples against dimension."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from logts.experiments.paper.experiments import EXPERIMENTS, OWN
from logts.experiments.paper.runs import Cell, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = {
    "log-ts": ("Log-TS", "#d1495b", "o"),
    "rage-glm-r": ("RAGE-GLM-R", "#2e4057", "s"),
    "random": ("Random", "#8fa3b5", "^"),
}


def draw(name: str, rules: Sequence[str], cells: Mapping[Cell, Sequence[Row]]) -> "Figure":
    """A panel for each stopping rule, a line for each algorithm, whiskers for one standard deviation."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'logts[plots]'") from error
    experiment = EXPERIMENTS[name]
    figure = Figure(figsize=(1.0 + 2.5 * len(rules), 3.3), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(rules), sharey=True))
    for axes, rule in zip(panels, rules, strict=True):
        for algorithm in experiment.algorithms:
            label, colour, mark = LINES[algorithm]
            own = OWN if algorithm == "rage-glm-r" else rule
            seen = {size: cells.get(Cell(name, size, algorithm, own), []) for size in experiment.sizes}
            logs = {size: np.log10([row.samples for row in rows]) for size, rows in seen.items() if rows}
            middle = [values.mean() for values in logs.values()]
            spread = [values.std() for values in logs.values()]
            style: dict[str, Any] = {"marker": mark, "color": colour, "ms": 5, "lw": 1.4, "capsize": 2}
            axes.errorbar(list(logs), middle, spread, label=label, **style)
        axes.set_title(rule, fontsize=10)
        axes.set(xlabel="dimension d", xticks=experiment.sizes)
        axes.grid(color="#e6ebf0", lw=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("log10 of samples")
    panels[-1].legend(frameon=False, fontsize=8)
    figure.suptitle(experiment.title, x=0.01, ha="left", fontsize=12)
    return figure
