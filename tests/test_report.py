"""When each option was settled, the pictures of a study, and its report."""

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy

import logts
from logts.alternatives import HalfSpaces
from logts.evidence.intervals import Rate
from logts.evidence.tally import Tally
from logts.plots import plot_confidence, plot_fit, plot_settled
from logts.plots.rows import ACCENT, PALE, shortened
from logts.tools.algebra import Array
from tests.reference import log_likelihood

mpl.use("Agg")
X = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 0.5]])
TRIALS = np.array([40.0, 35.0, 50.0, 60.0, 30.0])
SUCCESSES = np.array([12.0, 15.0, 24.0, 41.0, 21.0])
# Items concerned; "high beats low by more than c", -1 for nobody.
Statement = tuple[tuple[int, ...], int, int, float]


def statements(problem: logts.Problem, answer: tuple[int, ...], count: int) -> list[Statement]:
    """What an answer says, written down independently of the package."""
    others = [i for i in range(count) if i not in answer]
    if isinstance(problem, logts.BestArm | logts.TopM):
        return [((i, k), i, k, 0.0) for i in answer for k in others]
    if isinstance(problem, logts.Ranking):
        return [((i, k), i, k, 0.0) for i, k in itertools.pairwise(answer)]
    if isinstance(problem, logts.VersusControl):
        return [((i, 0), *((i, 0) if i in answer else (0, i)), 0.0) for i in range(1, count)]
    assert isinstance(problem, logts.Threshold)
    line = float(logit(problem.rate))
    return [((i,), *((i, -1, line) if i in answer else (-1, i, -line))) for i in range(count)]


def smallest(said: list[Statement], value: Callable[[int, int, float], float]) -> dict[int, float]:
    values = [(concerned, value(high, low, c)) for concerned, high, low, c in said]
    items = {i for concerned, _ in values for i in concerned}
    return {i: min(found for concerned, found in values if i in concerned) for i in items}


QUESTIONS = [logts.BestArm(), logts.TopM(2), logts.Threshold(0.45), logts.VersusControl(0), logts.Ranking()]


@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_what_is_settled_in_the_model_agrees_with_a_nonlinear_program(problem: Any) -> None:
    arms = logts.Arms(X)
    policy = logts.LogTS(arms, problem)
    score = -125.0
    best = minimize(lambda theta: -log_likelihood(X, TRIALS, SUCCESSES, theta), np.zeros(3), tol=1e-12).x
    answer = problem.answer(logts.arms.Items(X, arms.names), best)

    def against(high: int, low: int, c: float) -> float:
        y = (high >= 0) * X[high] - (low >= 0) * X[low]
        start = best - y * max(0.0, y @ best - c) / (y @ y)
        found = minimize(
            lambda theta: -log_likelihood(X, TRIALS, SUCCESSES, theta),
            start,
            jac=lambda theta: -X.T @ (SUCCESSES - TRIALS * expit(X @ theta)),
            constraints={"type": "ineq", "fun": lambda theta: c - y @ theta, "jac": lambda theta: -y},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return score + float(found.fun)

    expected = smallest(statements(problem, answer, len(X)), against)
    found = policy.judge.settled(
        Tally(TRIALS, SUCCESSES, score), logts.Answer(answer, ""), without_model=False
    )
    assert found.keys() == expected.keys()
    for item, value in expected.items():
        assert found[item] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("problem", QUESTIONS, ids=repr)
def test_what_is_settled_without_a_model_agrees_with_the_definition(problem: Any) -> None:
    policy = logts.LogTS(logts.Arms(names=list("abcde")), problem)
    logits = logit(SUCCESSES / TRIALS)
    answer = problem.answer(logts.arms.Items(logits[:, None], tuple("abcde")), np.ones(1))

    def own(i: int) -> float:
        """The forecasts of an arm that know this arm only, one outcome after the other.

        The order does not matter.
        """
        outcomes = [1] * int(SUCCESSES[i]) + [0] * int(TRIALS[i] - SUCCESSES[i])
        seen = [sum(outcomes[:t]) for t in range(len(outcomes))]
        return sum(
            math.log(((s if yes else t - s) + 0.5) / (t + 1.0))
            for t, (s, yes) in enumerate(zip(seen, outcomes, strict=True))
        )

    def height(n: float, r: float, p: float) -> float:
        return float(xlogy(r, p) + xlog1py(n - r, -p))

    union = {logts.BestArm: 4, logts.TopM: 6, logts.Threshold: 5, logts.VersusControl: 4, logts.Ranking: 10}[
        type(problem)
    ]

    def against(high: int, low: int, c: float) -> float:
        chosen = [i for i in (high, low) if i >= 0]
        n = TRIALS[chosen]
        r = SUCCESSES[chosen]
        # On the boundary two arms share the pooled rate; one arm has the rate of the line.
        p = r.sum() / n.sum() if len(chosen) == 2 else float(expit(c if high >= 0 else -c))
        return (
            sum(own(i) for i in chosen)
            - sum(height(a, b, p) for a, b in zip(n, r, strict=True))
            - math.log(union)
        )

    expected = smallest(statements(problem, answer, len(X)), against)
    found = policy.judge.settled(Tally(TRIALS, SUCCESSES), logts.Answer(answer, ""), without_model=True)
    assert found == pytest.approx(expected, abs=1e-7)


def test_the_hardest_comparison_is_what_the_study_waits_for() -> None:
    for arms in (logts.Arms(X), logts.Arms(names=list("abcde"))):
        policy = logts.LogTS(arms, logts.TopM(2))
        rng = np.random.default_rng(0)
        asked = policy.ask(400)
        policy.tell(asked.ids, rng.random(400) < np.array([0.2, 0.3, 0.4, 0.6, 0.7])[asked.arms])
        progress = policy.progress
        assert progress.leader is not None
        judge = policy.judge
        free = judge.trust.without_model
        evidence = judge.settled(judge.tally, progress.leader, without_model=free)
        assert min(evidence.values()) == pytest.approx(progress.evidence, abs=1e-6)
        assert progress.threshold == pytest.approx(math.log(1 / judge.permitted(without_model=free)))


def test_nothing_is_settled_where_there_is_no_such_evidence() -> None:
    leader = logts.Answer((4,), "")
    tally = Tally(TRIALS, SUCCESSES, -125.0)
    no_score = logts.LogTS(logts.Arms(X), logts.BestArm(), stopping="paper-practical", radius=3.0)
    assert no_score.judge.settled(tally, leader, without_model=False) == {}
    no_guard = logts.LogTS(logts.Arms(X), logts.BestArm(), guard=False)
    assert no_guard.judge.settled(tally, leader, without_model=True) == {}
    default = logts.LogTS(logts.Arms(X), logts.BestArm())
    wrong = default.judge.settled(tally, logts.Answer((0,), ""), without_model=False)
    assert set(wrong.values()) == {-math.inf}  # the fit says otherwise
    alone = logts.LogTS(logts.Arms(names=["only"]), logts.BestArm())
    for free in (False, True):
        few = Tally(np.array([5.0]), np.array([2.0]), -4.0)
        assert alone.judge.settled(few, logts.Answer((0,), ""), without_model=free) == {}
    many = np.random.default_rng(0).normal(size=(100, 3))
    half = logts.Answer(tuple(range(50)), "")
    policy = logts.LogTS(logts.Arms(many), logts.TopM(50))
    for free in (False, True):
        assert (
            policy.judge.settled(
                Tally(np.full(100, 5.0), np.full(100, 2.0), -300.0), half, without_model=free
            )
            == {}
        )


def test_items_that_equal_the_answer_or_that_no_arm_measures() -> None:
    twins = logts.LogTS(logts.Arms([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]), logts.TopM(1))
    tally = Tally(np.array([90.0, 60.0, 60.0]), np.array([20.0, 45.0, 47.0]), -125.0)
    found = twins.judge.settled(tally, logts.Answer((2,), ""), without_model=False)
    assert found.keys() == {0, 2}
    pairs = logts.LogTS(logts.Arms.pairwise(["a", "b", "c"]), logts.BestArm())
    tally = Tally(np.full(3, 50.0), np.array([40.0, 45.0, 30.0]), -80.0)
    evidence = pairs.judge.settled(tally, logts.Answer((0,), ""), without_model=False)
    assert evidence.keys() == {0, 1, 2}
    assert all(math.isfinite(value) for value in evidence.values())


# Studies of all kinds.

NASTY = [
    "<script>alert('x')</script>",
    "\"quotes\" & 'apostrophes' $x^2$ $",
    "日本語 🎉 naïve",
    "very " * 40 + "long",
    "tab\tand\nnewline\x07",
    "</svg></body>",
]
LINE = np.array([[1.0, a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0, 3.0)])
BENT = LINE @ [-0.5, 0.4, 0.3] + np.where(np.arange(12) == 5, 2.0, np.where(np.arange(12) == 11, -2.0, 0.0))
DRINKS = ["tea", "coffee", "milk", "cola"]
WINS = expit([0.2, 1.2, 0.9, 1.0, 0.7, -0.3])  # a vs b for all pairs


@dataclass(frozen=True)
class MoreOftenThanNot:
    """A question of one's own."""

    def answer(self, items: logts.arms.Items, theta: Array) -> tuple[int, ...]:
        return (0,) if items.points[0] @ theta > 0 else ()

    def alternatives(self, items: logts.arms.Items, answer: tuple[int, ...]) -> HalfSpaces:
        return HalfSpaces((1.0 if answer else -1.0) * items.points[:1], np.zeros(1), [(0,)])

    def describe(self, items: logts.arms.Items, answer: tuple[int, ...]) -> str:
        return f"{items.names[0]}: {'more' if answer else 'less'} often than not"


def run(
    path: Path,
    arms: logts.Arms,
    problem: Any,
    rates: Any,
    *,
    most: int = 10**9,
    step: int = 40,
    **settings: Any,
) -> logts.Study:
    study = logts.Study.create(
        path / "studies.db", "a <b>study</b> & more", arms=arms, problem=problem, **settings
    )
    rng = np.random.default_rng(2)
    made = 0
    while made < most and (trials := study.ask(min(step, most - made))):
        made += len(trials)
        arm = np.array([trial.number for trial in trials])
        study.tell(trials, rng.random(len(arm)) < np.asarray(rates)[arm])
    return study


KINDS: dict[str, tuple[Callable[[Path], logts.Study], list[str]]] = {
    "one": (lambda p: run(p, logts.Arms(names=["only"]), logts.BestArm(), [0.5], most=0), ["Best: only."]),
    "two": (
        lambda p: run(p, logts.Arms(names=["old", "new"]), logts.BestArm(), [0.3, 0.7]),
        ["Best: new.", "at most 5% of the time"],
    ),
    "no outcome": (lambda p: run(p, logts.Arms(X), logts.BestArm(), X[:, 0], most=0), ["No outcome yet."]),
    "few": (
        lambda p: run(p, logts.Arms(X), logts.BestArm(), X[:, 1] > 0, most=3),
        ["Undecided after 3 trials."],
    ),
    "hundred": (
        lambda p: run(
            p,
            logts.Arms(np.random.default_rng(3).normal(size=(100, 3))),
            logts.TopM(5),
            np.full(100, 0.4),
            most=400,
        ),
        ["Undecided after 400 trials.", "The 20 best of 100 are shown.", "arm 99"],
    ),
    "threshold": (
        lambda p: run(p, logts.Arms(X), logts.Threshold(0.5), expit(X @ [-1.5, 2.0, 2.0])),
        ["Above 0.5: ", "more often than 50%", "on which side", "with the model"],
    ),
    "pairwise": (
        lambda p: run(p, logts.Arms.pairwise(DRINKS), logts.BestArm(), WINS, most=200),
        ["against an average one", "What was tried", "tea vs coffee"],
    ),
    "ranking": (
        lambda p: run(p, logts.Arms.pairwise(DRINKS), logts.Ranking(), WINS, most=200),
        ["How do 4 options rank?", " > "],
    ),
    "budget": (
        lambda p: run(p, logts.Arms(X), logts.BestArm(0.1), expit(X @ [0.0, 0.1, 0.1]), max_trials=120),
        ["Not proven. A guess: best: ", "Nothing is guaranteed", "120 trials"],
    ),
    "alarm": (
        lambda p: run(p, logts.Arms(LINE), logts.BestArm(), expit(BENT), step=160),
        ["Best: arm 5.", "without the model", "do not fit the model", "Shaded"],
    ),
    "doubtful": (
        lambda p: run(p, logts.Arms.pairwise(DRINKS), logts.BestArm(), [0.95, 0.05, 0.9, 0.95, 0.6, 0.7]),
        ["A guess", "do not fit", "which is doubtful"],
    ),
    "nasty": (
        lambda p: run(
            p,
            logts.Arms(names=NASTY, columns=[{"<i>": n} for n in NASTY]),
            logts.BestArm(),
            np.linspace(0.1, 0.9, 6),
            most=300,
        ),
        ["<script>alert('x')</script>", "</svg></body>", "日本語 🎉 naïve"],
    ),
    "own question": (
        lambda p: run(p, logts.Arms(X), MoreOftenThanNot(), np.full(5, 0.8)),
        ["Arm 0: more often than not", "MoreOftenThanNot()"],
    ),
    "control": (
        lambda p: run(
            p,
            logts.Arms(X),
            logts.VersusControl("arm 0"),
            np.full(5, 0.5),
            most=100,
            stopping="paper-practical",
            radius=3.0,
        ),
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
        self.addresses += [
            value or "" for name, value in attrs if name in ("href", "src") or "url(" in (value or "")
        ]

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
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace(
        "http://www.w3.org/1999/xlink", ""
    )
    page = Page(text)
    assert all(address.startswith(("#", "url(#")) for address in page.addresses)
    assert {name for address in page.addresses for name in re.findall(r"#([^)]+)", address)} <= set(page.ids)
    for phrase in ["a <b>study</b> & more", "Settings", "Written by logts", *phrases]:
        assert phrase in page.text
    assert all(
        " ".join(name.split()) in " ".join(page.text.split()).replace("\x07", " ")
        for name in names
        if "\x07" not in name
    )
    assert not plt.get_fignums()  # no figure is left open


def test_a_report_tells_what_became_of_the_trials(tmp_path: Path) -> None:
    with run(tmp_path, logts.Arms(X), logts.BestArm(), np.full(5, 0.5), most=40) as study:
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
    with logts.Study.create(
        tmp_path / "s.db", "late", arms=logts.Arms(names=["a", "b"]), problem=logts.BestArm()
    ) as study:
        first = study.ask(200)
        late = study.ask(100)
        study.tell(first, [trial.arm == "b" for trial in first])
        assert study.verdict is not None
        study.tell(late, [False] * 100)
        at = study._standing()
        assert tuple(at.last.tally.trials.astype(int)) == study.verdict.counts
        assert at.last.tally.successes.tolist() == [0.0, study.verdict.counts[1]]
        assert at.settled == {0: 200, 1: 200}
        assert "100 outcomes came after the stop" in Page(study.report(tmp_path / "r.html").read_text()).text


# Pictures.


def test_a_study_draws_what_it_knows(tmp_path: Path) -> None:
    with KINDS["threshold"][0](tmp_path) as study:
        verdict = study.verdict
        at = study._standing()
        assert verdict is not None
        left, right = study.plot_rates(most=3).axes
        best = sorted(verdict.rates(), key=lambda rate: rate.estimate)[-3:]
        assert [label.get_text() for label in left.get_yticklabels()] == [rate.name for rate in best]
        shares = [verdict.counts[study.arms.names.index(rate.name)] / verdict.trials for rate in best]
        assert [bar.get_width() for bar in right.containers[0]] == pytest.approx(shares)
        _, axes = study.plot_confidence().axes
        drawn = np.asarray(axes.lines[0].get_xydata(), dtype=float)
        assert drawn[:, 0].tolist() == [moment.tally.total for moment in study.moments]
        assert drawn[-1, 1] == pytest.approx(-math.log10(1 - verdict.confidence))
        # An item is settled when its interval leaves the line, give or take the part of delta that is kept
        # for other evidence.
        assert set(at.settled) == set(range(5))
        assert max(after for after in at.settled.values() if after) <= verdict.trials
        assert len(study.plot_settled().axes[0].patches) == 5
        assert "no alarm" in study.plot_fit().axes[0].get_title(loc="left")


def test_settled_agrees_with_the_intervals(tmp_path: Path) -> None:
    """A rate above the line is settled exactly when its interval, at the same delta, is beyond it."""
    with run(
        tmp_path, logts.Arms(X), logts.Threshold(0.5), expit(X @ [-1.0, 1.2, 0.9]), most=800, guard=False
    ) as study:
        at = study._standing()
        beyond = {i for i, rate in enumerate(at.rates) if rate.low > 0.5 or rate.high < 0.5}
        assert at.last.leader is not None
        evidence = study._read().policy.judge.settled(at.last.tally, at.last.leader, without_model=False)
        assert {i for i, value in evidence.items() if value > math.log(1 / study.delta)} == beyond
        assert 0 < len(beyond) < 5


def test_confidence_is_drawn_with_the_line_and_who_led() -> None:
    figure = plot_confidence(
        [10, 20, 40, 80], [0.0, 0.5, 0.9, 0.99], [None, "a", "b", "b"], 0.95, free=[False, False, True, True]
    )
    strip, axes = figure.axes
    assert list(np.asarray(axes.lines[0].get_ydata(), dtype=float)) == pytest.approx(
        [0.0, math.log10(2), 1.0, 2.0]
    )
    assert axes.lines[1].get_ydata() == pytest.approx([math.log10(20)] * 2)
    assert [text.get_text() for text in strip.texts] == ["nobody yet", "a", "b"]
    assert [mpl.colors.to_hex(span.get_facecolor()) for span in strip.patches][1:] == [PALE, ACCENT]
    assert "without the model" in [text.get_text() for text in axes.texts]
    assert "95%" in [label.get_text() for label in axes.get_yticklabels()]
    certain = plot_confidence([5], [1.0], ["a"], 0.95)  # a single moment, and no doubt: still a picture
    certain.canvas.draw()
    assert "nothing to show" in plot_confidence([], [], [], 0.95).texts[0].get_text()


def test_bars_end_where_an_option_was_settled() -> None:
    rates = [
        Rate(name, 0.1, estimate, 0.9) for name, estimate in (("a", 0.3), ("b", 0.8), ("c", 0.5), ("d", 0.4))
    ]
    axes: Any
    (axes,) = plot_settled(rates, {0: 40, 1: None, 2: 70}, [1], 100).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "d", "c", "b"]
    assert [(bar.get_y() + bar.get_height() / 2, bar.get_width()) for bar in axes.patches] == [
        (0, 40),
        (2, 70),
        (3, 100),
    ]
    assert mpl.colors.to_hex(axes.patches[-1].get_facecolor()) == ACCENT
    assert [text.get_text() for text in axes.texts if text.get_text()] == [
        "40",
        "nothing to settle",
        "70",
        "open",
    ]
    assert "nothing to show" in plot_settled(rates, {}, [], 100).texts[0].get_text()


def test_outliers_of_a_fit_are_named() -> None:
    trials = np.array([100, 100, 0, 100])
    fitted = np.array([0.2, 0.4, 0.5, 0.6])
    axes: Any
    (axes,) = plot_fit(["a", "b", "c", "d"], trials, np.array([21, 70, 0, 59]), fitted, 5.0).axes
    assert [text.get_text() for text in axes.texts] == ["b"]
    points = axes.collections[1]
    assert np.allclose(points.get_offsets(), [[0.2, 0.21], [0.4, 0.7], [0.6, 0.59]])
    assert [mpl.colors.to_hex(colour) for colour in points.get_facecolor()] == [PALE, ACCENT, PALE]
    assert "alarm" in axes.get_title(loc="left")
    assert "Nothing to check" in plot_fit(["a"], [5], [2], [0.4], -math.inf).texts[0].get_text()


def test_names_are_shortened_in_the_middle() -> None:
    assert shortened("a name") == "a name"
    assert shortened("two\nlines\x00") == "two lines"
    long = shortened("x" * 100 + " the end")
    assert len(long) == 40
    assert long.endswith("the end")
