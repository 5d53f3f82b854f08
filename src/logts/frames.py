"""The border to dataframes: pandas, polars and whatever else narwhals knows, through formulaic."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from logts.algebra import Array

Encoder = Callable[[Any, Sequence[str] | str | None], tuple[Array, list[str] | None]]


def is_frame(value: Any) -> bool:
    """Whether ``value`` is a table with named columns."""
    return hasattr(value, "columns") and hasattr(value, "shape")


def model_matrix(frame: Any, formula: str | None, names: Sequence[str] | str | None) -> tuple[Array, list[str] | None, Encoder]:
    """Features and row names of a frame, and a function that encodes another frame the same way."""
    try:
        import formulaic
        import narwhals as nw
    except ImportError as error:
        raise ImportError("frames need formulaic and narwhals: pip install 'logts[frames]'") from error
    columns = list(nw.from_native(frame, eager_only=True).columns)
    if formula is None:
        raise ValueError(f"say which columns describe an arm: formula='~ {' + '.join(map(str, columns))}'")
    try:
        spec = formulaic.model_matrix(formula, frame, na_action="raise").model_spec
    except Exception as error:
        raise ValueError(f"formula {formula!r} does not fit a frame with columns {columns}: {error}") from error
    used = [name for name in columns if name in spec.required_variables]

    def encode(other: Any, labels: Sequence[str] | str | None) -> tuple[Array, list[str] | None]:
        matrix = np.asarray(spec.get_model_matrix(other, output="numpy", na_action="raise"), dtype=float)
        table = nw.from_native(other, eager_only=True)
        if isinstance(labels, str):
            if labels not in table.columns:
                raise ValueError(f"no column is called {labels!r}; the columns are {table.columns}")
            return matrix, [str(value) for value in table[labels].to_list()]
        joined = [" | ".join(map(str, row)) for row in table.select(used).iter_rows()]
        return matrix, joined if len(set(joined)) == len(joined) else None

    features, labels = encode(frame, names)
    return features, labels, encode
