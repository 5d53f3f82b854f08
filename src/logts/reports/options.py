"""The tables of the report: all options, and what was tried where that is something else."""

from collections.abc import Iterable, Sequence

from logts.arms import Arms
from logts.evidence.intervals import Rate, leading
from logts.reports.preview import against_control
from logts.reports.preview_words import versus
from logts.reports.standing import Standing
from logts.tools.html import cell, paragraph, table

LISTED = 1_000  # rows of a table


def option_tables(at: Standing) -> list[str]:
    """A table of all options, the best on top, and one of what was tried where that is something else."""
    rates = at.shown
    order = leading(rates, LISTED)
    heads = ["rate against average" if at.strengths else "rate", "interval"] if at.trials else []
    heads += ["settled after"] if at.settled else []
    found = [[rates[i].name, *_found(at, rates[i], i)[: len(heads)]] for i in order]
    if gaps := against_control(at, order):
        heads.append("points over control")
        found = [[*row, versus(gaps[i]) if i in gaps else ""] for row, i in zip(found, order, strict=True)]
    more = paragraph(f"The {LISTED:,} best of {len(rates):,} options.", "note") if len(rates) > LISTED else ""
    if at.own:
        return ["<h2>All options</h2>", _options_as_tried(at, order, heads, found), more]
    numbers = range(1, 1 + len(heads))
    listed = table(["option", *heads], found, numbers=numbers, marked=_marked(at, order))
    return ["<h2>All options</h2>", listed, more, "<h2>What was tried</h2>", _tried(at)]


def _options_as_tried(at: Standing, order: Sequence[int], heads: list[str], found: list[list[str]]) -> str:
    """Options that are tried themselves: what was found beside their counts and columns."""
    given, described = _columns(at.arms, order)
    heads = ["option", "trials", "successes", *heads, *given]
    rows = [
        [name, *_counts(at, i)[:2], *cells, *own]
        for i, (name, *cells), own in zip(order, found, described, strict=True)
    ]
    numbers = range(1, len(heads) - len(given))
    return table(heads, rows, numbers=numbers, marked=_marked(at, order))


def _tried(at: Standing) -> str:
    """What was tried in order to judge something else."""
    given, described = _columns(at.arms, range(min(len(at.arms), LISTED)))
    rows = [[at.arms.names[k], *_counts(at, k), *row] for k, row in enumerate(described)]
    return table(["tried", "trials", "successes", "seen rate", *given], rows, numbers=range(1, 4))


def _marked(at: Standing, order: Sequence[int]) -> list[int]:
    return [row for row, i in enumerate(order) if i in at.marked]


def _found(at: Standing, rate: Rate, item: int) -> list[str]:
    after = at.settled.get(item)
    settled = f"{after:,}" if after is not None else "open" if item in at.settled else ""
    return [_percent(rate.estimate), f"{_percent(rate.low)} to {_percent(rate.high)}", settled]


def _counts(at: Standing, arm: int) -> list[str]:
    trials = int(at.last.tally.trials[arm])
    successes = int(at.last.tally.successes[arm])
    return [f"{trials:,}", f"{successes:,}", _percent(successes / trials) if trials else ""]


def _columns(arms: Arms, order: Iterable[int]) -> tuple[list[str], list[list[str]]]:
    """What else is known of the arms: the names of the columns, and a row for each."""
    heads = list(dict.fromkeys(name for row in arms.columns for name in row))
    # Those called like a column of the report are marked, as in the table of the trials.
    shown = [f"option {name}" if name in ("trials", "successes", "rate") else str(name) for name in heads]
    return shown, [[cell(arms.columns[i].get(name)) for name in heads] for i in order]


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}%" if 0.0 < rate < 0.1 else f"{100 * rate:.1f}%"
