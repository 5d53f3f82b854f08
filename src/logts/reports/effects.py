"""What the columns of the model do: how much the logit of a rate changes with each, with intervals.

The true parameter lies, with probability at least 1 - delta, at all times among those that are not refuted
(:mod:`logts.evidence.intervals`). An interval here is the range of ``a.eta`` over them: so all intervals of
effects hold together, with each other, with those of the rates, and whenever one looks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from scipy.special import logit

from logts.evidence.intervals import ENDS
from logts.judge import Trust
from logts.reports.fit_words import alarm_in_words
from logts.reports.standing import Standing
from logts.tables.changes import changes_of
from logts.tools import notebook
from logts.tools.algebra import Array
from logts.tools.html import table
from logts.tools.tabular import Tabular

LISTED = 20  # effects that are shown; all are in the table


@dataclass(frozen=True)
class Effect:
    """What becomes of the logit of a rate when a column takes another value and all else stays.

    Attributes
    ----------
    columns, before, after
        One column with its value before and after. Or two: then it is how much more they do together than
        each by itself.
    low, estimate, high
        On the logit scale; infinite ends and a NaN where nothing is known.
    """

    columns: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    low: float
    estimate: float
    high: float

    @property
    def name(self) -> str:
        """What changes, in words."""
        steps = zip(self.columns, self.before, self.after, strict=True)
        return ", ".join(f"{column}: {before} → {after}" for column, before, after in steps)

    @property
    def clear(self) -> bool:
        """Whether its sign is proven."""
        return self.low > 0.0 or self.high < 0.0


class Effects(Sequence[Effect], Tabular):
    """Effects of the columns of a model, and what their intervals rest on (``note``)."""

    def __init__(self, effects: Sequence[Effect], note: str) -> None:
        self._effects = list(effects)
        self.note = note

    def __len__(self) -> int:
        return len(self._effects)

    @overload
    def __getitem__(self, at: int) -> Effect: ...
    @overload
    def __getitem__(self, at: slice) -> list[Effect]: ...
    def __getitem__(self, at: int | slice) -> Effect | list[Effect]:
        return self._effects[at]

    def columns(self) -> dict[str, list[Any]]:
        """A row for each effect; two columns of which one changes what the other does are joined by ``:``."""
        return {
            "column": [":".join(effect.columns) for effect in self],
            "from": [", ".join(map(str, effect.before)) for effect in self],
            "to": [", ".join(map(str, effect.after)) for effect in self],
            **{end: [getattr(effect, end) for effect in self] for end in ("low", "estimate", "high")},
        }

    def __repr__(self) -> str:
        width = max((len(effect.name) for effect in self), default=0)
        lines = [f"{effect.name:{width}}  {said(effect)}" for effect in self]
        return "\n".join([*lines, self.note])

    def _repr_html_(self) -> str:
        shown = self[:LISTED]
        ends = [abs(end) for effect in shown for end in _ends(effect) if math.isfinite(end)]
        reach = max(ends, default=1.0) or 1.0
        rows = [
            [
                effect.name,
                _estimate(effect),
                _interval(effect),
                notebook.interval(*(0.5 + 0.5 * end / reach for end in _ends(effect)), mark=0.5),
            ]
            for effect in shown
        ]
        marked = [row for row, effect in enumerate(shown) if effect.clear]
        heads = ["change of the logit when", "estimate", "interval", f"-{reach:.2g} to +{reach:.2g}"]
        parts = [table(heads, rows, numbers=(1, 2), marked=marked)] if len(self) else []
        below = notebook.paragraphs([_more(len(self)), self.note])
        return notebook.card("What the columns do", [*parts, *below])


def said(effect: Effect) -> str:
    """An estimate and its interval in words."""
    return f"{_estimate(effect)} ({_interval(effect)})"


def effects_of(at: Standing, *, most: int | None = None) -> Effects:
    """The effects of the columns of the model of a study, as it stands: all, or the first ``most``."""
    changes, weights = changes_of(at.arms)
    low, middle, high = _ranges(at, weights[:most])
    found = [
        Effect(change.columns, change.before, change.after, *ends)
        for change, *ends in zip(changes[:most], low.tolist(), middle.tolist(), high.tolist(), strict=True)
    ]
    return Effects(found, _note(at, any(len(effect.columns) > 1 for effect in found)))


def _ranges(at: Standing, weights: Array) -> tuple[Array, Array, Array]:
    """How low and how high each weighted sum of logits can be, and its estimate."""
    told = np.isfinite(weights).all(axis=1)
    low, middle, high = (np.full(len(weights), end) for end in (-math.inf, math.nan, math.inf))
    if at.policy.judge.trust is Trust.NO_MODEL:
        found = _by_own_rates(at.rates, weights[told])
    else:
        found = at.possible.ranges(np.ascontiguousarray(weights[told] @ at.arms.points))
    low[told], middle[told], high[told] = found
    return low, middle, high


def _by_own_rates(rates: Sequence[Any], weights: Array) -> tuple[Array, Array, Array]:
    """The same where every option has a rate of its own: each logit is anywhere in its own interval."""
    low, middle, high = (logit([getattr(rate, end) for rate in rates]) for end in ENDS)
    up, down = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
    pairs = ((low, high), (middle, middle), (high, low))
    with np.errstate(invalid="ignore"):  # an estimate of something infinite less something infinite
        found = [_sum(up, gained) - _sum(down, lost) for gained, lost in pairs]
    return found[0], found[1], found[2]


def _sum(weights: Array, logits: Array) -> Array:
    """``weights @ logits``, where nothing times infinity is nothing."""
    parts = np.multiply(weights, logits, where=weights > 1e-12, out=np.zeros_like(weights))
    return np.asarray(parts.sum(axis=1))


def _note(at: Standing, pairs: bool) -> str:
    sure = f"{100 * (1 - at.policy.delta):g}%"
    note = (
        "What becomes of the logit of a rate when a column changes and all else stays, on average over the "
        f"options. All intervals hold at once and at all times, with probability {sure}, if the model is "
        "right. "
        "Near a rate of one half 0.4 logits are 10 points."
    )
    note += " With two columns: how much more they do together than each by itself." if pairs else ""
    refuted = alarm_in_words(at) if at.alarmed else ""
    return f"{note} {refuted}" if refuted else note


def _ends(effect: Effect) -> tuple[float, float, float]:
    return effect.low, effect.estimate, effect.high


def _estimate(effect: Effect) -> str:
    return "unknown" if math.isnan(effect.estimate) else f"{effect.estimate:+.2f}"


def _interval(effect: Effect) -> str:
    low, high = (f"{end:+.2f}" for end in (effect.low, effect.high))
    if math.isinf(effect.low) and math.isinf(effect.high):
        return "anything"
    if math.isinf(effect.low) or math.isinf(effect.high):
        return f"below {high}" if math.isinf(effect.low) else f"above {low}"
    return f"{low} to {high}"


def _more(count: int) -> str:
    return f"The first {LISTED} of {count:,}; to_pandas() has all." if count > LISTED else ""
