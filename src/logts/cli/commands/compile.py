"""``logts compile``: compile now, so that no study waits."""

import time

import click
import numpy as np

from logts.arms import Arms
from logts.cli.commands import COMMANDS
from logts.evidence.placing import Placing
from logts.evidence.tally import Tally
from logts.evidence.wealth import Wealth
from logts.logistic.fit import maximum_likelihood
from logts.planning.simulate import Rates, simulate
from logts.problems import BestArm, Question
from logts.sampling.optimal import OptimalTracking
from logts.study import Study
from logts.tools.compiling import progress
from logts.tools.parallel import run_all

POINTS = [[1.0, 0.0], [0.0, 1.0], [0.9, 0.4]]
# Two halves that take about as long as each other and share little; a study finds what is left.
PARTS = (("weigh", "names"), ("place", "aim"))


@COMMANDS.enter("compile", place=95)
@click.command(epilog="Example: logts compile -j 2")
@click.option("-j", "--jobs", type=int, default=2, show_default=True, help="Processes.")
@click.option("--slowest", type=int, default=0, help="Show so many functions, with the seconds of each.")
def compile_now(jobs: int, slowest: int) -> None:
    """Compile for this machine now what studies need, so that the first one does not wait.

    What is compiled is kept beside the package, or where NUMBA_CACHE_DIR says, and done once for each version
    of the package and of numba.
    """
    begin = time.perf_counter()
    seconds: dict[str, float] = {}
    for found in run_all(_compile, PARTS, jobs=jobs):
        seconds |= found
    seconds |= _compile("study")
    spent = time.perf_counter() - begin
    click.echo(f"{len(seconds)} functions compiled in {spent:.0f} s, in {jobs} processes; kept for later")
    for name in sorted(seconds, key=lambda name: -seconds[name])[:slowest]:
        click.echo(f"{seconds[name]:6.2f} s  {name}")


def _compile(*parts: str) -> dict[str, float]:
    """Do something small that needs the code, and return the seconds for each function compiled here."""
    for part in parts:
        if part == "names":
            simulate("log-ts", Arms(names=["a", "b", "c"]), Rates([0.8, 0.4, 0.3]), BestArm(), runs=1, rng=0)
        elif part == "study":
            _study()
        else:
            _within_model(part)
    return progress.seconds


def _within_model(part: str) -> None:
    """One of the three things that are done at a look: weigh the evidence, place bets, aim at weights."""
    arms = Arms(POINTS)
    posed = Question(BestArm(), arms).at(arms.coordinates([1.0, 0.0]))
    tally = Tally.of_counts(np.array([20.0, 20.0, 20.0]), np.array([15.0, 10.0, 14.0]))
    if part == "weigh":
        fit = maximum_likelihood(arms.points, tally.trials, tally.successes)
        Wealth.at_first(*arms.points.shape, bets=True).weigh(arms.points, tally, fit, posed.alternatives)
    elif part == "place":
        Placing(arms.points, bets=True).place(tally, posed.theta, posed.alternatives)
    else:
        OptimalTracking(arms, divergence="quadratic", schedule="certificate").learn(posed, tally.trials)


def _study() -> None:
    arms = Arms(POINTS)
    simulate("log-ts", arms, [1.0, 0.0], BestArm(), runs=1, rng=0)
    with Study.create("memory://compile", "compile", arms=arms, problem=BestArm()) as study:
        trials = study.ask(40)
        study.tell(trials, [trial.number % 2 == 0 for trial in trials])
        study.rates()
