"""A page of HTML that needs nothing but itself: its style, which stands in ``page.css``, texts and tables."""

import os
import threading
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

# Not allowed in HTML.
CONTROLS = {code: " " for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"}
STYLE = files("logts.reports").joinpath("page.css").read_text(encoding="utf-8")
HEAD = (
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
)
WIDEST = 28  # letters: so wide a column may at least be


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document."""
    head = [*HEAD, f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>"]
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>"]
    lines += ["<body>", *parts, "</body>", "</html>", ""]
    return "\n".join(lines).translate(CONTROLS)


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
    """A table of plain texts.

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
        + "".join(f"<td{_class(kind)}>{escape(text)}</td>" for text, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for at, row in enumerate(listed)
    ]
    opening = ['<div class="wide"><table>', f"<thead><tr>{top}</tr></thead>", "<tbody>"]
    return "\n".join([*opening, *lines, "</tbody></table></div>"])


def _least_width(kind: str, column: Sequence[str]) -> str:
    """Words may be broken anywhere, but not before a column is as wide as what it holds, within reason."""
    width = min(1 + max(len(text) for text in column), WIDEST)
    return f' style="min-width: {width}ch"' if kind == "text" else ""


def write(path: str | os.PathLike[str], text: str) -> Path:
    """Write a file as a whole: who reads it meanwhile sees the old one or the new one."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        beside.write_text(text, encoding="utf-8", errors="xmlcharrefreplace")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return target


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
