"""Parts of a page of HTML: paragraphs and tables of plain texts, which are escaped here and nowhere else."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# Not allowed in HTML.
CONTROLS = {code: " " for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"}
WIDEST = 28  # letters: so wide a column may at least be


class Drawn(str):
    """A cell that is HTML already."""

    __slots__ = ()


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text; nothing if there is none."""
    return f"<p{_class(kind)}>{escape(text)}</p>" if text else ""


def cell(value: Any) -> str:
    """A value as the text of a cell of a table."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    marked: Sequence[int] = (),
) -> str:
    """A table of plain texts, and of what is :class:`Drawn`.

    Parameters
    ----------
    heads, rows
        The texts.
    numbers
        Columns that are aligned to the right.
    marked
        Rows that are answers.
    """
    listed = list(rows)
    kinds = ["number" if column in numbers else "text" for column in range(len(heads))]
    top = "".join(
        f"<th{_class(kind)}{_least_width(kind, column)}>{escape(column[0])}</th>"
        for kind, column in zip(kinds, zip(heads, *listed, strict=True), strict=True)
    )
    lines = [
        f"<tr{_class('answer' if at in marked else '')}>"
        + "".join(f"<td{_class(kind)}>{_inside(text)}</td>" for text, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for at, row in enumerate(listed)
    ]
    opening = ['<div class="wide"><table>', f"<thead><tr>{top}</tr></thead>", "<tbody>"]
    return "\n".join([*opening, *lines, "</tbody></table></div>"])


def _inside(text: str) -> str:
    return text if isinstance(text, Drawn) else escape(text)


def _least_width(kind: str, column: Sequence[str]) -> str:
    """Words may be broken anywhere, but not before a column is as wide as what it holds, within reason."""
    width = min(1 + max(len(text) for text in column if not isinstance(text, Drawn)), WIDEST)
    return f' style="min-width: {width}ch"' if kind == "text" else ""


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
