"""What a notebook shows: a small card of HTML that needs nothing but itself, in light and in dark ones.

Its style stands in ``card.css`` and reaches no further than the card.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files

from logts.tools.html import CONTROLS, Drawn, paragraph

WIDTH = 150  # pixels of a bar
HEIGHT = 14
# For where styles are taken away, as on pages that show notebooks of others.
COLOUR = "#c23b4e"
PALE = "#8a99a8"


def card(title: str, parts: Iterable[str], *, kind: str = "") -> str:
    """A card with a heading, and below it parts that are HTML.

    ``kind`` is ``"proven"`` or ``"doubtful"`` where it is one of these.
    """
    head = f'<div class="head">{escape(title)}</div>'
    body = "\n".join(part for part in [head, *parts] if part)
    return f'<div class="logts-card {kind}"><style>{_style()}</style>\n{body}\n</div>'.translate(CONTROLS)


def paragraphs(lines: Iterable[str]) -> list[str]:
    """A paragraph for each line of plain text that is not empty."""
    return [paragraph(line) for line in lines if line]


def interval(low: float, middle: float, high: float, *, mark: float | None = None) -> Drawn:
    """An interval with its estimate as a dot, between 0 and 1; a ``mark`` is a line across."""
    begin, at, end = (WIDTH * _within(value) for value in (low, middle, high))
    y = HEIGHT / 2
    parts = [f'<line x1="0" y1="{y}" x2="{WIDTH}" y2="{y}" stroke="{PALE}" stroke-opacity=".3"/>']
    if mark is not None:
        x = WIDTH * mark
        parts.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{HEIGHT}" stroke="{PALE}"/>')
    parts.append(f'<line x1="{begin:.1f}" y1="{y}" x2="{end:.1f}" y2="{y}" class="mark" {_stroke(3)}/>')
    if middle == middle:
        parts.append(f'<circle cx="{at:.1f}" cy="{y}" r="4" class="dot" fill="{COLOUR}"/>')
    return _svg(parts)


def share(part: float) -> Drawn:
    """A bar that is filled up to a part of it."""
    rect = f'y="3" height="{HEIGHT - 6}" rx="2"'
    return _svg(
        [
            f'<rect width="{WIDTH}" {rect} fill="{PALE}" fill-opacity=".25"/>',
            f'<rect width="{WIDTH * _within(part):.1f}" {rect} class="dot" fill="{COLOUR}"/>',
        ]
    )


def ticks(places: Iterable[float]) -> Drawn:
    """A thin line at each of these places, between 0 and 1."""
    style = f'class="mark" {_stroke(1)} stroke-opacity=".5"'
    lines = [
        f'<line x1="{x:.1f}" y1="1" x2="{x:.1f}" y2="{HEIGHT - 1}" {style}/>'
        for x in (1 + (WIDTH - 2) * _within(place) for place in places)
    ]
    return _svg(lines)


def _stroke(width: int) -> str:
    return f'stroke="{COLOUR}" stroke-width="{width}"'


def _within(value: float) -> float:
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _svg(parts: Iterable[str]) -> Drawn:
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return Drawn(f'<svg {size} aria-hidden="true">{"".join(parts)}</svg>')


@cache
def _style() -> str:
    return files("logts.tools").joinpath("card.css").read_text(encoding="utf-8")
