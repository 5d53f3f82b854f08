"""A page of HTML that needs nothing but itself: its style, tables, and pictures as inline SVG."""

import io
import os
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
CONTROLS = {code: " " for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"}  # not allowed in HTML
STYLE = """
:root { color-scheme: light dark;
  --ink: #22313f; --soft: #5b6b7a; --line: #d9e0e7; --paper: #ffffff; --shade: #f4f6f8; --accent: #d1495b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --soft: #a3b1bf; --line: #3a4753; --paper: #171d23; --shade: #212930; --accent: #ef7d8c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.2rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; }
p { margin: .5rem 0; }
.question, figcaption, .note, footer { color: var(--soft); }
.verdict { border-left: .35rem solid var(--soft); background: var(--shade); border-radius: .3rem; padding: .9rem 1.2rem;
  margin: 1.2rem 0; }
.verdict strong { font-size: 1.35rem; line-height: 1.3; display: block; }
.verdict.proven { border-color: var(--accent); }
.verdict.doubtful { border-color: #d08700; }
figure { margin: 1rem 0 1.6rem; }
figcaption, .note, footer { font-size: .92rem; }
.wide { overflow-x: auto; }
.picture { background: #ffffff; border-radius: .3rem; }
.picture svg { display: block; height: auto; width: 100%; }
.picture svg * { stroke-linejoin: round; stroke-linecap: butt; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .55rem .25rem 0; text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th.text, td.text { max-width: 22rem; overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; }
.number + .text { padding-left: .8rem; }
tr.answer td { font-weight: 600; }
tr.answer td:first-child { color: var(--accent); }
@media print {
  :root { --ink: #000000; --soft: #444444; --line: #cccccc; --paper: #ffffff; --shade: #f4f6f8; --accent: #b52b3f; }
  body { font-size: 10.5pt; max-width: none; padding: 0; }
  figure, .verdict, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .wide { overflow: visible; }
  .picture svg { min-width: 0 !important; }
}
"""
_drawing = threading.Lock()  # matplotlib's settings and Python's warnings are shared by all threads


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document."""
    head = ['<meta charset="utf-8">', '<meta name="viewport" content="width=device-width, initial-scale=1">']
    head += [f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>"]
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *parts, "</body>", "</html>", ""]
    return "\n".join(lines).translate(CONTROLS)


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text; nothing if there is none."""
    return f"<p{_class(kind)}>{escape(text)}</p>" if text else ""


def cell(value: Any) -> str:
    """A value as the text of a cell of a table."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = (), marked: Sequence[int] = ()) -> str:
    """A table of plain texts. ``numbers`` are columns that are aligned to the right, ``marked`` rows that are answers."""
    listed = list(rows)
    kinds = ["number" if column in numbers else "text" for column in range(len(heads))]
    # Words may be broken anywhere, but not before a column is as wide as what it holds, within reason.
    widths = [min(1 + max(len(cell) for cell in column), 28) for column in zip(heads, *listed, strict=True)]
    sizes = [f' style="min-width: {width}ch"' if kind == "text" else "" for kind, width in zip(kinds, widths, strict=True)]
    top = "".join(f"<th{_class(kind)}{size}>{escape(head)}</th>" for head, kind, size in zip(heads, kinds, sizes, strict=True))
    lines = [
        f"<tr{_class('answer' if at in marked else '')}>"
        + "".join(f"<td{_class(kind)}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for at, row in enumerate(listed)
    ]
    return "\n".join(['<div class="wide"><table>', f"<thead><tr>{top}</tr></thead>", "<tbody>", *lines, "</tbody></table></div>"])


def picture(figure: "Figure", key: str, caption: str) -> str:
    """A figure as inline SVG with its caption. ``key`` keeps its ids apart from those of other pictures on the page."""
    import matplotlib as mpl

    drawn = io.StringIO()
    # Text stays text: small, searchable, and in the reader's fonts, which may know letters that matplotlib's do not.
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key}
    with _drawing, warnings.catch_warnings(), mpl.rc_context(settings):
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(drawn, format="svg")
    root = ET.fromstring(drawn.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for element in root.iter():
        given = dict(element.attrib)
        element.attrib.clear()
        for name, value in given.items():
            element.set(name.replace(XLINK, ""), _keyed(name.replace(XLINK, ""), value, key))
    width = float(root.attrib["viewBox"].split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # On a phone it is scrolled rather than shrunk beyond reading.
    root.attrib.update(role="img", style=f"min-width: {0.68 * width:.0f}px; max-width: {1.4 * width:.0f}px")
    root.set("aria-label", caption)
    ET.register_namespace("", SVG.strip("{}"))
    body = ET.tostring(root, encoding="unicode")
    return f'<figure><div class="wide picture">{body}</div><figcaption>{escape(caption)}</figcaption></figure>'


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


def _keyed(name: str, value: str, key: str) -> str:
    if name == "id":
        return f"{key}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{key}-{value[1:]}"
    return value.replace("url(#", f"url(#{key}-")


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
