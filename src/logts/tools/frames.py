"""The border to dataframes: pandas, polars and whatever else narwhals knows, through formulaic."""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from logts.tools.algebra import Array

Encoder = Callable[[Any, Sequence[str] | str | None], tuple[Array, list[str] | None]]


def is_frame(value: Any) -> bool:
    """Whether ``value`` is a table with named columns."""
    return hasattr(value, "columns") and hasattr(value, "shape")


def plain_rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame as plain values by column; None where a value is missing."""
    import narwhals as nw

    rows = nw.from_native(frame, eager_only=True).to_dict(as_series=False)
    return [
        dict(zip(map(str, rows), map(plain, values), strict=True))
        for values in zip(*rows.values(), strict=True)
    ]


def plain(value: Any) -> bool | int | float | str | None:
    """A value as JSON can write it; None where it is missing."""
    if type(value) in (str, int, bool):  # most of very many
        return value
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or value != value:
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def model_matrix(
    frame: Any, formula: str | None, names: Sequence[str] | str | None
) -> tuple[Array, list[str] | None, Encoder]:
    """Features and row names of a frame, and a function that encodes another frame the same way."""
    try:
        import formulaic
        import narwhals as nw
        import pandas as pd
    except ImportError as error:
        raise ImportError("frames need formulaic and narwhals: pip install 'logts[frames]'") from error

    def table(other: Any) -> pd.DataFrame:
        """Formulaic works on pandas; other frames are small here and go there column by column."""
        known = nw.from_native(other, eager_only=True)
        return other if isinstance(other, pd.DataFrame) else pd.DataFrame(known.to_dict(as_series=False))

    first = table(frame)
    columns = [str(name) for name in first.columns]
    if formula is None:
        raise ValueError(f"say which columns describe an arm: formula='~ {' + '.join(columns)}'")
    try:
        spec = formulaic.model_matrix(formula, first, na_action="raise").model_spec
    except Exception as error:
        raise ValueError(
            f"formula {formula!r} does not fit a frame with columns {columns}: {error}"
        ) from error
    if not isinstance(spec, formulaic.ModelSpec):
        raise ValueError(
            f"formula {formula!r} describes arms and has no left side: write '~ "
            f"{formula.split('~')[-1].strip()}'"
        )
    used = [name for name in columns if name in spec.required_variables]

    def encode(other: Any, labels: Sequence[str] | str | None) -> tuple[Array, list[str] | None]:
        rows = table(other)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", formulaic.errors.DataMismatchWarning)
                matrix = np.asarray(
                    spec.get_model_matrix(rows, output="numpy", na_action="raise"), dtype=float
                )
        except formulaic.errors.DataMismatchWarning as error:
            raise ValueError(
                f"the items have a category that was not seen among the arms: {error}"
            ) from error
        except Exception as error:
            raise ValueError(f"formula {formula!r} does not fit the items: {error}") from error
        if isinstance(labels, str):
            if labels not in rows.columns:
                raise ValueError(
                    f"no column is called {labels!r}; the columns are {[str(name) for name in rows.columns]}"
                )
            return matrix, [str(value) for value in rows[labels]]
        joined = [" | ".join(map(str, row)) for row in rows[used].itertuples(index=False)]
        return matrix, joined if len(set(joined)) == len(joined) else None

    features, labels = encode(first, names)
    return features, labels, encode


@dataclass(frozen=True)
class Factor:
    """A part of a formula: the columns that it is made of, and its levels if it is a category."""

    label: str
    columns: tuple[str, ...]
    levels: tuple[Any, ...] | None


def columns_of(frame: Any, formula: str) -> list[str]:
    """The columns that a formula uses, in the order of the frame."""
    import formulaic

    names = [str(name) for name in frame.columns]
    try:
        wanted = formulaic.Formula(formula).required_variables
    except Exception as error:
        raise ValueError(f"formula {formula!r} cannot be read: {error}") from error
    missing = sorted(set(map(str, wanted)) - set(names))
    if missing:
        raise ValueError(
            f"formula {formula!r} names {missing[0]!r}, and no column is called that; there are "
            f"{', '.join(names)}"
        )
    return [name for name in names if name in wanted]


def factors_of(frame: Any, formula: str) -> list[Factor]:
    """The factors of a formula, in its order."""
    names = columns_of(frame, formula)
    found = []
    for expression, (kind, state) in _spec_of(frame, formula).encoder_state.items():
        category = str(kind).endswith("CATEGORICAL")
        levels = tuple(state["categories"]) if category else None
        found.append(Factor(str(expression).replace("`", ""), _used(str(expression), names), levels))
    return found


def together(frame: Any, formula: str) -> list[tuple[str, str]]:
    """Pairs of columns that a formula multiplies: what one does depends on the other."""
    names = columns_of(frame, formula)
    found: dict[tuple[str, str], None] = {}
    for term in _spec_of(frame, formula).terms:
        used = {name for factor in term.factors for name in _used(str(factor.expr), names)}
        found |= dict.fromkeys(combinations([name for name in names if name in used], 2))
    return list(found)


def _spec_of(frame: Any, formula: str) -> Any:
    import formulaic

    try:
        spec = formulaic.model_matrix(formula, frame, na_action="raise").model_spec
    except Exception as error:
        raise ValueError(f"formula {formula!r} does not fit the table: {error}") from error
    if not isinstance(spec, formulaic.ModelSpec):
        raise ValueError(f"formula {formula!r} describes options and has no left side: write '~ a + b'")
    return spec


def _used(expression: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns in a part of a formula."""
    label = expression.replace("`", "")
    return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", label))
