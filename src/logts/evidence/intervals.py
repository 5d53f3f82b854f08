"""Intervals for every rate at once, at every time at once: what the evidence has not refuted.

The parameters at which the forecast, of all that a wealth is made of, has less than ``1/delta`` are those
with ``L(lambda) >= log cap_0 + Q - log(1/delta)``. They contain the true one at all times with probability at
least 1 - delta. The interval of an item is the range of ``z.lambda`` over them
(:mod:`logts.logistic.extremes`).
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from logts.arms import Items
from logts.evidence.tally import Tally
from logts.logistic.extremes import Level, Peak, largest
from logts.logistic.fit import Fit, information_factor, maximum_likelihood
from logts.tools import notebook
from logts.tools.algebra import Array, Indices
from logts.tools.html import paragraph, table
from logts.tools.state import record
from logts.tools.tabular import Tabular

MANY = 1_000  # items; of more, intervals are computed when they are looked at
WIDEST = 60.0  # logits; beyond, a rate is 0 or 1 to every digit
ENDS = ("low", "estimate", "high")
LEADERS = 8  # items that a notebook lists
LEAST = 1e-9  # by how much the fit lies above the line, at least


@record
@dataclass(frozen=True)
class Rate:
    """Success rate of an item: the estimate, and the interval that holds for all items and times at once.

    Attributes
    ----------
    name
        What the item is called.
    low, high
        The ends of the interval.
    estimate
        The rate that fits best.

    Examples
    --------
    >>> import logts
    >>> policy = logts.LogTS(logts.Arms(names=["red", "green"]), logts.BestArm())
    >>> asked = policy.ask(40)
    >>> policy.tell(asked.ids, asked.arms == 1)
    >>> red, green = policy.rates()
    >>> green.name, green.low < green.estimate <= green.high
    ('green', True)
    """

    name: str
    low: float
    estimate: float
    high: float


class RateTable(Sequence[Rate], Tabular):
    """Rates of items in the order of the items: a sequence, and a table with a row for each."""

    def columns(self) -> dict[str, list[Any]]:
        """The name, the estimate and the ends of the interval of each."""
        rows = list(self)
        return {
            "option": [rate.name for rate in rows],
            **{end: [getattr(rate, end) for rate in rows] for end in ENDS},
        }

    def _repr_html_(self) -> str:
        return notebook.card("Rates", [leaders_table(self)])


def leaders_table(
    rates: Sequence[Rate],
    *,
    marked: Collection[int] = (),
    counts: ArrayLike | None = None,
    label: str = "rate",
) -> str:
    """The items with the highest rates as a table of HTML, for notebooks.

    Parameters
    ----------
    rates
        Of all items.
    marked
        Numbers of those that are answers.
    counts
        Trials of each, where the items are what was tried.
    label
        What the rates are.
    """
    listed = leading(rates, LEADERS)
    rows = []
    for item in listed:
        rate = rates[item]
        tried = [] if counts is None else [f"{np.asarray(counts)[item]:,.0f}"]
        numbers = [f"{rate.estimate:.1%}", f"{rate.low:.1%} to {rate.high:.1%}"]
        known = rate.low > 0.0 or rate.high < 1.0
        estimate = rate.estimate if known else math.nan
        drawn = notebook.interval(rate.low, estimate, rate.high)
        rows.append([rate.name, *tried, *(numbers if known else ["-", "-"]), drawn])
    heads = ["option", *([] if counts is None else ["trials"]), label, "interval", "0% to 100%"]
    answers = [row for row, item in enumerate(listed) if item in marked]
    shown = table(heads, rows, numbers=range(1, len(heads) - 1), marked=answers)
    return shown + paragraph(f"and {len(rates) - LEADERS:,} more" if len(rates) > LEADERS else "")


class RateList(list[Rate], RateTable):
    """Rates that are all there."""


def tabled(rates: Sequence[Rate]) -> RateTable:
    """The same rates as a table."""
    return rates if isinstance(rates, RateTable) else RateList(rates)


class ManyRates(RateTable):
    """Rates of very many items: the estimates of all, the intervals of those that are looked at.

    ``find`` gives the rates of items by their numbers.
    """

    def __init__(self, estimates: Array, find: Callable[[Indices], list[Rate]]) -> None:
        self.estimates = estimates
        self._find = find
        self._found: dict[int, Rate] = {}

    def __len__(self) -> int:
        return len(self.estimates)

    @overload
    def __getitem__(self, index: int) -> Rate: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rate]: ...
    def __getitem__(self, index: int | slice) -> Rate | list[Rate]:
        if not isinstance(index, slice):
            return self._of([range(len(self))[index]])[0]
        return self._of(range(len(self))[index])

    def __iter__(self) -> Iterator[Rate]:
        for first in range(0, len(self), MANY):
            yield from self[first : first + MANY]

    def _of(self, items: Sequence[int]) -> list[Rate]:
        new = [item for item in items if item not in self._found]
        if new:
            self._found.update(zip(new, self._find(np.array(new)), strict=True))
        return [self._found[item] for item in items]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none


def estimates_of(rates: Sequence[Rate]) -> Array:
    """The estimates alone: no interval is computed for them."""
    return rates.estimates if isinstance(rates, ManyRates) else np.array([rate.estimate for rate in rates])


def leading(rates: Sequence[Rate], most: int) -> list[int]:
    """The numbers of the items with the highest estimates, the best first."""
    order = np.argsort(-estimates_of(rates), kind="stable")[:most].tolist()
    return [int(item) for item in order]


@dataclass(frozen=True)
class NotRefuted:
    """The parameters with ``L >= line``, given by the outcomes and the maximum-likelihood fit to them."""

    points: Array
    tally: Tally
    fit: Fit
    line: float

    @classmethod
    def of(cls, points: Array, tally: Tally, line: float) -> "NotRefuted":
        """Those above a line."""
        return cls(points, tally, maximum_likelihood(points, tally.trials, tally.successes), line)

    def rate(self, z: Array, name: str) -> Rate:
        """The rate of an item at ``z``; without a proven fit anything is possible."""
        return self.rates(z[None], [name])[0]

    def ranges(self, directions: Array) -> tuple[Array, Array, Array]:
        """How low and how high ``z.lambda`` can be for each direction z, and between them its estimate.

        Infinite where there is no end that is proven, and NaN where there is no estimate.
        """
        middle = directions @ self.fit.theta if self.fit.proven else np.full(len(directions), math.nan)
        if not self.fit.proven or self._level.line == -math.inf:
            anything = np.full(len(directions), math.inf)
            return -anything, middle, anything
        high = largest(self._level, self._peak, directions, WIDEST)
        return -largest(self._level, self._peak, -directions, WIDEST), middle, high

    def rates(self, items: Array, names: Sequence[str]) -> list[Rate]:
        """The rates of the items at these points."""
        low, middle, high = map(expit, self.ranges(items))
        middle = middle if self.fit.proven else np.full(len(items), 0.5)
        known = ~items.any(axis=1)  # a rate of one half whatever the parameter
        found = (np.where(known, 0.5, ends).tolist() for ends in (low, middle, high))
        return [Rate(*row) for row in zip(names, *found, strict=True)]

    def rates_of(self, items: Items) -> RateTable:
        """The rates of all items; where no arm measures, anything is possible."""
        d = self.points.shape[1]
        unseen = np.asarray(items.points[:, d:].any(axis=1))
        middles = expit(items.points[:, :d] @ self.fit.theta) if self.fit.proven else 0.5

        def find(some: Indices) -> list[Rate]:
            names = [items.names[item] for item in some]
            rates = self.rates(np.ascontiguousarray(items.points[some, :d]), names)
            rows = zip(rates, names, unseen[some], strict=True)
            return [Rate(name, 0.0, 0.5, 1.0) if blind else rate for rate, name, blind in rows]

        found = ManyRates(np.where(unseen, 0.5, middles), find)
        return found if len(found) > MANY else RateList(found)

    @cached_property
    def _level(self) -> Level:
        """The arms that were tried: the others change nothing."""
        tried = self.tally.trials > 0.0
        x = np.ascontiguousarray(self.points[tried])
        return Level(x, self.tally.trials[tried], self.tally.successes[tried], self.line)

    @cached_property
    def _peak(self) -> Peak:
        x, trials, _, line = self._level
        factor, _ = information_factor(x, trials, self.fit.theta)
        return Peak(self.fit.theta, factor, max(self.fit.log_likelihood + self.fit.shortfall - line, LEAST))
