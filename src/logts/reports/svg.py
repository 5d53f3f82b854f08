"""A picture on a page: a figure of matplotlib as inline SVG, which needs no other file."""

import io
import threading
import warnings
import xml.etree.ElementTree as ET
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
_drawing = threading.Lock()  # matplotlib's settings and Python's warnings are shared by all threads


def picture(figure: "Figure", key: str, caption: str) -> str:
    """A figure with its caption. ``key`` keeps its ids apart from those of other pictures on the page."""
    root = ET.fromstring(_drawn(figure, key))
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
    below = f"<figcaption>{escape(caption)}</figcaption>"
    return f'<figure><div class="wide picture">{body}</div>{below}</figure>'


def _drawn(figure: "Figure", key: str) -> str:
    """The SVG as matplotlib writes it."""
    import matplotlib as mpl

    drawn = io.StringIO()
    # Text stays text: small, searchable, and in the reader's fonts, which may know letters that matplotlib's
    # do not.
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key}
    with _drawing, warnings.catch_warnings(), mpl.rc_context(settings):
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(drawn, format="svg")
    return drawn.getvalue()


def _keyed(name: str, value: str, key: str) -> str:
    if name == "id":
        return f"{key}-{value}"
    if name == "href" and value.startswith("#"):
        return f"#{key}-{value[1:]}"
    return value.replace("url(#", f"url(#{key}-")
