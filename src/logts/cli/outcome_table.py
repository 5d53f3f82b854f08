"""A table of outcomes: of trials that were asked for, by id, or of others, by option. Rows are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from logts.cli.outcomes import read_outcome
from logts.study import Study
from logts.tables import harmless
from logts.tools.algebra import Array

if TYPE_CHECKING:
    import pandas as pd

FIRST = 2  # the number of the first row below the header, as spreadsheets count
WANTED = (
    "give the columns id and outcome for trials that were asked for; option and outcome, or option, "
    "successes and trials, for outcomes from elsewhere"
)


@dataclass
class Checked:
    """What the rows say.

    Attributes
    ----------
    told, lost
        Outcomes of trials, and trials without one.
    known
        How many of them were told before.
    trials, successes
        Counts of trials that nobody asked for, one for each option; None if rows have ids.
    blank
        How many rows have no outcome yet.
    wrong
        What is wrong with rows that cannot be used.
    """

    told: dict[int, bool] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    known: int = 0
    trials: Array | None = None
    successes: Array | None = None
    blank: int = 0
    wrong: list[str] = field(default_factory=list)


def check_table(table: pd.DataFrame, study: Study) -> Checked:
    """Check every row of a table, whose values are texts, against a study."""
    table = table.rename(columns=lambda name: str(name).strip().lower())
    names = set(table.columns)
    ids = next((name for name in ("id", "trial") if name in names), None)
    if ids is not None and "outcome" in names:
        return _by_id(table, ids, study)
    if {"option", "outcome"} <= names or {"option", "successes", "trials"} <= names:
        return _by_option(table, study)
    raise ValueError(f"{WANTED}. These are {', '.join(map(str, table.columns))}")


def _by_id(table: pd.DataFrame, ids: str, study: Study) -> Checked:
    """Outcomes of trials that were asked for."""
    asked = study.to_pandas()
    states, options = asked["state"].tolist(), asked["option"].tolist()
    outcomes = asked["outcome"].tolist()
    found = Checked()

    def check(row: dict[str, str]) -> None:
        outcome = read_outcome(row["outcome"])
        number = _count(row[ids], "an id")
        if number >= len(states):
            raise ValueError(f"no trial has the id {number}: {len(states):,} have been asked for")
        if row.get("option", "").strip() not in ("", *_spellings(options[number])):
            raise ValueError(f"trial {number} tried {options[number]!r}, not {row['option']!r}")
        _fits(number, outcome, states[number], outcomes[number])
        if found.told.get(number, outcome) != outcome or (number in found.lost and outcome is not None):
            raise ValueError(f"trial {number} has another outcome in a row before")
        if states[number] != "waiting":
            found.known += 1
        elif outcome is None:
            found.lost.append(number)
        else:
            found.told[number] = outcome

    found.blank, found.wrong = _each(table, "outcome", check)
    return found


def _fits(number: int, outcome: bool | None, state: str, before: int) -> None:
    """Refuse an outcome that contradicts what was told of the trial before."""
    if state == "abandoned" and outcome is not None:
        raise ValueError(f"trial {number} was given up: its outcome no longer counts")
    if state == "told" and outcome is not bool(before):
        raise ValueError(
            f"trial {number} was told {'yes' if before else 'no'} before: the first outcome stands"
        )


def _by_option(table: pd.DataFrame, study: Study) -> Checked:
    """Outcomes of trials that nobody asked for."""
    names = study.arms.names
    numbers = {spelt: arm for arm, name in enumerate(names) for spelt in _spellings(name)}
    numbers |= {name: arm for arm, name in enumerate(names)}
    trials, successes = np.zeros(len(study.arms)), np.zeros(len(study.arms))
    counted = "outcome" not in table.columns

    def check(row: dict[str, str]) -> None:
        name = row["option"] if row["option"] in numbers else row["option"].strip()
        if name not in numbers:
            raise ValueError(f"no option is called {name!r}")
        if counted:
            made, won = _count(row["trials"], "trials"), _count(row["successes"], "successes")
        else:
            outcome = read_outcome(row["outcome"])
            if outcome is None:
                return
            made, won = 1, int(outcome)
        if won > made:
            raise ValueError(f"{won:,} successes of {made:,} trials")
        trials[numbers[name]] += made
        successes[numbers[name]] += won

    blank, wrong = _each(table, "trials" if counted else "outcome", check)
    return Checked(trials=trials, successes=successes, blank=blank, wrong=wrong)


def _each(table: pd.DataFrame, needed: str, check: Callable[[dict[str, str]], None]) -> tuple[int, list[str]]:
    """Check row by row; how many have nothing in the column that is needed, and what is wrong with others."""
    blank = 0
    wrong = []
    for number, row in _rows(table):
        if not row[needed]:
            blank += 1
            continue
        try:
            check(row)
        except ValueError as error:
            wrong.append(f"row {number}: {error}")
    return blank, wrong


def _rows(table: pd.DataFrame) -> Iterator[tuple[int, dict[str, str]]]:
    for number, values in enumerate(table.itertuples(index=False, name=None), FIRST):
        row = dict(zip(table.columns, map(str, values), strict=True))
        yield number, {name: value if name == "option" else value.strip() for name, value in row.items()}


def _spellings(name: str) -> tuple[str, str]:
    """A name without blanks around it, as it is and as files write it."""
    return name.strip(), harmless(name).strip()


def _count(text: str, what: str) -> int:
    """A whole number that is not negative; spreadsheets may have written 17 as 17.0."""
    plain = text.removesuffix(".0")
    if not (plain.isascii() and plain.isdecimal()):
        raise ValueError(f"{what}: a whole number is wanted; got {text!r}")
    return int(plain)
