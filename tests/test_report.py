"""Reports of studies of all kinds."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import expit

import logts
from tests.studies import MoreOftenThanNot, X, above_one_half, carried_out

mpl.use("Agg")
NASTY = [
    "<script>alert('x')</script>",
    "\"quotes\" & 'apostrophes' $x^2$ $",
    "日本語 🎉 naïve",
    "very " * 40 + "long",
    "tab\tand\nnewline\x07",
    "</svg></body>",
]
RISING = np.linspace(0.1, 0.9, 6)  # rates of those
LINE = np.array([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
BENT = LINE @ [-0.5, 0.4, 0.3] + np.where(np.arange(12) == 5, 2.0, np.where(np.arange(12) == 11, -2.0, 0.0))
MANY = np.random.default_rng(3).normal(size=(100, 3))
PAIRS = logts.Arms.pairwise(["tea", "coffee", "milk", "cola"])
WINS = expit([0.2, 1.2, 0.9, 1.0, 0.7, -0.3])  # a vs b for all pairs
CYCLE = [0.95, 0.05, 0.9, 0.95, 0.6, 0.7]  # tea beats coffee, coffee milk, and milk tea
NO_SCORE: dict[str, Any] = {"stopping": "paper-practical", "radius": 3.0}


def of(arms: logts.Arms, problem: Any, rates: Any, **given: Any) -> Callable[[Path], logts.Study]:
    """What carries out such a study in a folder."""
    return lambda path: carried_out(path, arms, problem, rates, **given)


# How a study is made, and what its report says.
KINDS: dict[str, tuple[Callable[[Path], logts.Study], list[str]]] = {
    "one": (
        of(logts.Arms(names=["only"]), logts.BestArm(), [0.5], most=0),
        ["Best: only."],
    ),
    "two": (
        of(logts.Arms(names=["old", "new"]), logts.BestArm(), [0.3, 0.7]),
        ["Best: new.", "at most 5% of the time"],
    ),
    "no outcome": (
        of(logts.Arms(X), logts.BestArm(), X[:, 0], most=0),
        ["No outcome yet."],
    ),
    "few": (
        of(logts.Arms(X), logts.BestArm(), X[:, 1] > 0, most=3),
        ["Undecided after 3 trials."],
    ),
    "hundred": (
        of(logts.Arms(MANY), logts.TopM(5), np.full(100, 0.4), most=400),
        ["Undecided after 400 trials.", "The 20 best of 100 are shown.", "arm 99"],
    ),
    "threshold": (
        above_one_half,
        ["Above 0.5: ", "more often than 50%", "on which side", "with the model"],
    ),
    "pairwise": (
        of(PAIRS, logts.BestArm(), WINS, most=200),
        ["against an average one", "What was tried", "tea vs coffee"],
    ),
    "ranking": (
        of(PAIRS, logts.Ranking(), WINS, most=200),
        ["How do 4 options rank?", " > "],
    ),
    "budget": (
        of(logts.Arms(X), logts.BestArm(0.1), expit(X @ [0.0, 0.1, 0.1]), max_trials=120),
        ["Not proven. A guess: best: ", "Nothing is guaranteed", "120 trials"],
    ),
    "alarm": (
        of(logts.Arms(LINE), logts.BestArm(), expit(BENT), step=160),
        ["Best: arm 5.", "without the model", "The outcomes refute the model", "Furthest off", "Shaded"],
    ),
    "doubtful": (
        of(PAIRS, logts.BestArm(), CYCLE),
        ["A guess", "do not fit", "which is doubtful"],
    ),
    "nasty": (
        of(logts.Arms(names=NASTY, columns=[{"<i>": n} for n in NASTY]), logts.BestArm(), RISING, most=300),
        ["<script>alert('x')</script>", "</svg></body>", "日本語 🎉 naïve"],
    ),
    "own question": (
        of(logts.Arms(X), MoreOftenThanNot(), np.full(5, 0.8)),
        ["Arm 0: more often than not", "MoreOftenThanNot()"],
    ),
    "control": (
        of(logts.Arms(X), logts.VersusControl("arm 0"), np.full(5, 0.5), most=100, **NO_SCORE),
        ["better than arm 0", "is not shown"],
    ),
}


class Page(HTMLParser):
    """The text of a page, and what a page must not have."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.ids = list[str]()
        self.open = list[str]()
        self.addresses = list[str]()
        self.feed(text)
        self.close()
        assert not self.open
        assert len(set(self.ids)) == len(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe", "object")
        given = dict(attrs)
        assert not any(name.startswith("on") for name in given)
        self.ids += [given["id"] or ""] if "id" in given else []
        for name, value in attrs:
            if name in ("href", "src") or "url(" in (value or ""):
                self.addresses.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] != ["style"] else ""


@pytest.mark.parametrize("kind", KINDS)
def test_reports_are_whole_and_need_nothing_else(kind: str, tmp_path: Path) -> None:
    make, phrases = KINDS[kind]
    with make(tmp_path) as study:
        before = study._read().state()
        path = study.report(tmp_path / "made" / "report.html")
        assert study._read().state() == before  # who looks changes nothing
        names = study.arms.items.names
    text = path.read_text(encoding="utf-8")
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]
    without_names = text.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xlink", "")
    assert "http" not in without_names
    page = Page(text)
    assert all(address.startswith(("#", "url(#")) for address in page.addresses)
    assert {name for address in page.addresses for name in re.findall(r"#([^)]+)", address)} <= set(page.ids)
    for phrase in ["a <b>study</b> & more", "Settings", "Written by logts", *phrases]:
        assert phrase in page.text
    words = " ".join(page.text.split()).replace("\x07", " ")
    assert all(" ".join(name.split()) in words for name in names if "\x07" not in name)
    assert not plt.get_fignums()  # no figure is left open


def test_a_report_tells_what_became_of_the_trials(tmp_path: Path) -> None:
    with carried_out(tmp_path, logts.Arms(X), logts.BestArm(), np.full(5, 0.5), most=40) as study:
        study.tell_history(trials=[10] * 5, successes=[5] * 5)
        lost = study.ask(3)
        out = study.ask(2)
        late = study.ask(4)
        study.abandon(lost[:2], "the customer <left>")
        study.abandon(lost[2:])
        study.tell(late, [True] * 4)
        text = Page(study.report(tmp_path / "report.html").read_text()).text
        assert "Asked for: 49. With an outcome: 44. Abandoned: 3. Still out: 2." in text
        assert "the customer <left> (2); no reason given (1)" in text
        assert "4 outcomes do not count yet" in text
        assert "Counts of 50 trials from before the study" in text
        study.tell(out, [True, False])
        again = study.report(tmp_path / "report.html")  # takes the place of the old one
        assert "Still out: 0." in Page(again.read_text()).text


def test_outcomes_after_the_stop_are_not_shown(tmp_path: Path) -> None:
    arms = logts.Arms(names=["a", "b"])
    with logts.Study.create(tmp_path / "s.db", "late", arms=arms, problem=logts.BestArm()) as study:
        first = study.ask(200)
        late = study.ask(100)
        study.tell(first, [trial.arm == "b" for trial in first])
        assert study.verdict is not None
        study.tell(late, [False] * 100)
        at = study.standing()
        assert tuple(at.last.tally.trials.astype(int)) == study.verdict.counts
        assert at.last.tally.successes.tolist() == [0.0, study.verdict.counts[1]]
        assert at.settled == {0: 200, 1: 200}
        assert "100 outcomes came after the stop" in Page(study.report(tmp_path / "r.html").read_text()).text
