"""Run a policy many times against a world that is known, and tabulate what happened."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from logts.arms import Arms, Items
from logts.policies import POLICIES, Policy
from logts.problems import Comparable, Problem
from logts.tools import notebook
from logts.tools.algebra import Array
from logts.tools.html import table
from logts.tools.parallel import run_all, watched
from logts.tools.tabular import Tabular

DRAWN = 500  # runs that a notebook draws
BASES = {"model": "by the model", "model-free": "without the model", "guess": "not at all"}


@dataclass(frozen=True)
class Rates:
    """A world given by the success rate of each arm, whether or not the logistic model holds.

    Parameters
    ----------
    rates
        One for each arm, between 0 and 1.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green"])
    >>> world = logts.Rates([0.2, 0.9])
    >>> print(logts.simulate("log-ts", arms, world, logts.BestArm(), runs=5, rng=0)[0].answer)
    best: green
    """

    rates: ArrayLike


@dataclass(frozen=True)
class Recorded:
    """A world replayed from a recorded experiment: each arm succeeds at its recorded rate.

    Parameters
    ----------
    successes, trials
        The record: counts for each arm.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green"])
    >>> world = logts.Recorded([20, 90], [100, 100])
    >>> print(logts.simulate("log-ts", arms, world, logts.BestArm(), runs=5, rng=0)[0].answer)
    best: green
    """

    successes: ArrayLike
    trials: ArrayLike


@dataclass(frozen=True)
class Run:
    """One row of the table.

    Attributes
    ----------
    run
        Its number.
    samples
        Trials up to the verdict.
    correct
        Whether the answer is right in this world.
    answer, confidence, proven, basis, rule, threshold
        Those of the :class:`Verdict`.
    counts
        Trials of each arm.
    seconds
        How long it took.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green"])
    >>> run = logts.simulate("log-ts", arms, logts.Rates([0.2, 0.9]), logts.BestArm(), runs=1, rng=0)[0]
    >>> run.correct, run.samples == sum(run.counts)
    (True, True)
    """

    run: int
    samples: int
    correct: bool
    answer: str
    confidence: float
    proven: bool
    basis: str
    rule: str
    threshold: float
    counts: tuple[int, ...]
    seconds: float


class Runs(list[Run], Tabular):
    """A table with a row for each run.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green"])
    >>> runs = logts.simulate("log-ts", arms, logts.Rates([0.2, 0.9]), logts.BestArm(), runs=5, rng=0)
    >>> len(runs), list(runs.to_pandas().columns[:3])
    (5, ['run', 'samples', 'correct'])
    """

    def columns(self) -> dict[str, list[object]]:
        """The fields of the runs.

        Returns
        -------
        dict
            A list for each field.
        """
        return {column.name: [getattr(row, column.name) for row in self] for column in fields(Run)}

    def _repr_html_(self) -> str:
        if not self:
            return notebook.card("No runs", [])
        samples = np.array([row.samples for row in self])
        most = samples.max()
        kinds = Counter(row.basis for row in self)
        rests = ", ".join(f"{count:,} {BASES[basis]}" for basis, count in kinds.most_common())
        quantiles = ((f"{100 * share:g}%", np.quantile(samples, share)) for share in (0.1, 0.5, 0.9, 1.0))
        rows = [[name, f"{trials:,.0f}", notebook.share(trials / most)] for name, trials in quantiles]
        heads = ["of the runs", "needed at most", f"0 to {most:,} trials"]
        rows.append(["each of them", "", notebook.ticks(samples[:DRAWN] / most)])
        below = notebook.paragraphs([f"Decided: {rests}."])
        return notebook.card(str(self), [table(heads, rows, numbers=[1]), *below])

    def __str__(self) -> str:
        samples = np.array([row.samples for row in self])
        wrong = sum(not row.correct for row in self)
        error = samples.std(ddof=1) / np.sqrt(len(samples)) if len(samples) > 1 else np.nan
        average = f"{samples.mean():,.0f} samples on average (standard error {error:,.0f})"
        return f"{len(self)} runs: {average}, {wrong} wrong"


def simulate(
    policy: Callable[..., Policy] | str,
    arms: Arms,
    truth: ArrayLike | Rates | Recorded,
    problem: Problem,
    *,
    delta: float = 0.05,
    runs: int = 100,
    rng: np.random.Generator | int | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    progress: bool = False,
) -> Runs:
    """Run a policy against a known world, ``runs`` times.

    Parameters
    ----------
    policy
        A policy class, or anything that makes one from ``(arms, problem, delta=...)``, or its name
        (``logts.policies.POLICIES``).
    arms, problem, delta
        What the policy is given.
    truth
        The parameter, one number for each feature, or :class:`Rates`, or :class:`Recorded`.
    runs
        How many runs.
    rng
        A seed or generator; run ``i`` is the same whatever ``jobs`` is.
    jobs, cluster
        Processes to use (more than one needs joblib), or the address of a Dask scheduler (needs distributed).
    progress
        Show a progress bar with the time left (needs rich).

    Returns
    -------
    Runs
        A :class:`Run` for each; printed, a summary.

    Examples
    --------
    >>> import logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> runs = logts.simulate(logts.LogTS, arms, [-1.4, 0.0, 2.2], logts.BestArm(), runs=20, rng=0)
    >>> sum(run.correct for run in runs)
    20
    """
    if runs < 1:
        raise ValueError(f"runs must be at least 1; got {runs!r}")
    make = POLICIES.find(policy) if isinstance(policy, str) else policy
    world = _World.of(arms, truth)
    streams = np.random.default_rng(rng).spawn(runs)
    one = partial(_one, make, arms, world, problem, delta)
    rows = watched(
        run_all(one, list(enumerate(streams)), jobs=jobs, cluster=cluster), runs, "runs", show=progress
    )
    return Runs(sorted(rows, key=lambda row: row.run))


@dataclass(frozen=True)
class _World:
    """Rates of the arms, and what decides whether an answer is right: items and a parameter."""

    rates: Array
    items: Items
    theta: Array
    logits: Array | None = None  # of items that share nothing

    @classmethod
    def of(cls, arms: Arms, truth: ArrayLike | Rates | Recorded) -> "_World":
        if isinstance(truth, Recorded):
            successes = np.asarray(truth.successes, dtype=float)
            trials = np.asarray(truth.trials, dtype=float)
            if not (trials > 0).all():
                raise ValueError("a recorded experiment must have at least one trial of every arm")
            truth = Rates(successes / trials)
        if not isinstance(truth, Rates):
            theta = arms.coordinates(truth)
            if arms.by_name and arms.own_items:
                logits = np.asarray(truth, dtype=float)
                return cls(expit(logits), arms.items, theta, logits)
            return cls(expit(arms.points @ theta[: arms.dimension]), arms.items, theta)
        rates = np.asarray(truth.rates, dtype=float)
        if rates.shape != (len(arms),) or not ((rates >= 0) & (rates <= 1)).all():
            wanted = f"one rate between 0 and 1 for each of {len(arms)} arms"
            raise ValueError(f"give {wanted}; got shape {rates.shape}")
        if not arms.own_items:
            raise ValueError("rates of arms do not say how good items are that are not arms: give theta")
        # Any rates fit with the logit as a feature; the other one makes no difference, but no two arms equal.
        logits = logit(np.clip(rates, 1e-12, 1 - 1e-12))
        points = np.column_stack([logits, np.arange(1.0, 1.0 + len(arms))])
        return cls(rates, Items(points, arms.names), np.array([1.0, 0.0]), logits)

    def agrees(self, problem: Problem, answer: tuple[int, ...]) -> bool:
        """Whether the answer is right: this world lies in none of its alternatives."""
        if self.logits is not None and isinstance(problem, Comparable):
            compared = problem.comparisons(self.items, answer)
            level = np.append(self.logits, 0.0)  # number -1 stands for zero
            return bool((level[compared.high] - level[compared.low] > compared.offset).all())
        alternatives = problem.alternatives(self.items, answer)
        if len(alternatives) == 0:
            return True
        nearest, _ = alternatives.nearest(self.theta, np.eye(len(self.theta)), 1)
        return len(nearest) == 0 or bool(alternatives.take(nearest).margins(self.theta)[0] > 0.0)


def _one(
    policy: Callable[..., Policy],
    arms: Arms,
    world: _World,
    problem: Problem,
    delta: float,
    index: int,
    rng: np.random.Generator,
) -> Run:
    begin = time.perf_counter()
    study = policy(arms, problem, delta=delta)
    while (verdict := study.verdict) is None:
        asked = study.ask(study.block)
        study.tell(asked.ids, rng.random(len(asked.arms)) < world.rates[asked.arms])
    seconds = time.perf_counter() - begin
    return Run(
        run=index,
        samples=verdict.trials,
        correct=world.agrees(problem, verdict.answer.items),
        answer=str(verdict.answer),
        confidence=verdict.confidence,
        proven=verdict.proven,
        basis=verdict.basis,
        rule=verdict.rule,
        threshold=verdict.threshold,
        counts=verdict.counts,
        seconds=seconds,
    )
