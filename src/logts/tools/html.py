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
        The texts. Heads that are all empty are left out.
    numbers
        Columns that are aligned to the right.
    marked
        Rows that are answers.
    """
    listed = list(rows)
    kinds = ["number" if column in numbers else "text" for column in range(len(heads))]
    columns = list(zip(heads, *listed, strict=True))
    widths = [_least_width(kind, column) for kind, column in zip(kinds, columns, strict=True)]
    head = [f"<thead>{_row('th', heads, kinds, widths)}</thead>"] if any(heads) else []
    lines = [
        _row("td", row, kinds, [""] * len(heads) if head or at else widths, "answer" if at in marked else "")
        for at, row in enumerate(listed)
    ]
    return "\n".join(['<div class="wide"><table>', *head, "<tbody>", *lines, "</tbody></table></div>"])


def _row(tag: str, texts: Sequence[str], kinds: Sequence[str], widths: Sequence[str], kind: str = "") -> str:
    cells = (
        f"<{tag}{_class(each)}{width}>{_inside(text)}</{tag}>"
        for text, each, width in zip(texts, kinds, widths, strict=True)
    )
    return f"<tr{_class(kind)}>{''.join(cells)}</tr>"


def _inside(text: str) -> str:
    return text if isinstance(text, Drawn) else escape(text)


def _least_width(kind: str, column: Sequence[str]) -> str:
    """Words may be broken anywhere, but not before a column is as wide as what it holds, within reason."""
    width = min(1 + max(len(text) for text in column if not isinstance(text, Drawn)), WIDEST)
    return f' style="min-width: {width}ch"' if kind == "text" else ""


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
