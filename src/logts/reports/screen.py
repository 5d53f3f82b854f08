"""A study as a person watches it: confidence, what is known before it, leaders with intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from logts.evidence.intervals import Rate, leading
from logts.reports.fit_words import alarm_in_words
from logts.reports.preview import against_control, preview_of
from logts.reports.preview_words import preview_in_words, versus
from logts.reports.standing import Standing

LEADERS = 8  # options that are listed
WIDTH = 34  # characters of an interval, if there is room
NARROW = 12  # characters of an interval, or of a name, at the least
LONGEST = 36  # characters of a name
VERSUS = "points over control"
BAR = 40
BESIDE_BAR = 46  # characters of what stands beside it


@dataclass(frozen=True)
class Fitted:
    """Something drawn for the width that there is."""

    draw: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.draw(options.max_width)


def study_screen(at: Standing, title: str, *, pace: float = 0.0, notes: Sequence[str] = ()) -> RenderableType:
    """The whole screen. ``pace`` is in trials a second; ``notes`` stand below."""
    parts: list[RenderableType] = [Text(title, style="bold"), Text()]
    parts += [Fitted(lambda width: bars(at, width)), *([_pace(at, pace)] if pace and not at.verdict else [])]
    parts.append(Text())
    if at.verdict is None and (alarm := alarm_in_words(at)):
        parts += [Text(alarm, style="red"), Text()]
    if known := preview_in_words(at, preview_of(at)):
        parts += [_known(known, at), Text()]
    parts.append(Fitted(lambda width: leaders(at, width)))
    if notes:
        parts += [Text(), *(Text(note, style="red", no_wrap=True, overflow="ellipsis") for note in notes)]
    return Group(*parts)


def _known(lines: list[tuple[str, str]], at: Standing) -> Table:
    """What is known before the proof, a line for each kind."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for heading, text in lines:
        table.add_row(heading, Text(text, style="bold" if heading == "leading" else ""))
    if at.rival:
        table.add_row("hardest", Text(f"to settle: {' or '.join(at.rival)}"))
    return table


def bars(at: Standing, width: int) -> Table:
    """How sure, against how sure one wants to be; and trials made, against those expected."""
    wanted = 1.0 - at.policy.delta
    left = 0.0 if at.verdict is not None else at.remaining
    if at.verdict is not None:
        word = "decided" if at.verdict.proven else "not decided"
    else:
        word = "" if left is None else f"about {_rounded(left)} to go"
    made = 0.0 if left is None else 1.0 if left == 0.0 else at.trials / (at.trials + left)
    wide = min(BAR, width - BESIDE_BAR)
    done = at.confidence >= wanted
    sure = Text(f"{at.confidence:.2%}", style="bold")
    table = Table.grid(padding=(0, 2))
    for least in [10, *([wide] if wide >= NARROW else []), 7, None]:  # the words beside it give way first
        table.add_column(no_wrap=True, min_width=least)
    table.add_row("confidence", *_bar(at.confidence, done, wide), sure, f"wanted {100 * wanted:g}%")
    table.add_row("trials", *_bar(made, done, wide), Text(f"{at.trials:,}", style="bold"), word)
    return table


def _bar(part: float, done: bool, width: int) -> list[ProgressBar]:
    """None where there is no room."""
    colour = "green" if done else "yellow"
    bar = ProgressBar(total=1.0, completed=part, width=width, complete_style=colour)
    return [bar] if width >= NARROW else []


def _pace(at: Standing, pace: float) -> Text:
    left = "" if at.remaining is None else f", {duration(at.remaining / pace)} left"
    return Text(f"pace        {pace:.3g} trials a second{left}")


def leaders(at: Standing, width: int) -> Table:
    """The options that look best, with intervals that hold for all of them and at all times.

    Where there is little room intervals shrink first, then names; trials and rates are always there.
    """
    rates = at.shown
    listed = leading(rates, LEADERS)
    columns = _columns(at, listed)
    if _wide(columns) + NARROW > width:
        columns.pop(VERSUS, None)
    name, room = _widths(max(cell_len(rates[i].name) for i in listed), columns, width)
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("option", no_wrap=True, overflow="ellipsis", max_width=name)
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    if room:
        table.add_column(f"0%{' ' * (room - 6)}100%", no_wrap=True)
    for row, i in enumerate(listed):
        style = "bold green" if i in at.marked else ""
        cells = [Text(rates[i].name, style=style), *(Text(cells[row]) for cells in columns.values())]
        table.add_row(*cells, *([interval(rates[i], style, room)] if room else []))
    if len(rates) > LEADERS:
        table.add_row(Text(f"and {len(rates) - LEADERS} more", style="dim"))
    return table


def _columns(at: Standing, listed: list[int]) -> dict[str, list[str]]:
    """Headings, and for each option in the list what stands below."""
    columns: dict[str, list[str]] = {}
    if at.own:
        columns["trials"] = [f"{int(at.last.tally.trials[i]):,}" for i in listed]
    rate = "rate against average" if at.strengths else "rate"
    columns[rate] = [f"{at.shown[i].estimate:.1%}" if _known_of(at.shown[i]) else "-" for i in listed]
    if gaps := against_control(at, listed):
        columns[VERSUS] = [versus(gaps[i]) if i in gaps else "" for i in listed]
    return columns


def _known_of(rate: Rate) -> bool:
    """Whether anything is: not while every rate is possible."""
    return rate.low > 0.0 or rate.high < 1.0


def _wide(columns: dict[str, list[str]]) -> int:
    return sum(2 + max(map(len, [heading, *cells])) for heading, cells in columns.items())


def _widths(name: int, columns: dict[str, list[str]], width: int) -> tuple[int, int]:
    """How wide names and intervals are; 0 if there is no room for an interval."""
    others = _wide(columns)
    name = max(min(name, LONGEST), len("option"))
    room = min(WIDTH, width - others - name - 2)
    if room < NARROW:
        name, room = max(NARROW, width - others - 2 - NARROW), NARROW
    if name + others + 2 + room > width:
        return max(NARROW, min(LONGEST, width - others)), 0
    return name, room


def interval(rate: Rate, style: str, width: int) -> Text:
    """An interval drawn in characters, its estimate as a dot."""
    low, middle, high = (min(width - 1, int(value * width)) for value in (rate.low, rate.estimate, rate.high))
    marks = ["─" if low <= i <= high else " " for i in range(width)]
    if _known_of(rate):
        marks[middle] = "●"
    return Text("".join(marks), style=style or "cyan")


def duration(seconds: float) -> str:
    """A time as one would say it."""
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return "a second" if seconds < 1.5 else f"{seconds:.0f} seconds"


def _rounded(trials: float) -> str:
    """Two digits: no more are known."""
    if trials < 100:
        return f"{trials:.0f}"
    size = 10 ** (len(str(int(trials))) - 2)
    return f"{round(trials / size) * size:,}"
