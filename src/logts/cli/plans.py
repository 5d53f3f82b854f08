"""A plan as it is shown: a table for people, facts for machines, a picture."""

import math
from pathlib import Path
from typing import Any

from rich.table import Table

from logts.cli.files import save_picture
from logts.cli.inputs import Choice
from logts.planning import Expected, Plan
from logts.planning.bounds import LowerBound
from logts.plots import plot_plan

KINDS = {"model": "decided by the model", "model-free": "without the model", "guess": "not decided"}


def table_of(found: Plan) -> Table:
    """A column for each policy."""
    policies = {"Log-TS": found.log_ts, "uniform": found.uniform}
    table = Table("", *policies, box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in table.columns[1:]:
        heading.justify = "right"
    listed = list(policies.values())
    table.add_row("median of the trials", *(policy.written(policy.median) for policy in listed))
    table.add_row("  its 95% interval", *map(_interval, listed))
    most = (policy.written(policy.quantile(0.9)) for policy in listed)
    table.add_row("90% of the studies need at most", *most)
    table.add_row("simulated studies", *(f"{len(policy.runs)}" for policy in listed))
    for kind, words in KINDS.items():
        table.add_row(f"  {words}", *(f"{policy.basis.get(kind, 0)}" for policy in listed))
    table.add_row("  wrong", *(f"{policy.wrong}" for policy in listed))
    return table


def _interval(policy: Expected) -> str:
    low, high = policy.median_interval
    return f"{low:,.0f} to {policy.written(high)}" if 0.0 < low < math.inf else "-"


def facts_of(found: Plan) -> dict[str, Any]:
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


def prices_in_words(choice: Choice, found: Plan, other: Plan) -> list[str]:
    """What the question costs without a model and with one, side by side."""
    own, modelled = (other, found) if choice.modelled else (found, other)
    how = "with this model" if choice.formula is not None else "if the columns add up on the logit scale"
    prices = [f"on their own {_price(own)}", f"{how} {_price(modelled)}"]
    if not choice.modelled:
        prices[1] += " (--additive)"
    return [f"Prices: {'; '.join(prices)}."]


def _price(plan: Plan) -> str:
    middle = plan.log_ts.median
    if not math.isfinite(middle):
        return f"more than {plan.log_ts.limit or 0:,} trials"
    return f"about {float(f'{middle:.2g}'):,.0f} trials"


def _bound(bound: LowerBound) -> dict[str, Any]:
    return {
        "trials": _finite(bound.samples),
        "gap": bound.gap,
        "proven": bound.proven,
        "answer": str(bound.answer),
    }


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


def draw(found: Plan, path: Path) -> None:
    """Save the picture of a plan."""
    free = found.bound_without_model
    bounds = {"any method, at least": found.bound.samples}
    if free is not None:
        bounds = {
            "with these features, at least": found.bound.samples,
            "without them, at least": free.samples,
        }
    trials = {"Log-TS": found.log_ts.trials, "uniform": found.uniform.trials}
    save_picture(plot_plan(trials, bounds, title=found.headline), path)
