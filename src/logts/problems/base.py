"""What a question is: an answer at each parameter, and the half-spaces in which that answer is wrong."""

import math
from typing import Protocol, runtime_checkable

import numpy as np

from logts.alternatives import Alternatives, Answer, Compared, Comparisons, HalfSpaces, Posed
from logts.arms import Arms, Items
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status

# Relative to |y||theta|: below four times this a margin is rounding.
TIE = 1e-12


class Problem(Protocol):
    """A question about items. Your own is one class with these three methods; see CONTRIBUTING.md.

    What else it may say stands in :class:`logts.problems.Spoken`.

    Examples
    --------
    >>> import numpy as np, logts
    >>> question = logts.BestArm()
    >>> items = logts.Arms(names=["red", "green"]).items
    >>> answer = question.answer(items, np.array([0.3, 0.8]))
    >>> question.describe(items, answer), len(question.alternatives(items, answer))
    ('best: green', 1)
    """

    def answer(self, items: Items, theta: Array) -> tuple[int, ...]:
        """Item numbers that answer the question at ``theta`` (in the coordinates of ``items.points``).

        Parameters
        ----------
        items
            The things judged.
        theta
            The parameter, in the coordinates of ``items.points``.

        Returns
        -------
        tuple of int
            Item numbers; the order is part of the answer only if the question says so.
        """

    def alternatives(self, items: Items, answer: tuple[int, ...]) -> Alternatives:
        """Half-spaces ``y_j.lambda <= c_j`` whose union is where ``answer`` is wrong.

        Parameters
        ----------
        items
            The things judged.
        answer
            What ``answer`` gave.

        Returns
        -------
        Alternatives
            For instance :class:`logts.alternatives.HalfSpaces`.
        """

    def describe(self, items: Items, answer: tuple[int, ...]) -> str:
        """The answer in words.

        Parameters
        ----------
        items
            The things judged.
        answer
            What ``answer`` gave.

        Returns
        -------
        str
            A few words, with names.
        """


@runtime_checkable
class Comparable(Protocol):
    """A problem whose alternatives compare items with one another or with a rate.

    It can be settled without a model, and planned by an effect.
    """

    def comparisons(self, items: Items, answer: tuple[int, ...]) -> Comparisons:
        """The same alternatives, item by item.

        Where high = -1, the logit of low is meant to be at least ``-offset``.

        Parameters
        ----------
        items
            The things judged.
        answer
            What ``answer`` gave.

        Returns
        -------
        Comparisons
            For each half-space the items that it compares, and the offset.
        """


def checked_problem(problem: Problem) -> Problem:
    """Refuse what is no question, with what to give instead."""
    if isinstance(problem, type):
        named = f"{problem.__name__} without ()"
        raise ValueError(f"give a question such as logts.BestArm(); got the class {named}")
    if not all(callable(getattr(problem, name, None)) for name in ("answer", "alternatives", "describe")):
        raise ValueError(f"give a question such as logts.BestArm(); got {problem!r}")
    return problem


class Question:
    """A problem about given arms, to be posed at one parameter after another.

    The alternatives to the last answer are kept.
    """

    def __init__(self, problem: Problem, arms: Arms) -> None:
        self.problem = checked_problem(problem)
        self.arms = arms
        self._measured = arms.dimension  # of the items' coordinates, the first ones
        self._found: tuple[int, ...] | None = None
        self._last: Posed | None = None
        self._identity = np.eye(arms.items.points.shape[1])
        self._several = bool(getattr(problem, "several", True))

    def at(self, theta: Array) -> Posed:
        """The question at a parameter in the span of the arms, zero beyond it."""
        return self.pose(self._padded(theta))

    def still_at(self, theta: Array) -> Posed:
        """The same, quicker where the answer is the one found last and has no tie: for many looks."""
        last = self._last
        if last is None or last.status is not Status.CONVERGED or last.answer is None:
            return self.at(theta)
        rivals = last.alternatives
        if not isinstance(rivals, HalfSpaces | Compared) or not rivals.all_wrong_at(theta):
            return self.at(theta)
        # Of several right answers the one that the question would give is nearer to a proof.
        if self._several and self.problem.answer(self.arms.items, self._padded(theta)) != last.answer.items:
            return self.at(theta)
        return Posed(theta, last.answer, last.alternatives, last.status)

    def answer_at(self, theta: Array) -> Answer:
        """The answer there, even at a tie."""
        found = self.problem.answer(self.arms.items, self._padded(theta))
        return Answer(found, self.problem.describe(self.arms.items, found))

    def _padded(self, theta: Array) -> Array:
        beyond = len(self._identity) - len(theta)
        return np.concatenate([theta, np.zeros(beyond)]) if beyond else theta

    def pose(self, coordinates: Array) -> Posed:
        """Answer and alternatives at a parameter given in the package's coordinates.

        See :meth:`logts.Arms.coordinates`. The half-spaces live in the span of the arms, as does ``theta``.
        """
        self._last = self._pose(coordinates)
        return self._last

    def _pose(self, coordinates: Array) -> Posed:
        d = self._measured
        self._settle(self.problem.answer(self.arms.items, coordinates))
        theta = np.ascontiguousarray(coordinates[:d])
        nearest, distances = self._everywhere.nearest(coordinates, self._identity, 1)
        if len(nearest) == 0:
            return Posed(theta, self._answer, self._alternatives, Status.ALREADY_KNOWN)
        # The distance is (margin/|y|)^2/2, and |c|/|y| <= |theta| + margin/|y|.
        if math.sqrt(2.0 * distances[0]) <= 4.0 * TIE * math.sqrt(coordinates @ coordinates):
            return Posed(theta, None, self._alternatives, Status.TIE, self._named(nearest))
        if len(coordinates) > d:
            # No arm measures the coordinates past d. With next to no information there, a half-space that
            # uses them is nearest.
            information = np.where(np.arange(len(coordinates)) < d, 1.0, 1e-120)
            blind, _ = self._everywhere.nearest(coordinates, np.diag(information), 1)
            if np.any(self._everywhere.take(blind).normals[0, d:] != 0.0):
                named = self._named(blind)
                return Posed(theta, self._answer, self._alternatives, Status.NOT_IDENTIFIABLE, named)
        return Posed(theta, self._answer, self._alternatives, Status.CONVERGED)

    def _settle(self, found: tuple[int, ...]) -> None:
        """Write down the alternatives to an answer, in all coordinates and in those the arms measure."""
        if found == self._found:
            return
        items = self.arms.items
        d = self.arms.dimension
        self._answer = Answer(found, self.problem.describe(items, found))
        self._everywhere = self.problem.alternatives(items, found)
        self._alternatives = self._everywhere
        if items.points.shape[1] > d:
            measured = Items(np.ascontiguousarray(items.points[:, :d]), items.names)
            self._alternatives = self.problem.alternatives(measured, found)
        self._found = found

    def _named(self, half_space: Indices) -> tuple[str, ...]:
        return tuple(self.arms.items.names[i] for i in self._everywhere.take(half_space).about[0])
