"""What a plan says: trials of the simulated studies, and the lower bounds beside them."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import bdtr

from logts.arms import Arms
from logts.planning.bounds import LowerBound
from logts.planning.simulate import BASES, Runs
from logts.problems import Problem
from logts.tools import notebook
from logts.tools.algebra import Array
from logts.tools.html import table

POLICIES = ("Log-TS", "uniform")  # the columns of the table
KINDS = {"model": "decided by the model", "model-free": "without the model", "guess": "not decided"}


@dataclass(frozen=True)
class Expected:
    """What became of the simulated studies of one policy.

    Attributes
    ----------
    runs
        A row for each study.
    limit
        Trials after which a study was broken off, if any.

    Examples
    --------
    >>> import logts
    >>> from logts.planning import plan
    >>> arms = logts.Arms(names=["red", "green"])
    >>> expected = plan(arms, logts.BestArm(), truth=logts.Rates([0.2, 0.9]), runs=40).log_ts
    >>> len(expected.trials), expected.median <= expected.quantile(0.9)
    (40, True)
    """

    runs: Runs
    limit: int | None

    @cached_property
    def trials(self) -> Array:
        """Trials up to a proven answer, one number for each study; infinite where there was none."""
        return np.array([row.samples if row.proven else np.inf for row in self.runs])

    def quantile(self, share: float) -> float:
        """So many trials prove the answer in this share of the studies.

        Parameters
        ----------
        share
            Between 0 and 1.

        Returns
        -------
        float
            Trials; infinite if fewer studies proved anything.
        """
        return float(np.quantile(self.trials, share, method="higher"))

    @property
    def median(self) -> float:
        """Half of the studies need at most so many trials."""
        return self.quantile(0.5)

    @property
    def median_interval(self) -> tuple[float, float]:
        """Where the median of ever more studies lies, at 95% confidence: between two of these numbers."""
        count = len(self.trials)
        ordered = np.sort(self.trials)
        # The least count that a binomial law of fair coins stays within with probability 0.025.
        below = int(np.searchsorted(bdtr(np.arange(count + 1), count, 0.5), 0.025))
        return (float(ordered[below - 1]), float(ordered[count - below])) if below > 0 else (0.0, math.inf)

    @property
    def basis(self) -> dict[str, int]:
        """How many verdicts rest on ``"model"``, on ``"model-free"`` evidence, or are a ``"guess"``."""
        return dict(Counter(row.basis for row in self.runs))

    @property
    def wrong(self) -> int:
        """Proven verdicts that were wrong all the same."""
        return sum(row.proven and not row.correct for row in self.runs)

    @property
    def end(self) -> str:
        """By when a study that proves nothing is over, in words."""
        cut = self.limit is not None and any(row.samples >= self.limit for row in self.runs)
        return f"{self.limit:,}" if cut else "any number of"

    def written(self, trials: float) -> str:
        """A quantile in words, also where it lies beyond the end.

        Parameters
        ----------
        trials
            A number of trials, perhaps infinite.

        Returns
        -------
        str
            As plans print it.
        """
        return f"{trials:,.0f}" if math.isfinite(trials) else f"over {self.end}"


@dataclass(frozen=True)
class Plan:
    """What to expect of a study.

    Attributes
    ----------
    arms, problem, delta
        What is tried and asked, and how often the answer may be wrong.
    rates
        The world: the success rate of each arm.
    misfit
        The largest distance of these rates from a straight logit in the features.
    bound
        What every method needs that trusts the features; if there is a misfit, in the nearest world that has
        none.
    bound_without_model
        What every method needs that does not trust them; None where there is nothing to trust, or no other
        way to judge items.
    log_ts, uniform
        The simulated studies: Log-TS, and all arms equally often with the same stopping rule.
    wanted, max_trials
        How many runs were asked for, and up to how many trials; there were fewer if time did not suffice.

    Examples
    --------
    >>> import logts
    >>> from logts.planning import plan
    >>> arms = logts.Arms(names=["red", "green"])
    >>> found = plan(arms, logts.BestArm(), truth=logts.Rates([0.2, 0.9]), runs=40)
    >>> found.answer, found.bound.samples < found.log_ts.median
    ('best: green', True)
    """

    arms: Arms
    problem: Problem
    delta: float
    rates: Array
    misfit: float
    bound: LowerBound
    bound_without_model: LowerBound | None
    log_ts: Expected
    uniform: Expected
    wanted: int
    max_trials: int | None

    @property
    def answer(self) -> str:
        """The right answer in this world."""
        free = self.bound_without_model
        return str(self.bound.answer if free is None or self.misfit == 0.0 else free.answer)

    def summary(self) -> str:
        """The plan in words.

        Returns
        -------
        str
            What ``logts plan`` says first.
        """
        ours = self.log_ts
        made = len(ours.runs)
        counted = [f"{ours.basis[kind]} {words}" for kind, words in BASES.items() if kind in ours.basis]
        few = "" if made >= self.wanted else f" (there was no time for {self.wanted})"
        even = f"{self.uniform.written(self.uniform.median)} trials (median of {len(self.uniform.runs)})"
        lines = [
            self.headline,
            f"Decided, of {made} simulated studies{few}: {', '.join(counted)}; {ours.wrong or 'none'} wrong.",
            f"To try all options equally often takes {even}.",
        ]
        return "\n".join([*lines, *self.notes])

    def table(self) -> list[list[str]]:
        """What becomes of the studies.

        Returns
        -------
        list of list of str
            A row for each number: its name, of Log-TS, of uniform sampling.
        """
        both = self.log_ts, self.uniform
        return [
            ["median of the trials", *(each.written(each.median) for each in both)],
            ["  its 95% interval", *map(_interval, both)],
            ["90% of the studies need at most", *(each.written(each.quantile(0.9)) for each in both)],
            ["simulated studies", *(f"{len(each.runs)}" for each in both)],
            *(
                [f"  {words}", *(f"{each.basis.get(kind, 0)}" for each in both)]
                for kind, words in KINDS.items()
            ),
            ["  wrong", *(f"{each.wrong}" for each in both)],
        ]

    def _repr_html_(self) -> str:
        shown = table(
            ["", *POLICIES], [[name.strip(), *cells] for name, *cells in self.table()], numbers=[1, 2]
        )
        return notebook.card(self.headline, [shown, *notebook.paragraphs(self.notes)])

    @property
    def headline(self) -> str:
        """What to expect, in a sentence."""
        ours = self.log_ts
        low, high = ours.median_interval
        most = ours.quantile(0.9)
        if not math.isfinite(ours.median):
            why = "" if ours.limit == self.max_trials else ", and there was no time for more"
            return f"More than half of the studies are not decided within {ours.end} trials{why}."
        known = f" (the median, between {low:,.0f} and {ours.written(high)})" if low > 0.0 else ""
        rest = f"nine studies in ten need at most {most:,.0f}"
        if not math.isfinite(most):
            rest = f"more than one study in ten is not decided within {ours.end}"
        return f"Expect {ours.median:,.0f} trials{known}; {rest}."

    @property
    def notes(self) -> list[str]:
        """What any method needs, and how far to trust these numbers, a sentence each."""
        careful = f"errs at most {100 * self.delta:g}% of the time"
        lines = [f"No method that {careful} can do with fewer than {self._floors()}."]
        if self.misfit > 0.0:
            lines.append(
                f"The rates are up to {100 * self.misfit:.2g} points off a straight logit in these features. "
                "A study that notices goes on without the model; one that does not may err."
            )
        if self.bound.note and math.isfinite(self.bound.samples):
            lines.append(f"About the lower bound: {self.bound.note}")
        return lines

    def _floors(self) -> str:
        """The lower bounds in words."""
        model = self.bound.samples
        free = self.bound_without_model
        if free is None or not math.isfinite(free.samples):
            return f"{model:,.0f} trials on average"
        if self.misfit == 0.0:
            return f"{model:,.0f} trials on average, or {free.samples:,.0f} if it does not trust the features"
        trusting = f"; if they fitted and were trusted, {model:,.0f}" if math.isfinite(model) else ""
        return f"{free.samples:,.0f} trials on average without trust in the features{trusting}"


def _interval(policy: Expected) -> str:
    low, high = policy.median_interval
    return f"{low:,.0f} to {policy.written(high)}" if 0.0 < low < math.inf else "-"
