"""What a column of a table can be changed from and to, as a weighted sum of the logits of the options.

In a model of the columns the logit of an option is ``x.theta``, with features x that a formula makes of its
columns. What becomes of the logits when a column takes another value and all else stays, on average over the
options, is ``f.theta`` with f the mean of the differences of the features. Where f is a sum ``a'F`` of the
rows of the table, this is ``a.eta``, eta being the logits of the options, whatever the coordinates of theta.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logts.arms import Arms
from logts.tables.read import rows_of_records
from logts.tools.algebra import Array
from logts.tools.frames import columns_of, factors_of, model_matrix, plain, together

if TYPE_CHECKING:
    import pandas as pd

AVERAGED = 1_000  # options; of more, so many that lie evenly in the table
SMALL = 1e-8  # of a sum of features: a rounding

Level = bool | int | float | str | None


@dataclass(frozen=True)
class Change:
    """A column that takes another value, or two of them of which one changes what the other does.

    Attributes
    ----------
    columns, before, after
        One column, or two, and the values that it has before and after.
    direction
        What becomes of the features.
    """

    columns: tuple[str, ...]
    before: tuple[Level, ...]
    after: tuple[Level, ...]
    direction: Array


def changes_of(arms: Arms) -> tuple[list[Change], Array]:
    """All changes of columns: first of each by itself, then of pairs that depend on each other.

    A category goes from its first level to each other one, a number from its smallest value to its
    largest. With them, for each a row of weights with which the logits of the options add up to what it
    does, NaN where the options cannot tell.
    """
    if not arms.own_items:
        raise ValueError("these options are compared with each other: rates() says how strong each is")
    if arms.formula is None:
        if arms.by_name:
            raise ValueError(
                "there is no model: each option has a rate of its own. Effects are those of columns that a "
                "formula names"
            )
        found = _of_numbers(arms)
        return found, _weights(arms.features, found)
    table, features = _table_of(arms, arms.formula)
    known = _Known(table, arms.formula)
    steps = {name: _steps(table, arms.formula, name) for name in columns_of(table, arms.formula)}
    found = [known.change((name,), (step,)) for name, listed in steps.items() for step in listed]
    found += [
        known.change(pair, (one, other))
        for pair in together(table, arms.formula)
        for one in steps[pair[0]]
        for other in steps[pair[1]]
    ]
    return found, _weights(features, found)


class _Known:
    """A table, and how its columns become features."""

    def __init__(self, table: pd.DataFrame, formula: str) -> None:
        features, _, self._encode = model_matrix(table, formula, None)
        self._width = features.shape[1]
        some = np.unique(np.linspace(0, len(table) - 1, AVERAGED).round().astype(np.intp))
        self._rows = table.iloc[some]
        self._means: dict[tuple[tuple[str, Level], ...], Array] = {}

    def change(self, columns: tuple[str, ...], steps: tuple[tuple[Level, Level], ...]) -> Change:
        """What these columns do when they take their steps; of two, by how much more together than alone."""
        direction = np.zeros(self._width)
        for ends in itertools.product((0, 1), repeat=len(columns)):
            values = {name: step[end] for name, step, end in zip(columns, steps, ends, strict=True)}
            sign = -1.0 if (len(columns) - sum(ends)) % 2 else 1.0
            direction += sign * self._mean(values)
        return Change(columns, tuple(step[0] for step in steps), tuple(step[1] for step in steps), direction)

    def _mean(self, values: dict[str, Level]) -> Array:
        """The features, averaged over the options, when these columns have these values in all of them."""
        key = tuple(values.items())
        if key not in self._means:
            self._means[key] = self._encode(self._rows.assign(**values), None)[0].mean(axis=0)
        return self._means[key]


def _weights(features: Array, changes: Sequence[Change]) -> Array:
    """The weights with which the rows add up to each direction; NaN where they cannot."""
    scaled = _scaled(features)
    wanted = np.array([change.direction for change in changes]).reshape(len(changes), features.shape[1])
    wanted /= _norms(features)
    weights: Array = wanted @ np.linalg.pinv(scaled)
    off = np.abs(weights @ scaled - wanted).max(axis=1, initial=0.0)
    weights[off > SMALL * np.abs(wanted).max(axis=1, initial=0.0)] = np.nan
    return weights


def _table_of(arms: Arms, formula: str) -> tuple[pd.DataFrame, Array]:
    """The columns of the options, as values or as they were written, that make the features by a formula."""
    import pandas as pd

    kept = pd.DataFrame(list(arms.columns))
    for as_written in (False, True):
        try:
            table = rows_of_records(arms.columns, "the options").values if as_written else kept
            features = model_matrix(table, formula, None)[0]
        except ValueError:
            continue
        if _same_span(features, arms.features):
            return table[columns_of(table, formula)], features
    raise ValueError(
        f"the columns that are kept with the options do not give their features by {formula!r}: effects are "
        "known where Arms got a frame with these columns and a formula"
    )


def _same_span(one: Array, other: Array) -> bool:
    ranks = [np.linalg.matrix_rank(_scaled(matrix)) for matrix in (one, other, np.hstack([one, other]))]
    return len(set(ranks)) == 1


def _scaled(matrix: Array) -> Array:
    return matrix / _norms(matrix)


def _norms(matrix: Array) -> Array:
    norms: Array = np.linalg.norm(matrix, axis=0)
    return np.where(norms > 0.0, norms, 1.0)


def _steps(table: pd.DataFrame, formula: str, name: str) -> list[tuple[Level, Level]]:
    """From the first level of a category to each other one; from the smallest number to the largest."""
    for factor in factors_of(table, formula):
        if factor.levels is not None and factor.columns == (name,):
            first, *others = factor.levels
            return [(plain(first), plain(other)) for other in others]
    low, high = plain(table[name].min()), plain(table[name].max())
    return [(low, high)] if low != high else []


def _of_numbers(arms: Arms) -> list[Change]:
    """Features without names: one more of each that differs between options."""
    found = []
    for number, values in enumerate(arms.features.T):
        if np.ptp(values) > 0.0:
            found.append(Change((f"feature {number + 1}",), (0,), (1,), np.eye(len(arms.features.T))[number]))
    return found
