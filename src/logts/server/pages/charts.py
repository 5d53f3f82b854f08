"""Where the parts of pictures lie: across in percent of the width, up and down in pixels.

Pictures are SVG without a size of their own, so that letters stay as large as they are on any screen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from logts.evidence.intervals import Rate
from logts.plots.confidence import MARKS, height_of, spans_of, ticks_between
from logts.plots.rows import rates_range
from logts.reports.course import Step

HEIGHT = 190.0  # pixels of a curve
ROOM = 8.0  # above it
WIDTHS = 260.0, 760.0  # pixels of a curve on a phone, and on a larger screen
LETTER = 6.8  # pixels


@dataclass(frozen=True)
class Scale:
    """An axis for rates: where it begins and ends, and numbers to write below it."""

    begin: float
    end: float

    def across(self, rate: float) -> float:
        """Where a rate lies, in percent of the width."""
        return 100.0 * min(max((rate - self.begin) / (self.end - self.begin), 0.0), 1.0)

    @property
    def ends(self) -> tuple[str, str]:
        return f"{100 * self.begin:.3g}%", f"{100 * self.end:.3g}%"


def rates_scale(rates: Sequence[Rate]) -> Scale:
    """An axis from 0 to 1; closer if all there is to see lies in the lower or the upper half."""
    known = [rate for rate in rates if rate.low > 0.0 or rate.high < 1.0]
    if not known:
        return Scale(0.0, 1.0)
    return Scale(*rates_range(min(rate.low for rate in known), max(rate.high for rate in known)))


@dataclass(frozen=True)
class Dot:
    """A step of the course."""

    x: float
    y: float
    leads: bool


@dataclass(frozen=True)
class Stretch:
    """A part of the axis: who led there, or that the model was set aside."""

    x: float
    width: float
    name: str
    leads: bool

    @property
    def room(self) -> str:
        """Where there is room for the name: on any screen, on a large one (``roomy``), or nowhere."""
        needs = LETTER * len(self.name) + 16.0
        fits = [0.01 * self.width * width >= needs for width in WIDTHS]
        return "any" if fits[0] else "roomy" if fits[1] else ""


@dataclass(frozen=True)
class Course:
    """Confidence over trials: a curve, the line to pass, who led, and numbers at the axes."""

    curve: str
    dots: list[Dot]
    line: float
    wanted: str
    rows: list[tuple[float, str]]
    columns: list[tuple[float, str]]
    leaders: list[Stretch]
    aside: list[Stretch]
    height: float = HEIGHT


def course_chart(steps: Sequence[Step], wanted: float) -> Course:
    """The picture of a course that has one step at least."""
    trials = [step.trials for step in steps]
    ends = trials[0] / 1.15, trials[-1] * 1.15
    needed = height_of(wanted)
    top = max(1.15 * needed, min(1.05 * max(height_of(step.confidence) for step in steps), needed + 1.0))
    last = steps[-1].leader

    def across(count: float) -> float:
        return 100.0 * math.log(count / ends[0]) / math.log(ends[1] / ends[0])

    def up(confidence: float) -> float:
        return ROOM + (HEIGHT - ROOM) * (1.0 - min(height_of(confidence) / top, 1.0))

    def stretch(begin: float, end: float, name: str | None) -> Stretch:
        begin = ends[0] if begin == trials[0] else begin
        width = across(end) - across(begin)
        return Stretch(across(begin), width, name or "nobody", name is not None and name == last)

    dots = [Dot(across(step.trials), up(step.confidence), step.leader == last) for step in steps]
    led = spans_of(trials, [step.leader for step in steps], ends[1])
    aside = spans_of(trials, [step.aside for step in steps], ends[1])
    return Course(
        curve=" ".join(f"{dot.x:.2f},{dot.y:.1f}" for dot in dots),
        dots=dots,
        line=up(wanted),
        wanted=f"{100 * wanted:.4g}%",
        rows=[(up(mark), f"{100 * mark:g}%") for mark in MARKS if height_of(mark) <= top],
        columns=[(across(tick), f"{tick:,.0f}") for tick in ticks_between(*ends)],
        leaders=[stretch(begin, end, name) for name, begin, end in led],
        aside=[stretch(begin, end, None) for on, begin, end in aside if on],
    )
