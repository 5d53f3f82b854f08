"""Outcomes as people write them, by hand or in a table; and times as they say them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from logts.cli.choices import Text
from logts.cli.studies import DEFAULT

YES = ("yes", "y", "true", "1", "1.0")
NO = ("no", "n", "false", "0", "0.0")
LOST = "lost"
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_outcome(word: str) -> bool | None:
    """True for yes, False for no, None for a trial whose outcome is lost."""
    plain = word.strip().lower()
    if plain in YES or plain in NO:
        return plain in YES
    if plain == LOST:
        return None
    raise ValueError(f"an outcome is yes or no (y, n, 1, 0, true, false), or lost; got {word!r}")


def study_and_rest(words: Sequence[str], begins: Callable[[str], bool]) -> tuple[str, list[str]]:
    """The study, if it was given before the rest, whose first word is known by ``begins``."""
    if words and not begins(words[0]):
        return words[0], list(words[1:])
    return DEFAULT, list(words)


class Seconds(Text):
    """A time such as ``90s``, ``15m``, ``8h`` or ``3d``, in seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([smhd])\s*", str(value))
        if found is None or not float(found[1]):
            self.fail(
                f"a time is a number and its unit, such as 90s, 15m, 8h or 3d; got {value!r}", param, ctx
            )
        return float(found[1]) * UNITS[found[2]]


def in_words(seconds: float) -> str:
    """A time as one would say it.

    >>> in_words(3 * 86400.0), in_words(5400.0)
    ('3 days', '90 minutes')
    """
    for unit, name in (("d", "day"), ("h", "hour"), ("m", "minute"), ("s", "second")):
        number = seconds / UNITS[unit]
        if number >= 1.0 and number == round(number):
            return f"{number:.0f} {name}{'s' if number != 1.0 else ''}"
    return f"{seconds:g} seconds"
