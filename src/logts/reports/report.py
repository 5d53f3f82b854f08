"""The report of a study: one HTML file with the verdict, the pictures, every option, and how it was done."""

import math
import os
import time
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logts._version import __version__
from logts.arms import Arms
from logts.evidence.intervals import Rate
from logts.journal import Event
from logts.reports import words
from logts.reports.page import page, paragraph, picture, table, write
from logts.reports.pictures import Standing, confidence_picture, fit_picture, rates_picture, settled_picture, standing

if TYPE_CHECKING:
    from logts.study.study import Study

SHOWN, LISTED = 20, 1_000  # options in a picture, and rows of a table


def write_report(study: "Study", path: str | os.PathLike[str]) -> Path:
    """Write all there is to know about a study into one HTML file, which needs no other; returns its path."""
    journal, at = study.events(), standing(study)
    question = words.question(study.problem, study.arms.items.names)
    parts = [
        f"<h1>{escape(study.name)}</h1>",
        paragraph(question, "question"),
        _box(at),
        *(_pictures(at) if at.trials else []),
        *_options(at),
        "<h2>Does the model fit?</h2>",
        paragraph(words.fit_in_words(at)),
        *([picture(fit_picture(at), "fit", words.FIT)] if math.isfinite(at.misfit) else []),
        "<h2>Trials</h2>",
        *(paragraph(line) for line in words.trials_in_words(at, journal)),
        "<h2>Settings</h2>",
        table(["setting", "value"], _settings(study.created, question, journal)),
        f"<footer><p>Written by logts {escape(__version__)}, {_when(time.time())}.</p></footer>",
    ]
    return write(path, page(study.name, parts))


def _box(at: Standing) -> str:
    title, lines = words.standing_in_words(at)
    kind = "doubtful" if at.alarmed else ""
    if at.verdict is not None:
        kind = "proven" if at.verdict.proven else "doubtful"
    return f'<div class="verdict {kind}"><strong>{escape(title)}</strong>{"".join(paragraph(line) for line in lines)}</div>'


def _pictures(at: Standing) -> list[str]:
    which = f" The {SHOWN} best of {len(at.rates):,} are shown." if len(at.rates) > SHOWN else ""
    parts = ["<h2>The options</h2>", picture(rates_picture(at, SHOWN), "rates", words.rates_caption(at) + which)]
    if at.moments:
        parts += ["<h2>The course</h2>", picture(confidence_picture(at), "course", words.course_caption(at))]
        if at.settled:
            parts.append(picture(settled_picture(at, SHOWN), "settled", words.settled_caption(at) + which))
        else:
            parts.append(paragraph(words.NOT_SETTLED, "note"))
    return parts


def _options(at: Standing) -> list[str]:
    """A table of all options, the best on top, and one of what was tried where that is something else."""
    rates = at.strengths or at.rates
    order = sorted(range(len(rates)), key=lambda i: -rates[i].estimate)[:LISTED]
    marked = [row for row, i in enumerate(order) if i in at.marked]
    heads = ["rate against average" if at.strengths else "rate", "interval"] if at.trials else []
    heads += ["settled after"] if at.settled else []
    found = [_found(at, rates[i], i)[: len(heads)] for i in order]
    more = paragraph(f"The {LISTED:,} best of {len(rates):,} options.", "note") if len(rates) > LISTED else ""
    if at.own:
        given, described = _columns(at.arms, order)
        heads = ["option", "trials", "successes", *heads, *given]
        rows = [[rates[i].name, *_counts(at, i)[:2], *cells, *own] for i, cells, own in zip(order, found, described, strict=True)]
        numbers = range(1, len(heads) - len(given))
        return ["<h2>All options</h2>", table(heads, rows, numbers=numbers, marked=marked), more]
    rows = [[rates[i].name, *cells] for i, cells in zip(order, found, strict=True)]
    parts = ["<h2>All options</h2>", table(["option", *heads], rows, numbers=range(1, 1 + len(heads)), marked=marked), more]
    given, described = _columns(at.arms, range(len(at.arms)))
    tried = [[name, *_counts(at, k), *described[k]] for k, name in enumerate(at.arms.names)][:LISTED]
    return [
        *parts,
        "<h2>What was tried</h2>",
        table(["tried", "trials", "successes", "seen rate", *given], tried, numbers=range(1, 4)),
    ]


def _found(at: Standing, rate: Rate, item: int) -> list[str]:
    after = at.settled.get(item)
    settled = f"{after:,}" if after is not None else "open" if item in at.settled else ""
    return [_percent(rate.estimate), f"{_percent(rate.low)} to {_percent(rate.high)}", settled]


def _counts(at: Standing, arm: int) -> list[str]:
    trials, successes = int(at.last.tally.trials[arm]), int(at.last.tally.successes[arm])
    return [f"{trials:,}", f"{successes:,}", _percent(successes / trials) if trials else ""]


def _columns(arms: Arms, order: Iterable[int]) -> tuple[list[str], list[list[str]]]:
    """What else is known of the arms: the names of the columns, and a row for each."""
    heads = list(dict.fromkeys(name for row in arms.columns for name in row))
    # Those called like a column of the report are marked, as in the table of the trials.
    shown = [f"option {name}" if name in ("trials", "successes", "rate") else str(name) for name in heads]
    return shown, [[_plain(arms.columns[i].get(name)) for name in heads] for i in order]


def _settings(created: Event, question: str, journal: list[Event]) -> list[list[str]]:
    given = dict(created["settings"])
    budget, seed, rule = given.pop("max_trials", None), given.pop("rng", None), given.pop("stopping", "evidence")
    rows = [
        ["question", question],
        ["permitted probability of a wrong answer (delta)", f"{created['delta']:g}"],
        ["policy", created["policy"]],
        ["stopping rule", rule],
        ["guard against a wrong model", "on" if given.pop("guard", True) and rule == "evidence" else "off"],
        ["budget", "none" if budget is None else f"{budget:,} trials"],
        ["seed", _plain(seed)],
        *([name, _plain(value)] for name, value in given.items()),
        ["lease of a trial", f"{created['lease']:g} seconds"],
        ["begun", f"{_when(created['at'])}, by logts {created['logts']}"],
    ]
    return [*rows, *(["decided", _when(event["at"])] for event in journal if event["kind"] == "decided")]


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}%" if 0.0 < rate < 0.1 else f"{100 * rate:.1f}%"


def _plain(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
