"""Instance-specific lower bounds on the number of trials, and the allocation that attains them.

With ``1/T* = max_w min over Alt(theta) of sum_x w_x KL_x(theta, lambda)``, every strategy that errs with
probability at most delta needs at least ``T* log(1/(2.4 delta))`` trials in expectation (transportation
lemma). The paper replaces KL by its quadratic (Theorem 1); Jun et al. (2021) write it with an integral that
equals KL.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms, Items
from logts.design import SOLVERS, Design, Game
from logts.design.remainder import paper_constant
from logts.planning import unrelated
from logts.problems import Answer, Comparable, Problem, Question, spoken
from logts.tools import notebook
from logts.tools.algebra import Array
from logts.tools.html import table
from logts.tools.status import Status

Divergence = Literal["kl", "quadratic", "jun"]
LISTED = 12  # options of an allocation that a notebook shows
MANY = 300  # arms that share nothing, above which no coordinates are written out
QUADRATIC = (
    "The quadratic approximates the bound; the paper's correction C(theta), see paper_constant, "
    "is not proven."
)
SEVERAL = (
    "With epsilon > 0 several answers may be right; this is the cost of the answer shown, not of every "
    "strategy."
)


@dataclass(frozen=True)
class LowerBound:
    """What an instance costs at least, and how to spend it.

    Attributes
    ----------
    characteristic_time
        ``T*``; infinite when the question has no answer at theta or cannot be settled by trials.
    weights
        Optimal proportion of trials for each arm (NaN when ``T*`` is infinite).
    gap
        Proven relative distance between ``characteristic_time`` and the true ``T*``, which is not larger.
    samples
        ``characteristic_time * log(1 / (2.4 delta))``.
    answer
        The answer at theta, or None at a tie.
    status
        How it ended; print it for advice.
    proven
        Whether ``samples`` is a proven lower bound for every strategy (up to ``gap``), not an approximation.
    note
        What to know about the number.
    design
        The whole design, with nature's side of the certificate; None when there is none.
    arms, delta, divergence
        What was asked about: see :func:`lower_bound`.
    game
        What the design was computed for; None when there is none.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> bound = logts.lower_bound(arms, [-1.4, 0.0, 2.2], logts.BestArm(), delta=0.05)
    >>> bound.answer, round(bound.samples), bound.proven
    (best: blue, 23, True)
    >>> [name for name, share in bound.allocation()]
    ['blue', 'green', 'red']
    """

    arms: Arms = field(repr=False)
    delta: float
    divergence: Divergence
    characteristic_time: float
    weights: Array = field(repr=False)
    gap: float
    answer: Answer | None
    status: Status
    proven: bool
    note: str
    design: Design | None = field(default=None, repr=False)
    game: Game | None = field(default=None, repr=False)

    @property
    def samples(self) -> float:
        """``characteristic_time * log(1 / (2.4 delta))``: so many trials at least, on average."""
        return 0.0 if self.characteristic_time == 0.0 else self.characteristic_time * _evidence(self.delta)

    @cached_property
    def paper_constant(self) -> float | None:
        """The paper's ``C(theta)``, found numerically when first asked for; None unless quadratic."""
        if self.divergence != "quadratic" or self.game is None or self.status is not Status.CONVERGED:
            return None
        return paper_constant(self.game)

    @property
    def paper_samples(self) -> float | None:
        """``log(1/(2.4 delta)) / (1/T* + C(theta))`` as in Theorem 1 (not proven); None unless quadratic."""
        if self.paper_constant is None:
            return None
        return _evidence(self.delta) / (1.0 / self.characteristic_time + self.paper_constant)

    def allocation(self) -> list[tuple[str, float]]:
        """Names and proportions of the arms to try, largest first.

        Returns
        -------
        list of (name, share)
            Those with a share above zero.
        """
        order = np.argsort(-self.weights, kind="stable")
        return [(self.arms.names[i], float(self.weights[i])) for i in order if self.weights[i] > 0.0]

    def _repr_html_(self) -> str:
        if self.status is not Status.CONVERGED and self.design is None:
            return notebook.card(str(self.answer or "No answer"), notebook.paragraphs([self.note]))
        sure = f"A method that errs at most {100 * self.delta:g}% of the time needs at least"
        what = f"{sure} {self.samples:,.0f} trials on average." if self.proven else ""
        title = f"{self.answer}: {self.samples:,.0f} trials, at least"
        shares = self.allocation()
        rows = [[name, f"{share:.2%}", notebook.share(share)] for name, share in shares[:LISTED]]
        time = f"Characteristic time {self.characteristic_time:.6g} ({self.divergence})."
        more = f"and {len(shares) - LISTED:,} more" if len(shares) > LISTED else ""
        allocation = table(["optimal allocation", "share", "0% to 100%"], rows, numbers=[1])
        below = notebook.paragraphs([more, f"{time} {self.note}".strip()])
        return notebook.card(title, [*notebook.paragraphs([what]), allocation, *below])

    def __str__(self) -> str:
        if self.status is not Status.CONVERGED and self.design is None:
            return f"{self.answer or 'no answer'} ({self.note})"
        shown = [f"  {share:7.2%}  {name}" for name, share in self.allocation() if share >= 5e-5]
        how = (
            f"({self.divergence}, {f'certified within {self.gap:.1e}' if self.gap < np.inf else 'at least'})"
        )
        lines = [
            f"{self.answer}",
            f"characteristic time  {self.characteristic_time:.6g}  {how}",
            f"trials at least      {self.samples:.4g}  (delta = {self.delta:g})",
            "optimal allocation",
            *shown,
        ]
        return "\n".join([*lines, self.note] if self.note else lines)


def lower_bound(
    arms: Arms,
    theta: ArrayLike,
    problem: Problem,
    delta: float = 0.05,
    divergence: Divergence = "kl",
    *,
    tolerance: float = 1e-6,
    solver: str = "interior",
) -> LowerBound:
    """How many trials any strategy needs, at least, and the allocation that needs no more.

    Parameters
    ----------
    arms
        What can be tried, and what is judged.
    theta
        The true parameter, one number for each feature.
    problem
        The question.
    delta
        Permitted probability of a wrong answer.
    divergence
        ``"kl"``: exact, proven. ``"quadratic"``: the paper's approximation. ``"jun"``: the bound of Jun et
        al. (2021), which equals the exact one; evaluated through its own integral.
    tolerance
        Relative gap to certify.
    solver
        ``"interior"`` or ``"frank-wolfe"``.

    Returns
    -------
    LowerBound
        The number, its certificate, and the optimal proportions.

    Examples
    --------
    >>> import numpy as np, logts
    >>> arms = logts.Arms([[1, 0], [0, 1], [np.cos(0.3), np.sin(0.3)]], names=["a", "b", "c"])
    >>> bound = logts.lower_bound(arms, [1, 0], logts.BestArm(), delta=0.1)
    >>> round(bound.characteristic_time, 2), round(bound.samples, 1)
    (478.57, 683.0)
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta is a probability, strictly between 0 and 1; got {delta!r}")
    if divergence not in ("kl", "quadratic", "jun"):
        raise ValueError(f"divergence must be 'kl', 'quadratic' or 'jun'; got {divergence!r}")
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {sorted(SOLVERS)}; got {solver!r}")
    if arms.by_name and len(arms) > MANY and isinstance(problem, Comparable) and divergence != "quadratic":
        return _of_many(arms, problem, problem, arms.coordinates(theta), delta, divergence)
    posed = Question(problem, arms).pose(arms.coordinates(theta))
    if posed.status is not Status.CONVERGED:
        known = posed.status is Status.ALREADY_KNOWN
        note = f"{' and '.join(posed.rivals)}: {posed.status}" if posed.rivals else str(posed.status)
        return LowerBound(
            arms=arms,
            delta=delta,
            divergence=divergence,
            characteristic_time=0.0 if known else np.inf,
            weights=np.full(len(arms), 1.0 / len(arms) if known else np.nan),
            gap=0.0,
            answer=posed.answer,
            status=posed.status,
            proven=True,
            note=note,
        )
    game = Game(
        arms.points, posed.theta, posed.alternatives, "quadratic" if divergence == "quadratic" else "kl"
    )
    design = SOLVERS[solver](game, arms.spanning, tolerance=tolerance)
    time = design.characteristic_time
    if divergence == "jun" and np.isfinite(time):
        time = _jun_time(game, design)
    several = spoken(problem).several
    notes = []
    if divergence == "quadratic":
        notes.append(QUADRATIC)
    if several:
        notes.append(SEVERAL)
    if design.status is not Status.CONVERGED:
        notes.append(str(design.status))
    return LowerBound(
        arms=arms,
        delta=delta,
        divergence=divergence,
        characteristic_time=time,
        weights=design.weights,
        gap=design.gap,
        answer=posed.answer,
        status=design.status,
        proven=divergence != "quadratic" and not several and design.status is Status.CONVERGED,
        note=" ".join(notes),
        design=design,
        game=game,
    )


def _of_many(
    arms: Arms,
    problem: Problem,
    comparable: Comparable,
    coordinates: Array,
    delta: float,
    divergence: Divergence,
) -> LowerBound:
    """The bound for many arms that share nothing."""
    logits = np.sqrt(len(arms)) * coordinates
    items = Items(logits[:, None], arms.names)
    found = problem.answer(items, np.ones(1))
    compared = comparable.comparisons(items, found)
    level = np.append(logits, 0.0)  # number -1 stands for zero
    margins = level[compared.high] - level[compared.low] - compared.offset
    clear = bool((margins > 0.0).all())
    time, weights = unrelated.time_of(compared, logits) if clear else (np.inf, None)
    several = spoken(problem).several
    notes = [SEVERAL] if several else []
    if weights is None:
        notes.append(unrelated.PART if clear else str(Status.TIE))
    return LowerBound(
        arms=arms,
        delta=delta,
        divergence=divergence,
        characteristic_time=time,
        weights=np.full(len(arms), np.nan) if weights is None else weights,
        gap=0.0 if weights is not None or not clear else np.inf,
        answer=Answer(found, problem.describe(items, found)) if clear else None,
        status=Status.CONVERGED if clear else Status.TIE,
        proven=not several,
        note=" ".join(notes),
    )


def _evidence(delta: float) -> float:
    return max(0.0, -math.log(2.4 * delta))


def _jun_time(game: Game, design: Design) -> float:
    """``1 / sum_j q_j |u_j|^2_K(w)`` at the saddle point.

    Here ``beta(a, b) = int_0^1 (1-t) mu'(a + t(b-a)) dt`` by quadrature.
    ``(b-a)^2 beta(a, b)`` is the Taylor remainder of the log-partition function, that is, the KL divergence:
    the two bounds are the same number.
    """
    nodes, masses = np.polynomial.legendre.leggauss(60)
    support = np.flatnonzero(design.weights)
    a = game.eta[support][:, None]
    steps = game.points[support] @ design.moves.T
    beta = np.zeros_like(steps)
    for node, mass in zip(0.5 * (nodes + 1.0), 0.5 * masses, strict=True):
        beta += mass * (1.0 - node) * 0.25 / np.cosh(0.5 * (a + node * steps)) ** 2
    return float(1.0 / (design.weights[support] @ (steps**2 * beta) @ design.mixture))
