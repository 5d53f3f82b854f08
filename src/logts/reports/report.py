"""The report of a study: one HTML file with the verdict, the pictures, every option, and how it was done."""

import os
import time
from html import escape
from pathlib import Path

from logts._version import __version__
from logts.journal import Event
from logts.reports import words
from logts.reports.effects import effects_of
from logts.reports.fit_words import fit_in_words
from logts.reports.options import option_tables
from logts.reports.page import page, write
from logts.reports.pictures import PICTURES
from logts.reports.pictures.confidence import confidence_picture
from logts.reports.pictures.effects import draw_effects
from logts.reports.pictures.fit import fit_picture
from logts.reports.pictures.rates import rates_picture
from logts.reports.pictures.settled import settled_picture
from logts.reports.preview import preview_of
from logts.reports.preview_words import preview_in_words
from logts.reports.standing import Standing
from logts.reports.svg import picture
from logts.tools.html import cell, paragraph, table

SHOWN = 20  # options in a picture
OWN = ("rates", "confidence", "settled", "effects", "fit")  # pictures that have a place of their own


def write_report(
    at: Standing, path: str | os.PathLike[str], *, name: str, created: Event, journal: list[Event]
) -> Path:
    """Write all there is to know about a study into one HTML file, which needs no other.

    Parameters
    ----------
    at
        How the study stands.
    path
        The file to write.
    name
        What the study is called.
    created
        The event that it began with: its settings.
    journal
        All its events.

    Returns
    -------
    Path
        The file.
    """
    question = words.question(at.policy.problem, at.arms.items.names)
    parts = [
        f"<h1>{escape(name)}</h1>",
        paragraph(question, "question"),
        _box(at),
        *(_pictures(at) if at.trials else []),
        *option_tables(at),
        *(_effects(at) if at.trials and at.arms.formula is not None else []),
        "<h2>Does the model fit?</h2>",
        paragraph(fit_in_words(at)),
        *([picture(fit_picture(at, title=""), "fit", words.FIT)] if at.checkable else []),
        "<h2>Trials</h2>",
        *(paragraph(line) for line in words.trials_in_words(at, journal)),
        "<h2>Settings</h2>",
        table(["setting", "value"], _settings(created, question, journal)),
        *(_others(at) if at.trials else []),
        f"<footer><p>Written by logts {escape(__version__)}, {_when(time.time())}.</p></footer>",
    ]
    return write(path, page(name, parts))


def _box(at: Standing) -> str:
    title, lines = words.standing_in_words(at)
    kind = "doubtful" if at.alarmed else ""
    if at.verdict is not None:
        kind = "proven" if at.verdict.proven else "doubtful"
    meanwhile = preview_in_words(at, preview_of(at))
    lines += [f"{heading.capitalize()}: {text}." for heading, text in meanwhile if heading != "leading"]
    below = "".join(paragraph(line) for line in lines)
    return f'<div class="verdict {kind}"><strong>{escape(title)}</strong>{below}</div>'


def _pictures(at: Standing) -> list[str]:
    which = f" The {SHOWN} best of {len(at.rates):,} are shown." if len(at.rates) > SHOWN else ""
    rates = rates_picture(at, most=SHOWN, title="")
    parts = ["<h2>The options</h2>", picture(rates, "rates", words.rates_caption(at) + which)]
    if at.moments:
        course = confidence_picture(at, title="")
        parts += ["<h2>The course</h2>", picture(course, "course", words.course_caption(at))]
        if at.settled:
            settled = settled_picture(at, most=SHOWN, title="")
            parts.append(picture(settled, "settled", words.settled_caption(at) + which))
        else:
            parts.append(paragraph(words.NOT_SETTLED, "note"))
    return parts


def _effects(at: Standing) -> list[str]:
    """What the columns do, where there are columns and what reads formulas."""
    try:
        effects = effects_of(at, most=SHOWN)
    except (ImportError, ValueError):
        return []
    return ["<h2>What the columns do</h2>", picture(draw_effects(effects), "effects", effects.note)]


def _others(at: Standing) -> list[str]:
    """Pictures that were entered by others, each with the first line of what it says about itself."""
    parts = ["<h2>More pictures</h2>"] if len(PICTURES) > len(OWN) else []
    for number, (name, draw) in enumerate(PICTURES.items()):
        if name not in OWN:
            caption = (draw.__doc__ or name).strip().splitlines()[0]
            try:
                drawn = picture(draw(at), f"more{number}", caption)
            except Exception as error:  # what others draw must not take the report away
                drawn = paragraph(f"The picture {name!r} could not be drawn: {error}", "note")
            parts.append(drawn)
    return parts


def _settings(created: Event, question: str, journal: list[Event]) -> list[list[str]]:
    given = dict(created["settings"])
    budget = given.pop("max_trials", None)
    noted = [event["said"]["trials"] for event in journal if event.get("about") == "budget"]
    if budget is None and noted:  # of the last run that had one; a larger one goes on
        budget = noted[-1]
    seed = given.pop("rng", None)
    rule = given.pop("stopping", "evidence")
    rows = [
        ["question", question],
        ["permitted probability of a wrong answer (delta)", f"{created['delta']:g}"],
        ["policy", created["policy"]],
        ["stopping rule", rule],
        ["guard against a wrong model", "on" if given.pop("guard", True) and rule == "evidence" else "off"],
        ["budget", "none" if budget is None else f"{budget:,} trials"],
        ["seed", cell(seed)],
        *([name, cell(value)] for name, value in given.items()),
        ["lease of a trial", f"{created['lease']:g} seconds"],
        ["begun", f"{_when(created['at'])}, by logts {created['logts']}"],
    ]
    return [*rows, *(["decided", _when(event["at"])] for event in journal if event["kind"] == "decided")]


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
