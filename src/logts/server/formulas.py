"""Formulas that may come from elsewhere: columns, C(column), 0 and 1, with + - : * between them.

Formulas are evaluated as Python where they are made into features. So nothing that could call anything is let
through, nor what would make very many columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

STARS = 6  # products in a formula: each may double the terms
LONGEST = 1000  # letters
FACTOR = re.compile(r"\s*(?:(C\()\s*)?(?:`([^`\\\"']+)`|([A-Za-z_]\w*)|([01]))\s*(\))?\s*")
WANTED = "a formula over HTTP holds columns, C(column), 0 and 1, and + - : * between them"


def check_formula(formula: str, table: pd.DataFrame, most: int) -> None:
    """Refuse a formula that says anything else, or would make far more than so many columns."""
    body = formula.strip().removeprefix("~")
    if len(body) > LONGEST or body.count("*") > STARS:
        raise ValueError(f"{WANTED}, at most {LONGEST} letters and {STARS} products; got {formula[:100]!r}")
    at, columns, term = 0, 0.0, 1.0
    while True:
        found = FACTOR.match(body, at)
        if found is None or (found[1] is None) != (found[5] is None) or (found[1] and found[4]):
            raise ValueError(f"{WANTED}; not understood: {body[at : at + 40]!r}")
        term *= _levels(found, table)
        at = found.end()
        if at == len(body) or body[at] in "+-":
            columns, term = columns + term, 1.0
        if at == len(body):
            break
        if body[at] not in "+-:*":
            raise ValueError(f"{WANTED}; not understood: {body[at : at + 40]!r}")
        at += 1
    check_size(columns, most)


def check_columns(table: pd.DataFrame, used: list[str], most: int) -> None:
    """Refuse columns whose texts would make far more than so many parameters."""
    check_size(sum(_count(table[name]) for name in used if name in table), most)


def check_size(columns: float, most: int) -> None:
    """Refuse what would not be accepted once it is made, before it takes much room."""
    if columns > 2 * most + 2:
        raise ValueError(f"a model has at most {most:,} parameters here; this one has about {columns:,.0f}")


def _levels(found: re.Match[str], table: pd.DataFrame) -> float:
    """How many columns a factor makes, at most."""
    if found[4]:
        return 1.0
    name = found[2] or found[3]
    if name not in table:
        known = ", ".join(map(str, table.columns))
        raise ValueError(f"no column is called {name!r}; the columns are {known}")
    return float(table[name].nunique() if found[1] else _count(table[name]))


def _count(values: pd.Series) -> int:
    """One for numbers, else the levels."""
    import pandas as pd

    return 1 if pd.api.types.is_numeric_dtype(values) else int(values.nunique())
