"""A page of HTML that needs nothing but itself: its style stands in ``page.css``."""

import os
import threading
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from pathlib import Path

from logts.tools.html import CONTROLS

STYLE = files("logts.reports").joinpath("page.css").read_text(encoding="utf-8")
HEAD = (
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
)


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document."""
    head = [*HEAD, f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>"]
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>"]
    lines += ["<body>", *parts, "</body>", "</html>", ""]
    return "\n".join(lines).translate(CONTROLS)


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
