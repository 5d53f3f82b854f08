"""``logts compile``: compile now, so that no study waits."""

import time
from functools import partial

import click

from logts.arms import Arms
from logts.cli.commands import COMMANDS
from logts.planning.simulate import Rates, simulate
from logts.policies import LogTS
from logts.problems import BestArm
from logts.study import Study
from logts.tools.compiling import progress
from logts.tools.parallel import run_all

POINTS = [[1.0, 0.0], [0.0, 1.0], [0.9, 0.4]]
# The two kinds of evidence take about as long as each other, and share little.
PARTS = ("names", "model")


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
    for found in run_all(_compile, [(part,) for part in PARTS], jobs=jobs):
        seconds |= found
    seconds |= _compile("study")
    spent = time.perf_counter() - begin
    click.echo(f"{len(seconds)} functions compiled in {spent:.0f} s, in {jobs} processes; kept for later")
    for name in sorted(seconds, key=lambda name: -seconds[name])[:slowest]:
        click.echo(f"{seconds[name]:6.2f} s  {name}")


def _compile(part: str) -> dict[str, float]:
    """Do something small that needs the code, and return the seconds for each function compiled here."""
    if part == "names":
        simulate("log-ts", Arms(names=["a", "b", "c"]), Rates([0.8, 0.4, 0.3]), BestArm(), runs=1, rng=0)
    elif part == "model":
        simulate(partial(LogTS, guard=False), Arms(POINTS), [1.0, 0.0], BestArm(), runs=1, rng=0)
    else:
        simulate("log-ts", Arms(POINTS), [1.0, 0.0], BestArm(), runs=1, rng=0)
        with Study.create("memory://compile", "compile", arms=Arms(POINTS), problem=BestArm()) as study:
            trials = study.ask(40)
            study.tell(trials, [trial.number % 2 == 0 for trial in trials])
            study.rates()
    return progress.seconds
