"""Tables as people save them: a CSV with a header, values as they are meant and as they are written."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Rows:
    """A table of options: its values, the same as they are written, and what it is called."""

    values: pd.DataFrame
    written: pd.DataFrame
    name: str


def rows_of_file(path: Path) -> Rows:
    """The rows of a CSV file, which is called like it."""
    return Rows(read_table(path), read_table(path, as_text=True), path.stem)


def rows_of_text(text: str, name: str) -> Rows:
    """The rows of a table that is given as text."""
    values, written = (_checked(lambda: io.StringIO(text), name, as_text=plain) for plain in (False, True))
    return Rows(values, written, name)


def rows_of_records(records: Sequence[Mapping[str, Any]], name: str) -> Rows:
    """The rows of a table that is given as what each row holds, by column."""
    import pandas as pd

    return rows_of_text(pd.DataFrame(list(records)).to_csv(index=False), name)


def read_table(path: Path, *, as_text: bool = False) -> pd.DataFrame:
    """A CSV file with a header and at least one row; ``as_text`` leaves values as they are written."""
    return _checked(lambda: path, str(path), as_text=as_text)


def _checked(source: Callable[[], Path | io.StringIO], name: str, *, as_text: bool) -> pd.DataFrame:
    import pandas as pd

    try:
        table = _read_csv(source(), as_text=as_text)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is not a CSV table with a header: {error}") from error
    if table.empty:
        raise ValueError(f"{name} has a header and no rows: give a row for each option")
    if len(table.columns) == 1 and any(mark in str(table.columns[0]) for mark in ";\t"):
        raise ValueError(
            f"{name} seems to have its columns parted by {str(table.columns[0])!r}: save it with commas"
        )
    return table


def _read_csv(source: Path | io.StringIO, *, as_text: bool = False) -> pd.DataFrame:
    import pandas as pd

    if as_text:
        return pd.read_csv(source, dtype=str, keep_default_na=False)
    return pd.read_csv(source, keep_default_na=False, na_values=[""])


def column(table: pd.DataFrame, name: str) -> pd.Series:
    """A column by name, or a sentence with the names there are."""
    if name not in table:
        raise ValueError(
            f"no column is called {name!r}; the columns are {', '.join(map(str, table.columns))}"
        )
    return table[name]
