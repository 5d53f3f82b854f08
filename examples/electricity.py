"""Which electricity contract do people choose, and what does it cost to be sure?

Reads the recorded experiment, fits the additive logistic model, and prints the least number of trials that
any method needs to name the best contract, with the allocation of trials that needs no more. Saves a picture
in ``out/``.
"""

from pathlib import Path

import matplotlib as mpl
import pandas as pd

import logts
from logts.experiments import datasets
from logts.logistic import maximum_likelihood
from logts.plots import plot_allocation

DELTA = 0.05


def main() -> None:
    """Run the example."""
    mpl.use("Agg")
    table = pd.read_csv(datasets.path("electricity_choice"))
    arms = logts.Arms(table, "~ price + contract + supplier")
    fit = maximum_likelihood(arms.points, table["trials"].to_numpy(), table["successes"].to_numpy())
    theta = arms.parameter(fit.theta)
    print(f"{arms}\n{int(table['trials'].sum()):,} recorded choices; fit: {fit.status}\n")

    bound = logts.lower_bound(arms, theta, logts.BestArm(), delta=DELTA)
    print(bound, "\n")
    print("What other questions would cost, at least, and by the paper's quadratic approximation:\n")
    print(f"  {'question':28} {'trials':>10} {'quadratic':>10}   answer")
    questions: list[logts.Problem] = [
        logts.BestArm(),
        logts.TopM(5),
        logts.Threshold(0.25),
        logts.VersusControl("9c/kWh | 0y | local"),
        logts.Ranking(),
    ]
    for question in questions:
        exact = logts.lower_bound(arms, theta, question, delta=DELTA)
        quadratic = logts.lower_bound(arms, theta, question, delta=DELTA, divergence="quadratic")
        answer = str(exact.answer)
        name = repr(question) if len(repr(question)) <= 28 else f"{type(question).__name__}(...)"
        print(
            f"  {name:28} {exact.samples:10,.0f} {quadratic.samples:10,.0f}   "
            f"{answer if len(answer) < 70 else answer[:67] + '...'}"
        )

    out = Path("out")
    out.mkdir(exist_ok=True)
    title = (
        f"To know the best of {len(arms)} contracts with {1 - DELTA:.0%} confidence takes at least "
        f"{bound.samples:,.0f} trials"
    )
    plot_allocation(bound, theta, most=16, title=title).savefig(out / "electricity_bound.png", dpi=150)
    print(f"\nPicture: {out / 'electricity_bound.png'}")


if __name__ == "__main__":
    main()
