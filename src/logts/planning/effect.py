"""A world for an effect: rates that nobody has to guess one by one.

Of all worlds in which a given answer is clear by the effect, the one nearest to equal rates spreads the
logits least: nothing is clearer than it need be. Which answer is the hardest to prove the characteristic time
says.
"""

import math

import numpy as np
from scipy.special import expit, logit

from logts.alternatives import Comparisons
from logts.arms import Arms, Items
from logts.planning.bounds import MANY, lower_bound
from logts.problems import BestArm, Comparable, Problem, checked_problem, spoken
from logts.tools.algebra import Array, Indices
from logts.tools.status import Status

DIRECTIONS = 16  # random directions to try
EVERY_ANSWER = 64  # up to so many answers, if the question lists them, each is tried


def world_with_effect(
    arms: Arms,
    problem: Problem,
    effect: float,
    base: float | None = None,
    rng: np.random.Generator | int | None = 0,
) -> Array:
    """A parameter at which the answer is clear by exactly ``effect``: the hardest of the least spread ones.

    Answers are drawn at random, unless the question lists them and they are at most 64: for
    :class:`logts.BestArm` with up to 64 arms each is the best once. For each, take the world nearest to equal
    rates ``base`` of those in which every comparison that decides the question is clear by the effect. Of
    these the one with the largest characteristic time is returned, as a parameter in the features of
    ``arms``.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    effect
        The smallest difference in rates between items that are compared, or between an item and the rate of a
        threshold.
    base
        The rate around which all others lie: by default 0.5, or what the question says.
    rng
        A seed or generator for the answers.

    Returns
    -------
    Array
        A parameter, one number for each feature.

    Examples
    --------
    >>> import logts
    >>> from logts.planning import world_with_effect
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> theta = world_with_effect(arms, logts.BestArm(), 0.05)
    >>> [round(1 / (1 + float(np.exp(-logit))), 3) for logit in arms.features @ theta]
    [0.533, 0.483, 0.483]
    """
    if not 0.0 < effect < 1.0:
        wanted = "a difference in rates, strictly between 0 and 1 (0.05 is five points)"
        raise ValueError(f"the effect is {wanted}; got {effect!r}")
    checked_problem(problem)
    if not isinstance(problem, Comparable):
        raise ValueError(
            f"{problem!r} does not say which items it compares: give a truth instead of an effect"
        )
    if arms.by_name and len(arms) > MANY:
        return _one_ahead(len(arms), problem, effect, base)
    # In the coordinates that the arms measure mean(x x') = I: the squared norm is the spread of the logits.
    items = Items(np.ascontiguousarray(arms.items.points[:, : arms.dimension]), arms.items.names)
    middle = _middle(items, problem, effect, base)
    found: dict[tuple[int, ...], Array] = {}
    for answer in _answers(items, problem, np.random.default_rng(rng)):
        world = _clear_by(items.points, problem.comparisons(items, answer), effect, middle)
        if world is not None:
            found[answer] = arms.parameter(world)
    # The quadratic picks the same world within a percent or so, ten times faster.
    bounds = [
        lower_bound(arms, theta, problem, divergence="quadratic", tolerance=1e-2) for theta in found.values()
    ]
    known = [bound.characteristic_time for bound in bounds]
    times = [time if math.isfinite(time) else -math.inf for time in known]
    if not times:
        raise ValueError(
            f"found no world with rates between 0 and 1 in which {problem!r} is clear by {100 * effect:g} "
            "points everywhere: give a smaller effect, another base, or rates"
        )
    if max(times) == -math.inf:
        raise ValueError(str(bounds[0].note))
    return list(found.values())[int(np.argmax(times))]


def _one_ahead(count: int, problem: Problem, effect: float, base: float | None) -> Array:
    """The same for the best of many options that share nothing: the first is ahead of all others alike."""
    if not isinstance(problem, BestArm):
        raise ValueError(f"for {count:,} options that share nothing give their rates instead of an effect")
    middle = logit(_base_rate(problem, effect, base))
    apart = 4.0 * effect
    for _ in range(300):
        between = 0.5 * (expit(middle + apart * (1.0 - 1.0 / count)) + expit(middle - apart / count))
        between = float(np.clip(between, 0.505 * effect, 1.0 - 0.505 * effect))
        apart = float(logit(between + 0.5 * effect) - logit(between - 0.5 * effect))
    logits = np.full(count, middle - apart / count)
    logits[0] += apart
    return logits


def _answers(items: Items, problem: Problem, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Answers to try, each once."""
    listed = spoken(problem).every_answer(items)
    if listed is not None and len(listed) <= EVERY_ANSWER:
        return listed
    center = _level(items.points, spoken(problem).base_rate)
    thetas = rng.normal(size=(DIRECTIONS, items.points.shape[1])) + (0.0 if center is None else center)
    return list(dict.fromkeys(problem.answer(items, theta) for theta in thetas))


def _middle(items: Items, problem: Problem, effect: float, base: float | None) -> Array:
    """The parameter with equal rates around which worlds are sought."""
    rate = _base_rate(problem, effect, base)
    middle = _level(items.points, rate)
    if middle is None and base is not None:
        why = "the features have no constant, so that the rates cannot all lie around a base"
        raise ValueError(f"{why}: leave it out")
    return np.zeros(items.points.shape[1]) if middle is None else middle


def _base_rate(problem: Problem, effect: float, base: float | None) -> float:
    rate = spoken(problem).base_rate if base is None else base
    if not 0.0 < rate < 1.0:
        raise ValueError(f"the base is a rate, strictly between 0 and 1; got {rate!r}")
    if rate + effect >= 1.0:
        there = f"{100 * effect:g} points above {100 * rate:g}%"
        raise ValueError(f"{there} there is no rate below 100%: give a smaller effect or base")
    return rate


def _level(points: Array, rate: float) -> Array | None:
    """The parameter that gives every item the same rate, if there is one."""
    wanted = np.full(len(points), logit(rate))
    theta = np.linalg.lstsq(points, wanted, rcond=None)[0]
    return theta if np.allclose(points @ theta, wanted, rtol=0.0, atol=1e-9) else None


def _clear_by(points: Array, comparisons: Comparisons, effect: float, middle: Array) -> Array | None:
    """The world nearest to the middle in which the least clear comparison is clear by ``effect``, or None.

    What an effect means in logits depends on where the two rates lie. So: nearest world, logits asked for
    there, nearest world for those, until nothing moves. For a ranking this is Picard's iteration for ``logit'
    = effect / slope(logit)``.
    """
    z = np.vstack([points, np.zeros(points.shape[1])])  # number -1 stands for zero
    normals = z[comparisons.high] - z[comparisons.low]
    differ = normals.any(axis=1)  # items with equal features are never told apart
    if not differ.any():
        raise ValueError(f"there is nothing to plan: {Status.ALREADY_KNOWN}")
    normals = normals[differ]
    high = comparisons.high[differ]
    low = comparisons.low[differ]
    offset = comparisons.offset[differ]
    above = low < 0  # compared with a rate, not with another item
    below = high < 0
    theta = middle
    active = np.empty(0, dtype=np.intp)
    for _ in range(300):
        rates = np.append(expit(points @ theta), np.nan)
        upper = np.where(below, expit(-offset), rates[high])
        lower = np.where(above, expit(offset), rates[low])
        between = np.where(below, upper - 0.5 * effect, 0.5 * (upper + lower))
        between = np.where(above, lower + 0.5 * effect, between)
        between = np.clip(between, 0.505 * effect, 1.0 - 0.505 * effect)
        apart = logit(between + 0.5 * effect) - logit(between - 0.5 * effect)
        wanted = apart + np.where(above | below, offset, 0.0)
        step, active = _shortest(normals, wanted - normals @ middle, active)
        if step is None:
            return None
        moved = np.abs(middle + step - theta).max()
        theta = middle + step
        if moved <= 1e-13 * (1.0 + np.abs(theta).max()):
            return theta if abs((upper - lower).min() - effect) <= 1e-9 else None
    return None


def _shortest(normals: Array, wanted: Array, active: Indices) -> tuple[Array | None, Indices]:
    """The shortest x with ``normals @ x >= wanted`` (None if there is none), and which of these hold it back.

    A least-distance program, solved by non-negative least squares (Lawson and Hanson 1974, chapter 23).
    Half-spaces enter one by one, the most violated first, beside those that hold x back. So columns are
    independent: on others scipy's nnls may go wrong.
    """
    from scipy.optimize import nnls

    scale = max(float(np.abs(wanted).max()), 1e-300)
    columns = np.vstack([normals.T, wanted / scale]) / np.linalg.norm(normals, axis=1)
    target = np.zeros(len(columns))
    target[-1] = 1.0
    active = active if len(active) else np.argmax(columns[-1], keepdims=True)
    before = math.inf
    while True:
        forces, _ = nnls(columns[:, active], target)
        active = active[forces > 0.0]
        forces = forces[forces > 0.0]
        residual = columns[:, active] @ forces - target
        if residual[-1] > -1e-10:  # what is wanted adds up to a contradiction
            return None, active
        slack = residual @ columns
        length = float(residual @ residual)
        worst = int(np.argmin(slack))
        if slack[worst] >= -1e-14 or length >= before:  # all are met, or rounding ends the progress
            return -scale * residual[:-1] / residual[-1], active
        active = np.append(active, worst)
        before = length
