"""``logts plan``: how many trials a study of these options would take, before it starts."""

import contextlib
import json
import sys
from pathlib import Path

import click
from rich.console import Console

from logts.arms import Arms
from logts.cli.commands import COMMANDS
from logts.cli.files import FORCE, unless_taken
from logts.cli.guesses import read_guesses
from logts.cli.inputs import Asking, arms_options, table_or_grid
from logts.cli.options import DELTA
from logts.cli.plans import draw, table_of
from logts.planning import Plan, world_with_effect
from logts.planning import plan as make_plan
from logts.planning.simulate import Rates
from logts.problems import Problem
from logts.reports.plan_facts import facts_of, prices_in_words
from logts.tables import Choice, Rows, other_way, read_options
from logts.tools.algebra import Array

ENDINGS = (".png", ".svg", ".pdf")
EXAMPLE = (
    "Example: logts plan options.csv --formula '~ price + contract' --effect 0.05 --best -j 2 --out plan.png"
)


@COMMANDS.enter("plan", place=10)
@click.command(cls=Asking, epilog=EXAMPLE)
@table_or_grid
@arms_options
@click.option(
    "--rates",
    metavar="COLUMN|FILE.csv",
    help="The column with guessed success rates, or a table with a column 'rate'.",
)
@click.option(
    "--effect",
    type=float,
    metavar="0.05",
    help="Or how clear the answer is at least, as a difference in rates.",
)
@click.option("--base", type=float, metavar="0.5", help="The rate around which all others lie (--effect).")
@DELTA
@click.option("--max-trials", type=int, help="Trials at most, in each study; then it ends with a guess.")
@click.option(
    "--runs",
    type=int,
    default=200,
    show_default=True,
    help="How many studies to simulate, if time permits.",
)
@click.option(
    "--seconds",
    type=float,
    default=10.0,
    show_default=True,
    help="About how long to simulate; 40 studies at least.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same studies.")
@click.option("-j", "--jobs", type=int, default=2, show_default=True, help="Processes.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the plan into this file (.png, .svg or .pdf).",
)
@FORCE
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON, for machines.")
def plan(
    rows: Rows,
    choice: Choice,
    problem: Problem,
    rates: str | None,
    effect: float | None,
    base: float | None,
    delta: float,
    max_trials: int | None,
    runs: int,
    seconds: float,
    seed: int,
    jobs: int,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """How many trials to expect, before starting.

    Studies are simulated in a guessed world: one with the rates that you guess, or one in which the answer is
    clear by an effect and no clearer (of several such worlds the hardest). Beside them stands what no method
    can do without.
    """
    _check(rates, effect, base, out)
    if out is not None:
        unless_taken(out, force)
    table = rows.values
    aside = [rates] if rates is not None and rates in table else []
    chosen = read_options(table, choice, aside=aside)
    other = other_way(table, choice, aside)

    def plan_of(arms: Arms) -> Plan:
        if effect is not None:
            truth: Rates | Array = world_with_effect(arms, problem, effect, base, rng=seed)
        else:
            truth = Rates(read_guesses(table, str(rates), arms, choice.names))
        return make_plan(
            arms,
            problem,
            truth=truth,
            delta=delta,
            runs=runs,
            rng=seed,
            jobs=jobs,
            max_trials=max_trials,
            seconds=seconds if other is None else 0.5 * seconds,
            progress=sys.stderr.isatty(),
        )

    found = plan_of(chosen.arms)
    prices: list[str] = []
    with contextlib.suppress(ValueError):  # there the effect has no world, or there is nothing to plan
        prices = prices_in_words(choice, found, plan_of(other.arms)) if other is not None else []
    if out is not None:
        draw(found, out)
    if as_json:
        click.echo(json.dumps(facts_of(found) | {"model": chosen.words, "prices": prices}))
    else:
        click.echo("\n".join(chosen.words))
        _print(found, effect)
        click.echo("\n" + "\n".join(prices))


def _check(rates: str | None, effect: float | None, base: float | None, out: Path | None) -> None:
    """Refuse options that do not go together before anything is read."""
    if (rates is None) == (effect is None):
        wanted = "--rates COLUMN or FILE.csv, or --effect 0.05"
        raise click.UsageError(f"say what to expect of the options: {wanted}")
    if base is not None and effect is None:
        raise click.UsageError("--base goes with --effect; rates say themselves where they lie")
    if out is not None and (out.suffix not in ENDINGS or not out.parent.is_dir()):
        ends = ", ".join(ENDINGS)
        raise click.UsageError(f"a picture goes to a folder that exists, and ends in {ends}; got {out}")


def _print(found: Plan, effect: float | None) -> None:
    console = Console()
    console.print(f"{found.arms}\n{found.problem}, delta = {found.delta:g}", highlight=False)
    clear = "" if effect is None else f", clear by {100 * effect:g} points"
    rates = f"rates from {found.rates.min():.1%} to {found.rates.max():.1%}"
    world = f"Guessed world{clear}: {rates}, {found.answer}"
    console.print(world, highlight=False, no_wrap=True, overflow="ellipsis")
    console.print(f"\n[bold]{found.headline}[/bold]\n", highlight=False)
    console.print(table_of(found))
    console.print("\n" + "\n".join(found.notes), highlight=False)
