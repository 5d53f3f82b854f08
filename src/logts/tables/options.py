"""The options of a table and the model that was chosen for them, said in words before the first trial.

A model is a choice. Without one every option has a rate of its own, which assumes nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logts.arms import Arms
from logts.tables.read import column
from logts.tools.frames import Factor, columns_of, factors_of, plain_rows

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 6  # levels, options and rows that are listed
COUNTERS = {"", "#", "id", "ids", "index", "key", "nr", "no", "number", "row", "unnamed: 0"}
LIKE_A_NUMBER = re.compile(r"[-+]?\d{1,3}([.,' ]\d{3})*([.,]\d+)?")


@dataclass(frozen=True)
class Choice:
    """What the user said about the model.

    Attributes
    ----------
    formula, additive
        The model: a formula, or all columns added up; without both there is none.
    names
        The column with the options' names.
    equal
        Whether options that the model cannot tell apart are meant to be equal.
    pairwise
        Whether options are compared in pairs.
    """

    formula: str | None = None
    additive: bool = False
    names: str | None = None
    equal: bool = False
    pairwise: bool = False

    @property
    def modelled(self) -> bool:
        return self.additive or self.formula is not None


@dataclass(frozen=True)
class Options:
    """The options of a table, and the model in words."""

    arms: Arms
    words: list[str]


def read_options(
    table: pd.DataFrame, choice: Choice, *, aside: Sequence[str], written: pd.DataFrame | None = None
) -> Options:
    """The options of a table.

    Columns ``aside`` have another use. Names, and the columns that commands get, are as they are ``written``.
    """
    written = table if written is None else written
    if choice.formula is not None and choice.additive:
        raise ValueError("--additive adds up all columns and --formula says which: give one of them")
    for name in [*aside, *([choice.names] if choice.names else [])]:
        column(table, name)
    others = [str(name) for name in table.columns if name not in aside and name != choice.names]
    names = _names(written, choice.names, others)
    if choice.pairwise:
        return _compared(table, written, choice, names, others)
    if not choice.modelled:
        return Options(Arms(names=names, columns=plain_rows(written)), _no_model(names, others))
    formula = choice.formula or _added_up(table, others)
    used = columns_of(table, formula)
    _no_gaps(table, used)
    factors = factors_of(table, formula)
    arms = Arms(table, formula, names=names, columns=plain_rows(written))
    groups = _equal_groups(arms)
    if groups and not choice.equal:
        listed = "; ".join(" and ".join(group[:SHOWN]) for group in groups[:SHOWN])
        raise ValueError(
            f"this model takes options to be equal that it cannot tell apart: {listed}. Add a column that "
            "tells them apart, leave the model out, or say --equal if they are meant to be equal"
        )
    left = [name for name in others if name not in used]
    return Options(arms, _in_words(table, arms, formula, factors, left, groups))


def _compared(
    table: pd.DataFrame, written: pd.DataFrame, choice: Choice, names: list[str], others: Sequence[str]
) -> Options:
    """Every pair of options, each an item with a strength of its own, or one that its columns describe."""
    if len(names) < 2:
        raise ValueError("a comparison needs two options at least: give more rows")
    pairs = len(names) * (len(names) - 1) // 2
    lines = [f"Comparisons: {pairs} pairs of {len(names)} options; yes means that the first one wins."]
    known = plain_rows(written)
    if not choice.modelled:
        strength = "Each option has a strength; the logit that the first wins is the difference of the two."
        return Options(Arms.pairwise(names, columns=known), [*lines, strength])
    formula = choice.formula or _added_up(table, others)
    _no_gaps(table, columns_of(table, formula))
    arms = Arms.pairwise(Arms(table, formula, names=names).features, names=names, columns=known)
    strength = f"The strength of an option is {formula.replace('`', '').lstrip('~ ')}, without the constant."
    return Options(arms, [*lines, strength])


def other_way(table: pd.DataFrame, choice: Choice, aside: Sequence[str]) -> Options | None:
    """The same options without the model, or with all columns added up; None where that makes no sense."""
    if choice.pairwise:
        return None
    other = Choice(names=choice.names, additive=not choice.modelled, equal=True)
    try:
        found = read_options(table, other, aside=aside)
    except ValueError:
        return None
    return found if other.additive is False or found.arms.dimension < len(found.arms) else None


def _names(written: pd.DataFrame, names: str | None, others: Sequence[str]) -> list[str]:
    """A name for each option, no two alike: those of a column, or all its other columns."""
    columns = [names] if names else list(others)
    if not columns:
        raise ValueError("no column is left to name the options by: say which holds their --names")
    labels = [" | ".join(map(str, row)) for row in written[columns].itertuples(index=False)]
    first: dict[str, int] = {}
    for row, label in enumerate(labels, start=2):  # the header is row 1
        if not label.replace("|", "").strip() or (names and label == "nan"):
            raise ValueError(f"row {row} has no {' or '.join(columns)}: every option needs a name")
        if first.setdefault(label, row) != row:
            raise ValueError(
                f"rows {first[label]} and {row} are both {label!r}: keep one of them, or name the options "
                "apart (--names COLUMN)"
            )
    return labels


def _added_up(table: pd.DataFrame, others: Sequence[str]) -> str:
    """The formula of all columns that could matter."""
    import pandas as pd

    useful = [name for name in others if table[name].nunique(dropna=False) > 1]
    if not useful:
        raise ValueError(
            "no column tells the options apart: leave --additive out, and each has a rate of its own"
        )
    for name in useful:
        numeric = pd.api.types.is_numeric_dtype(table[name])
        distinct = table[name].nunique() == len(table) > 2
        if distinct and not numeric:
            raise ValueError(
                f"column {name!r} has another text in every row, so nothing could be shared: say --names "
                f"{name}, or choose columns with --formula"
            )
        if distinct and name.strip().lower() in COUNTERS:
            raise ValueError(
                f"column {name!r} seems to number the options: say --names {name}, or choose columns with "
                "--formula"
            )
    return "~ " + " + ".join(f"`{name}`" for name in useful)


def _no_gaps(table: pd.DataFrame, used: Sequence[str]) -> None:
    for name in used:
        gaps = np.flatnonzero(table[name].isna())
        if len(gaps):
            rows = ", ".join(str(row + 2) for row in gaps[:SHOWN])
            many = "rows" if len(gaps) > 1 else "row"
            raise ValueError(
                f"column {name!r} is empty in {many} {rows}: fill it in, or leave the column out of the model"
            )


def _equal_groups(arms: Arms) -> list[list[str]]:
    """Options with equal features."""
    rows: dict[tuple[float, ...], list[str]] = {}
    for name, features in zip(arms.names, arms.features, strict=True):
        rows.setdefault(tuple(features.tolist()), []).append(name)
    return [group for group in rows.values() if len(group) > 1]


def _no_model(names: Sequence[str], others: Sequence[str]) -> list[str]:
    lines = [f"No model: each of {len(names)} options has a rate of its own, which assumes nothing."]
    if others:
        listed = _shown(others)
        lines.append(
            f"Not used: {listed}. If what they do adds up on the logit scale, --additive takes fewer trials; "
            "'logts plan' shows both prices."
        )
    return lines


def _in_words(
    table: pd.DataFrame,
    arms: Arms,
    formula: str,
    factors: Sequence[Factor],
    left: Sequence[str],
    groups: list[list[str]],
) -> list[str]:
    """What the model assumes, column by column."""
    size = f"{arms.dimension} parameters for {len(arms)} options"
    lines = [f"Model: the logit of an option's rate is {formula.replace('`', '').lstrip('~ ')}; {size}."]
    if arms.dimension == len(arms):
        lines.append("That is as many as there are options: nothing is shared, as without a model.")
    width = max(len(factor.label) for factor in factors)
    lines += [f"  {factor.label:{width}}  {_kind(table, factor)}" for factor in factors]
    constant = [name for name in left if table[name].nunique(dropna=False) == 1]
    unused = [name for name in left if name not in constant]
    if unused:
        lines.append(f"Left out: {_shown(unused)}.")
    if constant:
        lines.append(f"The same for all options, so of no use: {_shown(constant)}.")
    if groups:
        equal = "; ".join(" and ".join(group[:SHOWN]) for group in groups[:SHOWN])
        lines.append(f"Taken to be equal: {equal}.")
    used = list(dict.fromkeys(itertools.chain.from_iterable(factor.columns for factor in factors)))
    if len(used) > 1 and not any(mark in formula for mark in ":*"):
        a, b = used[:2]
        lines.append(
            f"What one column does is taken not to depend on another; if it does, add it: --formula "
            f"'{formula.replace('`', '')} + {a}:{b}'."
        )
    return lines


def _kind(table: pd.DataFrame, factor: Factor) -> str:
    if factor.levels is None:
        values = table[factor.columns[0]] if len(factor.columns) == 1 else None
        if values is None or factor.label != factor.columns[0]:
            return "number"
        count = values.nunique()
        also = f"; C({factor.label}) in a --formula makes it a category" if 2 < count <= SHOWN else ""
        return f"number, {values.min():g} to {values.max():g}{also}"
    levels = [str(level) for level in factor.levels]
    text = f"category with {len(levels)} levels: {_shown(levels)}"
    if not factor.label.startswith("C(") and all(LIKE_A_NUMBER.fullmatch(level) for level in levels):
        text += " (text: write numbers without separators, 1.5 and 1000, to use them as such)"
    return text


def _shown(words: Sequence[str]) -> str:
    rest = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + rest
