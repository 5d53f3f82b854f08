"""Log-TS and uniform sampling simulated in a guessed world, as often as the time permits."""

import functools
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from logts.arms import Arms
from logts.planning.result import Expected, Plan
from logts.planning.simulate import Rates, Runs, simulate
from logts.planning.world import look_at
from logts.policies import POLICIES
from logts.problems import Problem

FEWEST = 40  # runs of Log-TS at least
EVEN_RUNS = 40  # runs of uniform sampling at most
EVEN_FEWEST = 10  # and at least
SHORT = 20_000  # trials of a run that measures the time for each of them; fewer with more than MANY arms
SHORTEST = 256
MANY = 1_000
TYPICAL = 12.0  # a proof takes about so many lower bounds
PATIENCE = 10.0  # and may take so many times its share of the time


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
        The parameter, one number for each feature (:func:`world_with_effect` finds one), or
        :class:`logts.Rates`.
    runs
        How many studies to simulate.
    rng
        A seed or generator.
    jobs
        Processes to use (more than one needs joblib).
    max_trials
        Break a study off there.
    seconds
        About how long to simulate. If ``runs`` studies would take longer there are fewer, but 40 at least;
        uniform sampling gets fewer runs, and studies that take far longer than their share are broken off.
        May be infinite.
    progress
        Show a progress bar (needs rich).

    Returns
    -------
    Plan
        Simulated studies, and the lower bounds beside them.

    Examples
    --------
    >>> import logts
    >>> from logts.planning import plan
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> plan(arms, logts.BestArm(), truth=logts.Rates([0.2, 0.3, 0.8]), runs=40).answer
    'best: blue'
    """
    if runs < 1 or jobs < 1 or not seconds > 0.0:
        given = f"{runs!r}, {jobs!r} and {seconds!r}"
        raise ValueError(f"runs and jobs must be at least 1, and seconds positive; got {given}")
    world = look_at(arms, problem, truth, delta)

    def study(
        policy: str, stream: np.random.Generator, count: int, limit: int | None, *, alone: bool = False
    ) -> Runs:
        return simulate(
            functools.partial(POLICIES.find(policy), max_trials=limit),
            arms,
            world.truth,
            problem,
            delta=delta,
            runs=count,
            rng=stream,
            jobs=1 if alone else jobs,
            progress=progress and not alone,
        )

    streams = np.random.default_rng(rng).spawn(3)
    short = max(SHORTEST, SHORT * MANY // max(MANY, len(arms)))
    log_ts, uniform = _as_time_permits(study, streams, world.least, runs, short, max_trials, seconds, jobs)
    return Plan(
        arms=arms,
        problem=problem,
        delta=delta,
        rates=world.rates,
        misfit=world.misfit,
        bound=world.bound,
        bound_without_model=world.free,
        log_ts=log_ts,
        uniform=uniform,
        wanted=runs,
        max_trials=max_trials,
    )


def _as_time_permits(
    study: Callable[..., Runs],
    streams: Sequence[np.random.Generator],
    least: float,
    runs: int,
    short: int,
    max_trials: int | None,
    seconds: float,
    jobs: int,
) -> tuple[Expected, Expected]:
    """Studies by Log-TS and by uniform sampling, where any method needs ``least`` trials."""
    ours, even, trial = streams
    short = short if max_trials is None else min(short, max_trials)
    # In this process, so that what has to be compiled is compiled once, and the others find it.
    each = _seconds_each(study("log-ts", trial, 2, short, alone=True))
    even_each = _seconds_each(study("uniform", trial, 2, short, alone=True))
    begin = time.perf_counter()
    first = min(runs, FEWEST)
    share = seconds * jobs / (first * each)
    hopeful = TYPICAL * least < PATIENCE * share
    limit = _smaller(max_trials, PATIENCE * share if hopeful else share)
    rows = study("log-ts", ours, first, limit)

    # Uniform sampling may use half of the time left, and twice the trials of the longest study if these fit.
    left = max(2.0, 0.5 * (begin + seconds - time.perf_counter()))
    most = max(row.samples for row in rows)
    within = left * jobs / even_each
    even_runs = int(min(runs, EVEN_RUNS, max(EVEN_FEWEST, within / (2.0 * most))))
    even_limit = _smaller(max_trials, max(most, within / even_runs))
    others = study("uniform", even, even_runs, even_limit)

    # How many more is settled before they start, and all count: to stop at the bell would favour short runs.
    left = max(0.0, begin + seconds - time.perf_counter())
    more = 0
    if hopeful:
        more = int(min(runs - first, left * jobs * first / sum(row.seconds for row in rows)))
    if more > 0:
        rows = Runs([*rows, *study("log-ts", ours, more, limit)])
    return Expected(rows, limit), Expected(others, even_limit)


def _seconds_each(runs: Runs) -> float:
    """Seconds for each trial: the quickest, because the first run of a process loads compiled code."""
    return min(row.seconds / max(row.samples, 1) for row in runs)


def _smaller(max_trials: int | None, fit: float) -> int | None:
    """The smaller of a budget and what fits, the latter in two digits."""
    if math.isinf(fit):
        return max_trials
    size = 10 ** max(0, math.floor(math.log10(max(fit, 1.0))) - 1)
    rounded = max(1, int(fit / size) * size)
    return rounded if max_trials is None else min(max_trials, rounded)
