"""A plan as it is shown: a table for people, facts for machines, a picture."""

from pathlib import Path

from rich.table import Table

from logts.cli.files import save_picture
from logts.planning import Plan
from logts.planning.result import POLICIES
from logts.plots import plot_plan


def table_of(found: Plan) -> Table:
    """A column for each policy."""
    table = Table("", *POLICIES, box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in table.columns[1:]:
        heading.justify = "right"
    for row in found.table():
        table.add_row(*row)
    return table


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
