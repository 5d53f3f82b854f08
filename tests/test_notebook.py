"""What notebooks show: cards that are HTML and nothing else, and a view that stays in its place."""

import io
import re
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jupyter_client.manager import KernelManager

import logts
from logts.evidence.intervals import ManyRates, Rate
from logts.planning import plan
from logts.study import live
from logts.tools import notebook
from tests.studies import ARMS, RATES, begin, run

EVIL = "<script>alert(1)</script> & 'co'"
VOID = {"rect", "line", "circle", "br", "meta"}


class Checker(HTMLParser):
    """Tags that are opened are closed, in order; texts are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        assert not [name for name, value in attrs if name.startswith("on") or "//" in (value or "")]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.said += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def checked(thing: Any) -> Checker:
    """What a notebook shows of a thing, which must be a card that needs nothing else."""
    text = thing._repr_html_()
    found = Checker()
    found.feed(text)
    found.close()
    assert not found.open
    assert not found.tags & {"script", "link", "img", "iframe"}
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    plain = re.sub(r"/\*.*?\*/", "", style.group(1), flags=re.DOTALL)
    selectors = [part.strip() for part in re.findall(r"([^{}]+)\{", plain)]
    assert all(".logts-card" in part or part.startswith("@media") for part in selectors), selectors
    assert "url(" not in plain
    assert len(text) < 20_000
    return found


@pytest.fixture
def study() -> logts.Study:
    names = [EVIL, "bold", "short", "both"]
    return begin("memory://cards", arms=logts.Arms(ARMS.features, names=names))


def test_a_study_from_its_beginning_to_its_verdict(study: logts.Study) -> None:
    assert "No outcome yet." in checked(study).said
    trials = study.ask(60)
    study.tell(trials, np.random.default_rng(0).random(60) < RATES[trials.numbers])
    card = checked(study)
    assert "Undecided after 60 trials." in card.said
    assert "wanted 90%" in card.said
    best, *_ = study.rates()[:0] or sorted(study.rates(), key=lambda rate: -rate.estimate)
    row = next(row for row in card.rows if row[0] == best.name)
    trials_of = study.counts[study.arms.names.index(best.name)]
    interval = f"{best.low:.1%} to {best.high:.1%}"
    assert row[:4] == [best.name, f"{trials_of:.0f}", f"{best.estimate:.1%}", interval]
    verdict = run(study, np.random.default_rng(1))
    assert verdict.answer.text == "best: both"
    for thing in (study, verdict):
        shown = checked(thing)
        assert "Best: both." in shown.said
        assert EVIL in [row[0] for row in shown.rows]  # as text, and so no tag
        assert 'class="answer"' in thing._repr_html_()
        assert 'class="logts-card proven"' in thing._repr_html_()


def test_a_guess_is_marked_as_one() -> None:
    study = begin("memory://guess", max_trials=5)
    study.tell(study.ask(5), [1, 0, 1, 0, 1])
    assert study.verdict is not None
    assert 'class="logts-card doubtful"' in study.verdict._repr_html_()
    assert "Not proven" in checked(study.verdict).said


def test_bounds_plans_and_runs() -> None:
    theta = [-0.5, 0.3, 0.6]
    bound = logts.lower_bound(ARMS, theta, logts.BestArm())
    card = checked(bound)
    assert f"{bound.samples:,.0f} trials, at least" in card.said
    assert [row[:2] for row in card.rows[1:]] == [[name, f"{part:.2%}"] for name, part in bound.allocation()]
    tie = logts.lower_bound(logts.Arms(names=["a", "b"]), [0.1, 0.1], logts.BestArm())
    assert str(tie.status) in checked(tie).said
    runs = logts.simulate("log-ts", logts.Arms(names=["a", "b"]), [2.0, -2.0], logts.BestArm(), runs=8, rng=0)
    said = checked(runs)
    samples = [one.samples for one in runs]
    assert str(runs) in said.said
    assert [row[1] for row in said.rows if row[0] == "50%"] == [f"{np.quantile(samples, 0.5):,.0f}"]
    assert checked(type(runs)()).said.strip() == "No runs"
    found = plan(logts.Arms(names=["a", "b"]), logts.BestArm(), truth=[2.0, -2.0], runs=40, rng=0)
    assert found.headline in checked(found).said
    assert ["median of the trials", *found.table()[0][1:]] in checked(found).rows


def test_of_thousands_of_options_the_leaders_are_listed() -> None:
    looked: list[int] = []

    def find(some: Any) -> list[Rate]:
        looked.extend(some)
        return [Rate(f"option {i}", 0.1, 0.5, 0.9) for i in some]

    rates = ManyRates(np.linspace(0.1, 0.9, 5_000), find)
    card = checked(rates)
    assert [row[0] for row in card.rows[1:]] == [f"option {4999 - i}" for i in range(8)]
    assert sorted(looked) == [*range(4992, 5000)]
    assert "and 4,992 more" in card.said


def test_bars_stay_within_their_frame() -> None:
    for drawn in (
        notebook.share(3.0),
        notebook.share(float("nan")),
        notebook.interval(float("-inf"), float("nan"), float("inf")),
        notebook.ticks([-1.0, 0.5, 2.0]),
    ):
        numbers = [float(value) for value in re.findall(r'(?:x1|x2|cx|width)="([-.\d]+)"', drawn)]
        assert all(0.0 <= value <= notebook.WIDTH for value in numbers)
        assert "nan" not in drawn


def test_rates_and_runs_leave_as_frames(study: logts.Study) -> None:
    verdict = run(study, np.random.default_rng(1))
    frame = verdict.rates().to_pandas()
    assert list(frame.columns) == ["option", "low", "estimate", "high"]
    assert frame["estimate"].tolist() == [rate.estimate for rate in verdict.rates()]
    assert study.rates().to_polars()["option"].to_list() == list(study.arms.names)
    batch = begin(
        "memory://batch", arms=logts.Arms(names=["a", "b"], columns=[{"x": 1, "id": 7}, {"x": 2, "id": 8}])
    )
    asked = batch.ask(6).to_pandas()
    assert list(asked.columns) == ["id", "option", "x", "option id"]
    assert asked["x"].tolist() == [1 if name == "a" else 2 for name in asked["option"]]
    batch.tell(asked["id"], asked["option"] == "a")
    told = batch.to_pandas()
    assert told["outcome"].tolist() == (asked["option"] == "a").astype(int).tolist()
    assert batch.to_polars()["outcome"].to_list() == told["outcome"].tolist()
    batch.tell_history(asked["option"], pd.Series([1, 0] * 3))


class Console(io.StringIO):
    """A terminal, as far as can be told."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_screen_in_place(study: logts.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Console()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with study.live(every=0.0) as view:
        study.tell(study.ask(1), [1])
        view.update()
    assert "wanted 90%" in shown.getvalue()
    assert "\x1b[2K" in shown.getvalue()  # the line before is drawn over


def test_elsewhere_there_are_lines_now_and_then(
    study: logts.Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study.run(lambda trial: True, budget=3)
    assert capsys.readouterr().err == f"{study.name}: {study.standing().said}\n"
    monkeypatch.setattr(live, "TOLD", 0.0)
    with study.live(every=0.0) as view:
        view._due = 0.0
        view.update()
    assert len(capsys.readouterr().err.splitlines()) == 3
    with pytest.raises(ValueError, match="inside a 'with'"):
        view.update()


def test_to_look_on_takes_little_time(study: logts.Study) -> None:
    looks = []

    def standing() -> Any:
        looks.append(time.monotonic())
        time.sleep(0.02)
        return study.standing()

    with live.Live("s", standing, every=0.0) as view:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            view.update()
    assert np.diff(looks)[:-1].min() >= 0.1  # five times what it takes


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A kernel, and what it says to a piece of code."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path_factory.mktemp("kernel")))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=120)

    def ask(code: str, after: Any = None) -> list[dict[str, Any]]:
        said: list[dict[str, Any]] = []

        def hear(message: dict[str, Any]) -> None:
            said.append(message)
            if after is not None and after(message):
                manager.interrupt_kernel()

        client.execute_interactive(code, output_hook=hear, timeout=120)
        return said

    yield ask
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


BEGIN = """
import time
import logts
arms = logts.Arms(names=["a", "b"])
study = logts.Study.create("studies.db", "s", arms=arms, problem=logts.BestArm())
"""


def test_a_notebook_shows_one_card_that_changes_in_place(kernel: Any) -> None:
    said = kernel(BEGIN + "study.run(lambda trial: trial.id // 2 % 2, budget=20)")
    shown = [message for message in said if message["msg_type"] == "display_data"]
    again = [message for message in said if message["msg_type"] == "update_display_data"]
    assert len(shown) == 1
    assert again
    assert {message["content"]["transient"]["display_id"] for message in shown + again} == {
        shown[0]["content"]["transient"]["display_id"]
    }
    assert "No outcome yet" in shown[0]["content"]["data"]["text/html"]
    assert "20 trials" in again[-1]["content"]["data"]["text/html"]
    assert again[-1]["content"]["data"]["text/plain"].startswith("Undecided after 20 trials")
    (result,) = [message for message in kernel("study") if message["msg_type"] == "execute_result"]
    assert "logts-card" in result["content"]["data"]["text/html"]


def test_the_stop_of_a_notebook_leaves_nothing_half_told(kernel: Any) -> None:
    slow = """
def make(trial):
    if trial.id == 25:
        print("now", flush=True)
        time.sleep(600)
    return trial.id // 2 % 2
study.run(make)
"""
    said = kernel(slow, after=lambda message: message["content"].get("text", "").startswith("now"))
    errors = [message["content"] for message in said if message["msg_type"] == "error"]
    assert [error["ename"] for error in errors] == ["KeyboardInterrupt"]
    after = kernel("print(study.told, study.abandoned, study.ask(1)[0].id)")
    printed = [message["content"]["text"] for message in after if message["msg_type"] == "stream"]
    assert printed == ["25 0 25\n"]
