"""Draws ``docs/images/wealth.png``: the wealth of a study over the parameter, with bets and without them."""

import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.special import expit

from logts import Arms, BestArm, LogTS
from logts.evidence.least import Seen, log_wealth
from logts.evidence.shift import Bets, stakes_of
from logts.experiments.instances import soare
from logts.tools.algebra import Array

DELTA = 0.1
RIVAL = 2  # the account that is drawn
PAGE = Path(__file__).with_name("images") / "wealth.png"


def decided(arms: Arms, theta: Array) -> LogTS:
    """A study that has just been decided."""
    rng = np.random.default_rng(4)
    rates = expit(arms.features @ theta)
    policy = LogTS(arms, BestArm(), delta=DELTA, guard=False)
    while policy.verdict is None:
        asked = policy.ask(policy.block)
        policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    return policy


def surface(policy: LogTS, grid: list[Array], *, bets: bool) -> Array:
    """Log M of the rival's account at every point, or the forecast alone with all the capital."""
    model = policy.judge._model
    wealth = model._placing.wealth
    tally = policy.judge.tally
    since = wealth.since(tally)
    (row,) = np.flatnonzero(wealth.accounts == RIVAL)
    rows = slice(None) if bets else slice(0)
    mine = Bets(
        wealth.constants[row][rows],
        wealth.slopes[row][rows],
        wealth.shifts[row][rows],
        wealth.low,
        wealth.high,
    )
    points = policy.arms.points
    start = tally.score + (wealth.forecast if bets else 0.0)
    seen = Seen(points, tally.trials, tally.successes, since.trials, start)
    stakes = stakes_of(points, since, mine)
    cash = float(wealth.cash[row]) if bets else -math.inf
    none = np.empty(0), np.empty((0, 0))
    places = np.column_stack([part.ravel() for part in grid])
    values = [log_wealth(seen, stakes, cash, policy.arms.coordinates(place), *none) for place in places]
    return np.reshape(values, grid[0].shape)


def draw(axes: Axes, policy: LogTS, grid: list[Array], title: str, *, bets: bool) -> None:
    """One panel."""
    values = surface(policy, grid, bets=bets)
    enough = math.log(1.0 / DELTA)
    steps = np.arange(-12, 13, 2)
    shown = axes.contourf(*grid, values - enough, levels=steps, cmap="RdBu", extend="both")
    axes.contour(*grid, values, levels=[enough], colors="black", linewidths=1.6)
    y = policy.arms.features[0] - policy.arms.features[RIVAL]
    across = grid[0][0]
    axes.plot(across, -y[0] / y[1] * across, "--", color="black", linewidth=1.0)
    said = axes.text(0.97, 0.88, "above the dashed line\nthe rival is best", transform=axes.transAxes)
    said.set(ha="right", color="white", fontsize=9)
    axes.plot(1.0, 0.0, "k*", markersize=10)
    axes.set(title=title, xlabel="first parameter", xlim=(across[0], across[-1]), ylim=(-1.1, 0.8))
    if bets:
        axes.figure.colorbar(shown, ax=axes, label="log M - log(1/delta)")


def main() -> None:
    """Draw both panels."""
    arms = Arms(soare(2, 0.5))
    policy = decided(arms, np.array([1.0, 0.0]))
    grid = list(np.meshgrid(np.linspace(-0.3, 1.9, 161), np.linspace(-1.1, 0.8, 161)))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True, layout="constrained")
    draw(left, policy, grid, "The forecast alone: not yet", bets=False)
    draw(right, policy, grid, f"With bets: proven after {policy.counts.sum():,.0f} trials", bets=True)
    left.set_ylabel("second parameter")
    figure.savefig(PAGE, dpi=110)


if __name__ == "__main__":
    main()
