"""A gate: does something succeed more often than a rate? It passes, fails, or cannot be decided.

The evidence is the interval of an option by its own outcomes (:mod:`logts.evidence.own_rates`), which holds
at all times at once with probability ``1 - delta``. The gate passes as soon as all of it lies above the rate,
and fails as soon as all of it lies below; so both errors together have at most the probability delta, however
often one looks, and what is shown never contradicts the decision. With a tolerance ``w`` it passes above
``rate - w`` and fails below ``rate + w``: nearer to the rate than that both are right.
"""

import math
from collections.abc import Callable
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from logts.evidence.intervals import Rate
from logts.evidence.own_rates import own_rates
from logts.evidence.tally import Tally
from logts.policies.base import checked_settings
from logts.policies.ledger import Ledger

BUDGET = 1000
ONE = np.zeros(1, dtype=np.intp)


class Decision(StrEnum):
    """What a gate says."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


class Gate:
    """Ask, tell, and a decision once the evidence suffices.

    Parameters
    ----------
    above
        The success rate that has to be exceeded.
    within
        A difference of rates that does not matter; 0 for none.
    delta
        Permitted probability of a wrong decision.
    budget
        Trials at most.

    Examples
    --------
    >>> gate = Gate(0.8, budget=100)
    >>> while (trial := gate.ask()) is not None:
    ...     gate.tell(trial, True)
    >>> gate.decision, gate.trials
    (<Decision.PASS: 'pass'>, 24)
    """

    def __init__(
        self, above: float, *, within: float = 0.0, delta: float = 0.05, budget: int = BUDGET
    ) -> None:
        checked_settings(delta, None)
        if not 0.0 < above < 1.0:
            raise ValueError(f"above is a success rate, strictly between 0 and 1; got {above!r}")
        if not 0.0 <= within < min(above, 1.0 - above):
            room = min(above, 1.0 - above)
            raise ValueError(
                f"within is a difference of rates that does not matter; it must leave room on both sides of "
                f"{above:g}, so lie between 0 and {room:g}; got {within!r}"
            )
        if budget < 1:
            raise ValueError(f"the budget is a number of trials, at least 1; got {budget!r}")
        self.above = float(above)
        self.within = float(within)
        self.delta = float(delta)
        self.budget = budget
        self.trials = 0
        self.successes = 0
        self.lost = 0
        self._decision: Decision | None = None
        self._ledger = Ledger()
        if self.least > budget:
            raise ValueError(
                f"a budget of {budget:,} can never pass: even if every trial succeeds it takes "
                f"{self.least:,} to prove a rate above {self.needed:g}. Permit more trials, or ask for less"
            )

    @property
    def needed(self) -> float:
        """The rate above which it passes: what is asked for, less the tolerance."""
        return self.above - self.within

    @cached_property
    def least(self) -> int:
        """Trials that it takes to pass if every one of them succeeds."""
        enough = 1
        while self._rate(enough, enough).low <= self.needed:
            enough *= 2
        short = enough // 2
        while enough - short > 1:
            middle = (short + enough) // 2
            if self._rate(middle, middle).low > self.needed:
                enough = middle
            else:
                short = middle
        return enough

    # Ask and tell.

    def ask(self) -> int | None:
        """The id of the next trial; None once it is decided, or the budget is given out."""
        if self.over or self._ledger.asked - self.lost >= self.budget:
            return None
        return self._ledger.ask(ONE)[0]

    def tell(self, trial: int, outcome: bool) -> None:
        """Report an outcome. It waits for those of earlier trials; after the end none count."""
        self._ledger.tell([trial], [outcome])
        self._hear()

    def abandon(self, trial: int) -> None:
        """Give up a trial that will have no outcome, which must not depend on what it would have been."""
        self._ledger.abandon([trial])
        self.lost += not self.over
        self._hear()

    def _hear(self) -> None:
        """Look after every outcome, in the order of the asks: the same decision, however many run at once."""
        for outcome in self._ledger.advance()[1]:
            if self._decision is None:
                self.trials += 1
                self.successes += int(outcome)
                self._decision = self._look()

    def _look(self) -> Decision | None:
        rate = self.rate
        passes = rate.low > self.needed
        fails = rate.high < self.above + self.within
        if passes and fails:  # within the tolerance both are right
            passes = rate.estimate >= self.above
        return Decision.PASS if passes else Decision.FAIL if fails else None

    # How it stands.

    @property
    def decision(self) -> Decision:
        """Pass, fail, or undecided so far."""
        return self._decision or Decision.UNDECIDED

    @property
    def over(self) -> bool:
        """Whether it is decided, or the budget is spent."""
        return self._decision is not None or self.trials >= self.budget

    @property
    def rate(self) -> Rate:
        """The estimated rate, with an interval that holds at all times at once."""
        return self._rate(self.trials, self.successes)

    def _rate(self, trials: int, successes: int) -> Rate:
        counts = Tally.of_counts(np.array([float(trials)]), np.array([float(successes)]))
        return own_rates(["rate"], counts, self.delta)[0]

    def facts(self) -> dict[str, Any]:
        """How it stands, as plain JSON."""
        rate = self.rate
        asked = {"above": self.above, "within": self.within, "delta": self.delta, "budget": self.budget}
        seen = {"trials": self.trials, "successes": self.successes, "lost": self.lost}
        known = {"rate": rate.estimate if self.trials else None, "low": rate.low, "high": rate.high}
        return {"decision": str(self.decision)} | asked | seen | known | {"words": self.summary()}

    def summary(self) -> str:
        """How it stands, in words."""
        rate = self.rate
        low = _percent(rate.low, math.floor, self.needed)
        high = _percent(rate.high, math.ceil, self.above + self.within)
        seen = f"{self.successes:,} of {self.trials:,} succeeded"
        seen += f", {self.lost:,} more had no outcome" if self.lost else ""
        seen += f"; the rate lies between {low} and {high} ({100 * (1 - self.delta):g}% sure)"
        asked = f"{100 * self.above:.10g}%"
        asked += f" within {100 * self.within:.10g} points" if self.within else ""
        if self.decision is Decision.PASS:
            return f"passed, above {asked}: {seen}"
        if self.decision is Decision.FAIL:
            return f"failed, not above {asked}: {seen}"
        what = f"the budget of {self.budget:,} is spent, and" if self.over else "so far"
        return f"undecided, {what} both sides of {asked} are possible: {seen}"


def _percent(rate: float, rounded: Callable[[float], int], limit: float) -> str:
    """A rate rounded outwards, and with as many digits as it takes to tell it from the limit."""
    for digits in range(1, 7):
        shown = rounded(round(rate * 10 ** (digits + 2), 6)) / 10**digits
        if abs(shown - 100 * limit) > 1e-9:
            break
    return f"{shown:.{digits}f}%"
