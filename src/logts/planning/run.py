"""Log-TS and uniform sampling simulated in a guessed world, as often as the time permits."""

import functools
import math
import time

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from logts.arms import Arms
from logts.logistic.fit import maximum_likelihood
from logts.planning.bounds import LowerBound, lower_bound
from logts.planning.result import Expected, Plan
from logts.planning.simulate import Rates, Runs, simulate
from logts.policies import POLICIES
from logts.problems import Problem
from logts.tools.algebra import Array

FEWEST, EVEN_RUNS, EVEN_FEWEST = 40, 40, 10  # runs of Log-TS at least; runs of uniform sampling at most and at least
SHORT = 20_000  # trials of a run that measures the pace
TYPICAL, PATIENCE = 12.0, 10.0  # a proof takes about so many lower bounds; and may take so many times its share of the time


def plan(
    arms: Arms,
    problem: Problem,
    *,
    truth: ArrayLike | Rates,
    delta: float = 0.05,
    runs: int = 200,
    rng: np.random.Generator | int | None = 0,
    jobs: int = 1,
    max_trials: int | None = None,
    seconds: float = 10.0,
    progress: bool = False,
) -> Plan:
    """How many trials a study takes in a guessed world.

    Parameters
    ----------
    arms, problem, delta
        What can be tried, the question, and the permitted probability of a wrong answer.
    truth
        The parameter, one number for each feature (:func:`world_with_effect` finds one), or :class:`logts.Rates`.
    runs
        How many studies to simulate.
    rng
        A seed or generator.
    jobs
        Processes to use (more than one needs joblib).
    max_trials
        Break a study off there.
    seconds
        About how long to simulate. If ``runs`` studies would take longer there are fewer, but 40 at least; uniform sampling gets
        fewer runs, and studies that take far longer than their share are broken off. May be infinite.
    progress
        Show a progress bar (needs rich).

    Examples
    --------
    >>> import logts
    >>> from logts.planning import plan
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> plan(arms, logts.BestArm(), truth=logts.Rates([0.2, 0.3, 0.8]), runs=40).answer
    'best: blue'
    """
    if runs < 1 or jobs < 1 or not seconds > 0.0:
        raise ValueError(f"runs and jobs must be at least 1, and seconds positive; got {runs!r}, {jobs!r} and {seconds!r}")
    world, rates, misfit, bound, free = _look_at(arms, problem, truth, delta)
    ours, even, trial = np.random.default_rng(rng).spawn(3)

    def study(policy: str, stream: np.random.Generator, count: int, limit: int | None, spread: bool = True) -> Runs:
        make, jobs_used = functools.partial(POLICIES.find(policy), max_trials=limit), jobs if spread else 1
        show = progress and spread
        return simulate(make, arms, world, problem, delta=delta, runs=count, rng=stream, jobs=jobs_used, progress=show)

    short = SHORT if max_trials is None else min(SHORT, max_trials)
    # In this process, so that what has to be compiled is compiled once, and the others find it.
    pace, even_pace = (_pace(study(policy, trial, 2, short, spread=False)) for policy in ("log-ts", "uniform"))
    begin, first = time.perf_counter(), min(runs, FEWEST)
    share = seconds * jobs / (first * pace)
    hopeful = TYPICAL * min(bound.samples, np.inf if free is None else free.samples) < PATIENCE * share
    limit = _smaller(max_trials, PATIENCE * share if hopeful else share)
    rows = study("log-ts", ours, first, limit)

    # Uniform sampling may use half of the time left, and twice the trials of the longest study if these fit.
    left, most = max(2.0, 0.5 * (begin + seconds - time.perf_counter())), max(row.samples for row in rows)
    within = left * jobs / even_pace
    even_runs = int(min(runs, EVEN_RUNS, max(EVEN_FEWEST, within / (2.0 * most))))
    even_limit = _smaller(max_trials, max(most, within / even_runs))
    others = study("uniform", even, even_runs, even_limit)

    # How many more is settled before they start, and all of them count: to stop at the bell would favour short runs.
    left = max(0.0, begin + seconds - time.perf_counter())
    more = int(min(runs - first, left * jobs * first / sum(row.seconds for row in rows))) if hopeful else 0
    if more > 0:
        rows = Runs([*rows, *study("log-ts", ours, more, limit)])
    log_ts, uniform = Expected(rows, limit), Expected(others, even_limit)
    return Plan(arms, problem, delta, rates, misfit, bound, free, log_ts, uniform, runs, max_trials)


def _look_at(
    arms: Arms, problem: Problem, truth: ArrayLike | Rates, delta: float
) -> tuple[ArrayLike | Rates, Array, float, LowerBound, LowerBound | None]:
    """A world's truth and rates, their distance from a straight logit, and what the question costs with and without the model."""
    own, misfit = arms.items.points is arms.points, 0.0
    if isinstance(truth, Rates):
        rates = np.asarray(truth.rates, dtype=float)
        if rates.shape != (len(arms),) or not ((rates > 0.0) & (rates < 1.0)).all():
            raise ValueError(f"give one rate strictly between 0 and 1 for each of {len(arms)} arms; got {rates.tolist()}")
        if not own:
            raise ValueError("rates of arms do not say how good items are that are not arms: give theta")
        theta = arms.parameter(maximum_likelihood(arms.points, np.ones(len(arms)), rates).theta)
        misfit = float(np.abs(expit(arms.features @ theta) - rates).max())
        if misfit <= 1e-9:
            truth, misfit = theta, 0.0
    else:
        theta = np.asarray(truth, dtype=float)
        rates = expit(arms.points @ arms.coordinates(theta)[: arms.dimension])
    bound, free = lower_bound(arms, theta, problem, delta), None
    if own and arms.dimension < len(arms):
        free = lower_bound(Arms(names=arms.names), logit(np.clip(rates, 1e-12, 1.0 - 1e-12)), problem, delta)
    decides = bound if free is None or misfit == 0.0 else free
    if not 0.0 < decides.characteristic_time < np.inf:
        raise ValueError(f"there is nothing to plan in this world. {decides.note}")
    return truth, rates, misfit, bound, free


def _pace(runs: Runs) -> float:
    """Seconds for each trial: the quickest, because the first run of a process loads compiled code."""
    return min(row.seconds / max(row.samples, 1) for row in runs)


def _smaller(max_trials: int | None, fit: float) -> int | None:
    """The smaller of a budget and what fits, the latter in two digits."""
    if math.isinf(fit):
        return max_trials
    size = 10 ** max(0, math.floor(math.log10(max(fit, 1.0))) - 1)
    rounded = max(1, int(fit / size) * size)
    return rounded if max_trials is None else min(max_trials, rounded)
