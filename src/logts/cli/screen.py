"""A study as a person watches it: confidence, leaders with intervals, trials still expected."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from logts.arms import Arms
from logts.evidence.intervals import Rate
from logts.judge import Progress, Verdict
from logts.tools.algebra import Array

LEADERS = 8  # options that are listed
WIDTH = 34  # characters of an interval


class Watched(Protocol):
    """A live study, or a policy by itself."""

    @property
    def arms(self) -> Arms: ...
    @property
    def delta(self) -> float: ...
    @property
    def verdict(self) -> Verdict | None: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def counts(self) -> Array: ...
    def rates(self) -> list[Rate]: ...


def study_screen(
    policy: Watched, title: str, *, pace: float = 0.0, notes: Sequence[str] = ()
) -> RenderableType:
    """The whole screen, as of now. ``pace`` is in trials a second; ``notes`` stand below."""
    verdict = policy.verdict
    progress = policy.progress
    counts = policy.counts if verdict is None else np.array(verdict.counts)
    confidence = verdict.confidence if verdict is not None else progress.confidence
    parts: list[RenderableType] = [Text(title, style="bold"), Text()]
    parts += [bars(confidence, 1.0 - policy.delta, int(counts.sum()), progress, verdict, pace), Text()]
    if verdict is None and progress.rival:
        parts += [Text(f"hardest to settle: {' or '.join(progress.rival)}", style="dim"), Text()]
    own = policy.arms.items.points is policy.arms.points
    rates = verdict.rates() if verdict is not None else policy.rates()
    tried = [int(n) for n in counts] if own else None
    answer = verdict.answer if verdict is not None else progress.leader
    parts.append(leaders(rates, tried, set(answer.items) if answer is not None else set()))
    if notes:
        parts += [Text(), *(Text(note, style="red", no_wrap=True, overflow="ellipsis") for note in notes)]
    return Group(*parts)


def bars(
    confidence: float, wanted: float, trials: int, progress: Progress, verdict: Verdict | None, pace: float
) -> Table:
    """How sure, against how sure one wants to be; and trials made, against those expected."""
    left = 0.0 if verdict is not None else progress.remaining
    if verdict is not None:
        word = "decided" if verdict.proven else "not decided"
    else:
        word = "" if left is None else f"about {_rounded(left)} to go"
    made = 0.0 if left is None else 1.0 if left == 0.0 else trials / (trials + left)
    sure = confidence >= wanted
    table = Table.grid(padding=(0, 2))
    table.add_row(
        "confidence",
        _bar(confidence, sure),
        Text(f"{confidence:.2%}", style="bold"),
        f"wanted {100 * wanted:g}%",
    )
    table.add_row("trials", _bar(made, sure), Text(f"{trials:,}", style="bold"), word)
    if pace > 0.0 and verdict is None:
        time_left = "" if left is None else f", {duration(left / pace)} left"
        table.add_row("pace", f"{pace:.3g} trials a second{time_left}", "", "")
    return table


def _bar(part: float, done: bool) -> ProgressBar:
    return ProgressBar(total=1.0, completed=part, width=40, complete_style="green" if done else "yellow")


def leaders(rates: list[Rate], trials: list[int] | None, answers: set[int]) -> Table:
    """The options that look best, with intervals that hold for all of them and at all times."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("option", no_wrap=True, overflow="ellipsis", max_width=36)
    if trials is not None:
        table.add_column("trials", justify="right")
    table.add_column("rate", justify="right")
    table.add_column(f"0%{' ' * (WIDTH - 6)}100%", no_wrap=True)
    order = sorted(range(len(rates)), key=lambda i: -rates[i].estimate)
    for i in order[:LEADERS]:
        row = rates[i]
        style = "bold green" if i in answers else ""
        cells = [Text(row.name, style=style), Text(f"{row.estimate:.1%}", style=style), interval(row, style)]
        if trials is not None:
            cells.insert(1, Text(f"{trials[i]:,}"))
        table.add_row(*cells)
    if len(order) > LEADERS:
        table.add_row(Text(f"and {len(order) - LEADERS} more", style="dim"))
    return table


def interval(rate: Rate, style: str) -> Text:
    """An interval drawn in characters, its estimate as a dot."""
    low, middle, high = (min(WIDTH - 1, int(value * WIDTH)) for value in (rate.low, rate.estimate, rate.high))
    marks = ["─" if low <= i <= high else " " for i in range(WIDTH)]
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
