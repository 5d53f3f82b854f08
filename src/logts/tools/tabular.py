"""Tables as they leave the package: columns that become a pandas or a polars frame."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from logts.tools.algebra import Array


class Coded(NamedTuple):
    """A column of few different values: these, and which of them each row has."""

    values: list[Any]
    which: Array


class Tabular:
    """Something that is a table as well: it says its columns, and is had as a frame."""

    def columns(self) -> Mapping[str, Any]:
        """The columns by name, each an array, a list or :class:`Coded`.

        Returns
        -------
        dict
            The columns.
        """
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            The same rows.
        """
        return pandas_frame(self.columns())

    def to_polars(self) -> Any:
        """The table as a polars frame.

        Returns
        -------
        polars.DataFrame
            The same rows.
        """
        return polars_frame(self.columns())


def pandas_frame(columns: Mapping[str, Any]) -> Any:
    """A frame of pandas with these columns."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("this needs pandas: pip install pandas") from error
    return pd.DataFrame(
        {
            name: pd.Series(column.values).take(column.which).array if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )


def polars_frame(columns: Mapping[str, Any]) -> Any:
    """A frame of polars with these columns."""
    try:
        import polars as pl
    except ImportError as error:
        raise ImportError("this needs polars: pip install polars") from error
    return pl.DataFrame(
        {
            name: pl.Series(column.values).gather(column.which) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )
