"""Recorded experiments to try things on; README.md beside this file names their sources."""

from importlib.resources import files
from pathlib import Path

NAMES = ("electricity_choice", "nyc_flights_block_month")


def path(name: str) -> Path:
    """Where the CSV file of a recorded experiment is: a row for each option, with its trials and successes.

    Examples
    --------
    >>> path("electricity_choice").read_text().splitlines()[0]
    'price,contract,supplier,successes,trials,fitted_rate'
    """
    if name not in NAMES:
        raise ValueError(f"no recorded experiment is called {name!r}; there are {', '.join(NAMES)}")
    return Path(str(files("logts.experiments.datasets") / f"{name}.csv"))
