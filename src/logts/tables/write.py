"""Tables for spreadsheets, in which no text is a formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def to_csv(table: pd.DataFrame) -> str:
    """A table as text in which no text is a formula to a spreadsheet."""
    texts = table.select_dtypes(["object", "string"])
    plain = table.assign(**{str(name): texts[name].map(harmless) for name in texts})
    return plain.rename(columns=harmless).to_csv(index=False)


def harmless(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe; all else stays as it is."""
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    return value if NUMBER.fullmatch(value) else f"'{value}"
