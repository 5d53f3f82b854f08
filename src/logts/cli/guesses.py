"""Guessed rates: one for each option, from a column of its table or from a table of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from logts.arms import Arms
from logts.tables import column, read_table
from logts.tools.algebra import Array

if TYPE_CHECKING:
    import pandas as pd


def read_guesses(options: pd.DataFrame, rates: str, arms: Arms, names: str | None) -> Array:
    """A guessed rate for each option. ``rates`` is a column of theirs, or a file with a column ``rate``."""
    import pandas as pd

    if rates in options:
        guessed = column(options, rates)
    elif Path(rates).is_file():
        guessed = _matched(read_table(Path(rates)), rates, arms, names)
    else:
        known = ", ".join(map(str, options.columns))
        raise click.ClickException(f"{rates!r} is neither a file nor a column; the columns are {known}")
    numbers = pd.to_numeric(guessed, errors="coerce").to_numpy(dtype=float)
    for name, number, written in zip(arms.names, numbers, guessed, strict=True):
        if not 0.0 < number < 1.0:
            said = f"that of {name} is {written}"
            raise click.ClickException(f"a guessed rate lies strictly between 0 and 1; {said}")
    return numbers


def _matched(table: pd.DataFrame, path: str, arms: Arms, names: str | None) -> pd.Series:
    """The rates of a table in the order of the options: by names if a column holds these, else row by row."""
    guessed = column(table, "rate")
    known = set(arms.names)
    labels = {str(label): table[label].astype(str) for label in table.columns if label != "rate"}
    held = [
        label
        for label, values in labels.items()
        if label == names or (values.is_unique and known & set(values))
    ]
    if not held:
        if len(table) != len(arms):
            count = f"{len(table)} rates for {len(arms)} options"
            raise click.ClickException(f"{path} has {count}: give one for each, or their names too")
        return guessed
    found = labels[names if names in held else held[0]]
    if not found.is_unique:
        raise click.ClickException(f"{path} has more than one rate for {found[found.duplicated()].iloc[0]}")
    for name in (*arms.names, *found):
        if name not in known or name not in set(found):
            raise click.ClickException(
                f"{path} and the options do not go together: only one of them has {name}"
            )
    return guessed.set_axis(found).loc[list(arms.names)]
