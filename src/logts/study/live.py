"""How a study goes while a loop runs: a card in a notebook, a screen in a terminal, else lines."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from logts.reports.card import study_card
from logts.reports.standing import Standing
from logts.reports.words import question

TOLD = 60.0  # seconds between two lines where nothing can be drawn


class Screen(Protocol):
    """Where it is shown."""

    def show(self, at: Standing, *, last: bool) -> None:
        """Draw how it stands, in the place of what was drawn before."""

    def close(self) -> None:
        """Nothing more is drawn."""


class Live:
    """Shows a study in place, as often as :meth:`update` is called and no more often than makes sense.

    Parameters
    ----------
    name, standing
        What the study is called, and how it stands.
    every
        Seconds between two pictures, at least.
    """

    def __init__(self, name: str, standing: Callable[[], Standing], *, every: float) -> None:
        self._name = name
        self._standing = standing
        self._every = every
        self._due = 0.0
        self._screen: Screen | None = None

    def __enter__(self) -> Self:
        self._screen = _screen(self._name)
        self._show(self._screen, last=False)
        return self

    def __exit__(self, *_: object) -> None:
        if self._screen is not None:
            try:
                self._show(self._screen, last=True)
            finally:
                self._screen.close()
                self._screen = None

    def update(self) -> None:
        """Show how the study stands, unless that was done a moment ago."""
        if self._screen is None:
            raise ValueError("a live view is shown inside a 'with': with study.live() as view: ...")
        if time.monotonic() >= self._due:
            self._show(self._screen, last=False)

    def _show(self, screen: Screen, *, last: bool) -> None:
        begin = time.monotonic()
        screen.show(self._standing(), last=last)
        end = time.monotonic()
        self._due = end + max(self._every, 4.0 * (end - begin))  # a fifth of the time, at most


def _screen(name: str) -> Screen:
    if in_notebook():
        return Notebook(name)
    if sys.stderr.isatty():
        try:
            return Terminal(name)
        except ImportError:
            pass
    return Lines(name)


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    if "IPython" not in sys.modules:  # whoever runs in a kernel has it
        return False
    from IPython.core.getipython import get_ipython

    return hasattr(get_ipython(), "kernel")


@dataclass(frozen=True)
class Drawn:
    """A card, for notebooks and for what shows texts alone."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


class Notebook:
    """A card that is drawn anew where it is."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._handle: Any = None

    def show(self, at: Standing, *, last: bool) -> None:
        from IPython.display import display

        drawn = Drawn(study_card(self._name, at), at.said)
        if self._handle is None:
            self._handle = display(drawn, display_id=True)
        else:
            self._handle.update(drawn)

    def close(self) -> None:
        """The last card stays."""


class Terminal:
    """The screen of ``logts run``, on standard error."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.live import Live as Screen

        self._name = name
        self._live = Screen(console=Console(stderr=True), auto_refresh=False)
        self._live.start()

    def show(self, at: Standing, *, last: bool) -> None:
        from logts.reports.screen import study_screen

        title = f"{self._name}: {question(at.policy.problem, at.arms.items.names)}"
        self._live.update(study_screen(at, title), refresh=True)

    def close(self) -> None:
        """The last screen stays."""
        self._live.stop()


class Lines:
    """A line now and then."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told = time.monotonic()

    def show(self, at: Standing, *, last: bool) -> None:
        if last or time.monotonic() >= self._told + TOLD:
            self._told = time.monotonic()
            print(f"{self._name}: {at.said}", file=sys.stderr)

    def close(self) -> None:
        """There is nothing to put away."""
