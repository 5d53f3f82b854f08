"""What the outcomes say without a model, every arm by itself: the other witness of the judge."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.special import logit

from logts.alternatives import Answer, Comparisons, HalfSpaces, Posed
from logts.arms import Arms, Items
from logts.evidence import per_item
from logts.evidence.intervals import RateTable
from logts.evidence.own_rates import own_rates
from logts.evidence.pairs import Pairs
from logts.evidence.tally import Tally
from logts.judge.second_opinion import around, bounds
from logts.problems import BestArm, Comparable, Problem, Question
from logts.stopping import Reading
from logts.tools.algebra import Array, Indices
from logts.tools.state import Stateful
from logts.tools.status import Status
from logts.tools.tall import equal_rows

KEPT = 2  # answers whose alternatives are kept
NAMED = 3  # arms of an answer of which a verdict says how often they were tried


class WithoutModel(Stateful):
    """Evidence that lets every arm have a rate of its own, for questions about the arms themselves.

    It needs no model, so outcomes of an earlier study of the same arms, under another model, count as well.
    """

    _kept = ("_pairs", "_earlier")

    assumes = "independent outcomes, each arm with a rate of its own"

    def __init__(self, arms: Arms, problem: Problem) -> None:
        self._given = arms
        self._names = arms.names
        self._problem = problem
        self._compared: dict[Answer, Comparisons] = {}  # the alternatives to the answers asked for last
        self._pairs = Pairs(len(arms))
        self._earlier: Tally | None = None
        self._guessed: tuple[Tally, Answer] | None = None
        self._weighed: tuple[Tally, tuple[Comparisons, Tally, Array]] | None = None
        self._comparable = isinstance(problem, Comparable) and arms.own_items

    @property
    def possible(self) -> bool:
        """Whether the question can be settled by the arms' own outcomes: one arm by itself, if by a rate."""
        if len(self._names) == 1 and self._comparable:
            return self.pose_anywhere().status is not Status.ALREADY_KNOWN
        return self._comparable

    def among_equals(self, reading: Reading, tally: Tally) -> Reading:
        """Of the arms that the model cannot tell from the best one, that which did best itself."""
        if reading.answer is None or not self._comparable or not isinstance(self._problem, BestArm):
            return reading
        (best,) = reading.answer.items
        equal = np.flatnonzero(self._alike == self._alike[best])
        if len(equal) == 1:
            return reading
        found = (int(equal[np.argmax(_logits(self.with_earlier(tally))[equal])]),)
        items = Items(np.empty((len(self._names), 0)), self._names)
        return replace(reading, answer=Answer(found, self._problem.describe(items, found)))

    def cannot_be_wrong(self, answer: Answer) -> bool:
        """Whether an answer is right whatever the rates of the arms."""
        return self._comparable and not len(self._comparisons(answer).low)

    @cached_property
    def arms(self) -> Arms:
        """The arms, sharing nothing: themselves if given by names.

        Those with features get other coordinates.
        """
        return self._given if self._given.by_name else Arms(names=self._names)

    @cached_property
    def _question(self) -> Question:
        return Question(self._problem, self.arms)

    def inherit(self, arms: Indices, outcomes: Array) -> None:
        """Hear the outcomes of an earlier study, in the order of its asks, before those of this one."""
        nothing = Tally.of_nothing(len(self._names))
        self.hear(arms, outcomes, lambda: nothing)
        self._earlier = self.with_earlier(nothing).after(arms, outcomes)

    def with_earlier(self, tally: Tally) -> Tally:
        """The counts of a tally and of the earlier study."""
        earlier = self._earlier
        return tally if earlier is None else tally.plus(earlier.trials, earlier.successes)

    def hear(self, arms: Indices, outcomes: Array, before: Callable[[], Tally]) -> None:
        """Place bets where it is time, by what is known of all earlier asks and of no later one.

        ``before`` gives the tally of these; it is asked for when bets are placed, and not at every outcome.
        """
        pairs = self._pairs
        self._guessed = self._weighed = None
        done = 0
        while pairs.due <= pairs.heard + len(arms) - done:
            end = done + int(pairs.due) - pairs.heard
            pairs.hear(arms[done:end], outcomes[done:end])
            done = end
            known = self.with_earlier(before()).after(arms[:done], outcomes[:done])
            pairs.place(self._against(self._guess(known)), known)
        pairs.hear(arms[done:], outcomes[done:])

    def _against(self, answer: Answer) -> Comparisons:
        """The alternatives to an answer, kept for the latest two: that of the arms, and that of the model."""
        found = self._compared.pop(answer, None)
        if found is None:
            found = self._comparisons(answer)
        self._compared[answer] = found
        if len(self._compared) > KEPT:
            del self._compared[next(iter(self._compared))]
        return found

    def weigh(self, tally: Tally) -> tuple[Comparisons, Tally, Array]:
        """The alternatives to the answer at the arms' own rates, all that was seen, and the evidence."""
        if self._weighed is None or self._weighed[0] is not tally:
            compared = self._against(self.guess(tally))
            known = self.with_earlier(tally)
            self._weighed = tally, (compared, known, self._pairs.evidence(compared, known))
        return self._weighed[1]

    def limits(self, answer: Answer, fitted: Array, tally: Tally) -> tuple[Array, Array]:
        """Between which logits every arm has to lie for an answer by the model, with some tolerance."""
        if not self._comparable:
            return around(fitted)
        return bounds(self._against(answer), fitted, _logits(self.with_earlier(tally)), self._alike)

    @cached_property
    def _alike(self) -> Indices:
        """Equal numbers for arms with equal features."""
        return equal_rows(self._given.points)

    def read(self, tally: Tally, delta: float) -> Reading:
        """What the arms' own outcomes say against the alternatives to the answer at their own rates."""
        answer = self.guess(tally)
        comparisons, _, each = self.weigh(tally)
        hardest = int(np.argmin(each))
        value = float(each[hardest]) - comparisons.price
        pair = comparisons.high[hardest], comparisons.low[hardest]
        rival = tuple(int(i) for i in pair if i >= 0)
        return Reading(answer, value, -math.log(delta), math.exp(min(0.0, -value)), rival)

    def seen(self, answer: Answer, tally: Tally, fitted: Array) -> str:
        """How often the arms in an answer were tried, and what came of it beside what the model says."""
        if not self._comparable or not 0 < len(answer.items) <= NAMED:
            return ""
        told = []
        for k in answer.items:
            trials = int(tally.trials[k])
            own = f", {tally.successes[k] / trials:.0%} yes" if trials else ""
            told.append(f"{self._names[k]} {trials:,} of the {tally.total:,.0f} trials{own}")
        shown = " and ".join(f"{fitted[k]:.0%}" for k in answer.items)
        return f"Tried itself: {'; '.join(told)}. The model says {shown}."

    def pose(self, tally: Tally) -> Posed:
        """The question at the arms' own rates, in coordinates in which they share nothing."""
        logits = _logits(self.with_earlier(tally))
        return self._question.pose(logits / math.sqrt(len(self._names)))  # points are sqrt(K) I there

    def pose_anywhere(self) -> Posed:
        """The question at some rates: is there anything to settle?"""
        logits = np.random.default_rng(0).normal(size=len(self._names))
        answer = self._answer_at(logits)
        known = self.cannot_be_wrong(answer)
        nothing = HalfSpaces(np.empty((0, 1)), np.empty(0), [])
        return Posed(logits, answer, nothing, Status.ALREADY_KNOWN if known else Status.CONVERGED)

    def guess(self, tally: Tally) -> Answer:
        """The answer at the arms' own rates."""
        if self._guessed is None or self._guessed[0] is not tally:
            self._guessed = tally, self._guess(self.with_earlier(tally))
        return self._guessed[1]

    def _guess(self, tally: Tally) -> Answer:
        return self._answer_at(_logits(tally))

    def _answer_at(self, logits: Array) -> Answer:
        """The answer there: for arms that share nothing one coordinate, the logit, says all."""
        items = Items(logits[:, None], self._names)
        found = self._problem.answer(items, np.ones(1))
        for known in self._compared:
            if known.items == found:
                return known
        return Answer(found, self._problem.describe(items, found))

    def rates(self, tally: Tally, delta: float) -> RateTable:
        """Rates of the arms with intervals that hold for all of them and at all times."""
        return own_rates(self._names, self.with_earlier(tally), delta)

    def settled(self, tally: Tally, answer: Answer) -> dict[int, float]:
        """Log evidence that the answer has the place of each arm right."""
        return per_item.without_model(self._comparisons(answer), self.with_earlier(tally), self._pairs)

    def _comparisons(self, answer: Answer) -> Comparisons:
        if not isinstance(self._problem, Comparable):
            raise TypeError(f"{self._problem!r} does not compare arms by themselves")
        return self._problem.comparisons(Items(np.empty((len(self._names), 0)), self._names), answer.items)


def _logits(tally: Tally) -> Array:
    """Logits of the arms' own rates, pulled a little towards one half."""
    out = np.zeros(len(tally.trials))
    tried = np.flatnonzero(tally.trials)
    out[tried] = logit((tally.successes[tried] + 0.5) / (tally.trials[tried] + 1.0))
    return out
