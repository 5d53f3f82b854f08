"""``logts plan``: how many trials a study of these options would take, before it starts."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import click
import pandas as pd
from rich.console import Console
from rich.table import Table

from logts.arms import Arms
from logts.cli.inputs import TABLE, Asking, arms_options, column, read_arms, read_table
from logts.planning import Expected, Plan, world_with_effect
from logts.planning import plan as make_plan
from logts.planning.bounds import LowerBound
from logts.planning.simulate import Rates
from logts.problems import Problem
from logts.tools.algebra import Array

ENDINGS = (".png", ".svg", ".pdf")
EXAMPLE = "logts plan options.csv --formula '~ price + contract' --effect 0.05 --best -j 2 --out plan.png"


@click.command(cls=Asking, epilog=f"Example: {EXAMPLE}")
@TABLE
@arms_options
@click.option("--rates", metavar="COLUMN|FILE.csv", help="The column with guessed success rates, or a table with a column 'rate'.")
@click.option("--effect", type=float, metavar="0.05", help="Or how clear the answer is at least, as a difference in rates.")
@click.option("--base", type=float, metavar="0.5", help="The rate around which all others lie (--effect).")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Permitted probability of a wrong answer.")
@click.option("--budget", type=int, help="Trials at most, in each study.")
@click.option("--runs", type=int, default=200, show_default=True, help="How many studies to simulate, if time permits.")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="About how long to simulate; 40 studies at least.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same studies.")
@click.option("-j", "--jobs", type=int, default=2, show_default=True, help="Processes.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Draw the plan into this file (.png, .svg or .pdf).")
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON, for machines.")
def plan(
    table: Path,
    formula: str | None,
    names: str | None,
    problem: Problem,
    rates: str | None,
    effect: float | None,
    base: float | None,
    delta: float,
    budget: int | None,
    runs: int,
    seconds: float,
    seed: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """How many trials to expect, before starting.

    Studies are simulated in a guessed world: one with the rates that you guess, or one in which the answer is clear by an effect
    and no clearer (of several such worlds the hardest). Beside them stands what no method can do without.
    """
    if (rates is None) == (effect is None):
        raise click.UsageError("say what to expect of the options: --rates COLUMN or FILE.csv, or --effect 0.05")
    if base is not None and effect is None:
        raise click.UsageError("--base goes with --effect; rates say themselves where they lie")
    if out is not None and (out.suffix not in ENDINGS or not out.parent.is_dir()):
        raise click.UsageError(f"a picture goes to a folder that exists, and ends in {', '.join(ENDINGS)}; got {out}")
    rows = read_table(table)
    arms = read_arms(rows, formula, names, aside=[rates] if rates is not None and rates in rows else [])
    if effect is not None:
        truth: Rates | Array = world_with_effect(arms, problem, effect, base, rng=seed)
    else:
        truth = Rates(_guesses(rows, str(rates), arms, names))
    show = sys.stderr.isatty()
    found = make_plan(
        arms, problem, truth=truth, delta=delta, runs=runs, rng=seed, jobs=jobs, max_trials=budget, seconds=seconds, progress=show
    )
    if out is not None:
        _picture(found, out)
    if as_json:
        click.echo(json.dumps(_facts(found)))
        return
    console = Console()
    console.print(f"{arms}\n{problem}, delta = {delta:g}", highlight=False)
    clear = "" if effect is None else f", clear by {100 * effect:g} points"
    world = f"Guessed world{clear}: rates from {found.rates.min():.1%} to {found.rates.max():.1%}, {found.answer}"
    console.print(world, highlight=False, no_wrap=True, overflow="ellipsis")
    console.print(f"\n[bold]{found.headline}[/bold]\n", highlight=False)
    console.print(_summary(found))
    console.print("\n" + "\n".join(found.notes), highlight=False)


def _guesses(options: pd.DataFrame, rates: str, arms: Arms, names: str | None) -> Array:
    """One guessed rate for each option, from a column or from a table of its own."""
    if rates in options:
        guessed = column(options, rates)
    elif Path(rates).is_file():
        guessed = _matched(read_table(Path(rates)), rates, arms, names)
    else:
        raise click.ClickException(
            f"{rates!r} is neither a file nor a column; the columns are {', '.join(map(str, options.columns))}"
        )
    numbers = pd.to_numeric(guessed, errors="coerce").to_numpy(dtype=float)
    for name, number, written in zip(arms.names, numbers, guessed, strict=True):
        if not 0.0 < number < 1.0:
            raise click.ClickException(f"a guessed rate lies strictly between 0 and 1; that of {name} is {written}")
    return numbers


def _matched(table: pd.DataFrame, path: str, arms: Arms, names: str | None) -> pd.Series:
    """The rates of a table in the order of the options: by their names if a column holds these, otherwise row by row."""
    guessed, known = column(table, "rate"), set(arms.names)
    labels = {str(label): table[label].astype(str) for label in table.columns if label != "rate"}
    held = [label for label, values in labels.items() if label == names or (values.is_unique and known & set(values))]
    if not held:
        if len(table) != len(arms):
            raise click.ClickException(
                f"{path} has {len(table)} rates for {len(arms)} options: give one for each, or their names too"
            )
        return guessed
    found = labels[names if names in held else held[0]]
    if not found.is_unique:
        raise click.ClickException(f"{path} has more than one rate for {found[found.duplicated()].iloc[0]}")
    for name in (*arms.names, *found):
        if name not in known or name not in set(found):
            raise click.ClickException(f"{path} and the options do not go together: only one of them has {name}")
    return guessed.set_axis(found).loc[list(arms.names)]


def _summary(found: Plan) -> Table:
    """A column for each policy."""
    policies = {"Log-TS": found.log_ts, "uniform": found.uniform}
    table = Table("", *policies, box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in table.columns[1:]:
        heading.justify = "right"
    table.add_row("median of the trials", *(policy.tell(policy.median) for policy in policies.values()))
    table.add_row("  its 95% interval", *map(_interval, policies.values()))
    table.add_row("90% of the studies need at most", *(policy.tell(policy.quantile(0.9)) for policy in policies.values()))
    table.add_row("simulated studies", *(f"{len(policy.runs)}" for policy in policies.values()))
    for words, kind in (("decided by the model", "model"), ("without the model", "model-free"), ("not decided", "guess")):
        table.add_row(f"  {words}", *(f"{policy.basis.get(kind, 0)}" for policy in policies.values()))
    table.add_row("  wrong", *(f"{policy.wrong}" for policy in policies.values()))
    return table


def _interval(policy: Expected) -> str:
    low, high = policy.median_interval
    return f"{low:,.0f} to {policy.tell(high)}" if 0.0 < low < math.inf else "-"


def _facts(found: Plan) -> dict[str, Any]:
    """The plan for machines; null stands for what is infinite."""
    free = found.bound_without_model
    return {
        "answer": found.answer,
        "delta": found.delta,
        "rates": dict(zip(found.arms.names, found.rates.tolist(), strict=True)),
        "misfit": found.misfit,
        "lower_bound": _bound(found.bound),
        "lower_bound_without_model": None if free is None else _bound(free),
        "log_ts": _policy(found.log_ts),
        "uniform": _policy(found.uniform),
        "summary": found.summary(),
    }


def _bound(bound: LowerBound) -> dict[str, Any]:
    return {"trials": _finite(bound.samples), "gap": bound.gap, "proven": bound.proven, "answer": str(bound.answer)}


def _policy(policy: Expected) -> dict[str, Any]:
    return {
        "median": _finite(policy.median),
        "median_interval": [_finite(end) for end in policy.median_interval],
        "quantile_90": _finite(policy.quantile(0.9)),
        "studies": len(policy.runs),
        "basis": policy.basis,
        "wrong": policy.wrong,
        "limit": policy.limit,
        "trials": [_finite(trials) for trials in policy.trials],
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _picture(found: Plan, path: Path) -> None:
    from logts.plots import plot_plan

    free = found.bound_without_model
    bounds = {"any method, at least": found.bound.samples}
    if free is not None:
        bounds = {"with these features, at least": found.bound.samples, "without them, at least": free.samples}
    trials = {"Log-TS": found.log_ts.trials, "uniform": found.uniform.trials}
    plot_plan(trials, bounds, title=found.headline).savefig(path, dpi=150)
