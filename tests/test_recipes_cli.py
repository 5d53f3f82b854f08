"""The recipes of CONTRIBUTING.md for a plot and a command: one file is all there is to add."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import matplotlib as mpl
import matplotlib.colors
import pytest

import logts
from logts.cli import commands
from logts.cli.commands import COMMANDS
from logts.reports import pictures
from logts.reports.pictures import PICTURES
from logts.tools.registry import Registry
from tests.commands import typed
from tests.recipes import Add, recipe, registries_unchanged

mpl.use("Agg")


@pytest.fixture
def study(tmp_path: Path) -> Iterator[logts.Study]:
    arms = logts.Arms(names=["red", "green", "blue"])
    with logts.Study.create(tmp_path / "studies.db", "buttons", arms=arms, problem=logts.BestArm()) as made:
        trials = made.ask(30)
        made.tell(trials, [trial.arm == "blue" for trial in trials])
        yield made


def test_a_command_is_one_file(add: Add, study: logts.Study) -> None:
    before = typed("--help").output
    add(commands, recipe("Add a command in one file"))
    listed = typed("--help").output
    assert listed.splitlines()[:-1] == before.splitlines()  # the others, in their order
    assert re.fullmatch(r"  toy +How many outcomes a study has\.", listed.splitlines()[-1])
    assert "Example: logts toy studies.db" in typed("toy", "--help").output
    assert typed("toy", study.where).stdout == "buttons: 30 outcomes\n"
    assert "there is no file" in typed("toy", "nowhere.db", fails=True).output


def test_a_plot_is_one_file(add: Add, study: logts.Study, tmp_path: Path) -> None:
    before = study.report(tmp_path / "before.html").read_text()
    assert "'toy' is not one of 'rates', 'confidence'" in typed("plot", "toy", study.where, fails=True).output
    add(pictures, recipe("Add a plot in one file"))
    (axes,) = study.plot("toy", colour="teal").axes
    assert [bar.get_width() for bar in axes.containers[0]] == study.counts.tolist()
    assert mpl.colors.to_hex(axes.patches[0].get_facecolor()) == "#008080"
    assert "|fit|toy}" in typed("plot", "--help").output
    typed("plot", "toy", study.where, "--out", str(tmp_path / "toy.png"))
    assert (tmp_path / "toy.png").stat().st_size > 5000
    after = study.report(tmp_path / "after.html").read_text()
    assert after.startswith(before[: before.index("<footer>")])  # the rest of the report stays as it was
    assert "<figcaption>How often each option was tried.</figcaption>" in after


def test_a_picture_that_fails_leaves_a_note_in_the_report(study: logts.Study, tmp_path: Path) -> None:
    with registries_unchanged():

        @PICTURES.enter("broken")
        def broken(at: object) -> None:
            raise RuntimeError("no <ink>")

        told = study.report(tmp_path / "report.html").read_text()
        assert "The picture &#x27;broken&#x27; could not be drawn: no &lt;ink&gt;" in told
        with pytest.raises(RuntimeError, match="ink"):
            study.plot("broken")
    with pytest.raises(ValueError, match="'broken'; there are: rates, confidence, settled, effects, fit"):
        study.plot("broken")


def test_names_are_taken_once_and_places_are_kept() -> None:
    greetings: Registry[object] = Registry("greeting")
    greetings.enter("last")("farewell")
    greetings.enter("second", place=2)("hello again")
    greetings.enter("first", place=1)("hello")
    assert list(greetings) == ["first", "second", "last"]
    assert list(greetings.values()) == ["hello", "hello again", "farewell"]

    def make(words: str) -> click.Command:
        return click.Command("x", help=words)

    with pytest.raises(ValueError, match="there is a command called 'plan' already"):
        COMMANDS.enter("plan")(make("another plan"))
    greetings.enter("made")(make)
    greetings.enter("made")(make)
    with pytest.raises(ValueError, match="choose another name"):
        greetings.enter("made")(recipe)
