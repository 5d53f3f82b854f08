"""A plan as it is shown: a table for people, facts for machines, a picture."""

import math
from pathlib import Path

from rich.table import Table

from logts.cli.files import save_picture
from logts.planning import Expected, Plan
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
