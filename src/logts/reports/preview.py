"""A study before its proof: who leads, how likely that is right, by how much, and what it costs to stop now.

The proven confidence stays near 0 for long. Here stands beside it what is known meanwhile, of two kinds.

*Proven*, for all options and at all times at once, like the intervals of the rates: what is ruled out, and by
how much one option is better than another. The difference of two rates lies between the differences of their
ends. Within a model there is more: the parameters that are not refuted are one set, so the logits differ by
no more than they do in that set. Both together bound the difference of the rates (:func:`rates_apart`).

*By the posterior*, which is no proof: that the answer is right, and the loss that is expected if it is not.
Within the model the posterior is the Gaussian at its mode under the weak prior with which bets are aimed;
without it every option has its Beta(r + 1/2, n - r + 1/2). A fixed seed draws from it.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from logts.alternatives import Answer, Comparisons
from logts.arms import Items
from logts.evidence.intervals import Rate, estimates_of
from logts.evidence.placing import SCALE
from logts.evidence.tally import Tally
from logts.logistic.fit import information, maximum_likelihood
from logts.problems import Comparable, Problem, VersusControl, spoken
from logts.problems.speech import IN_OR_OUT
from logts.reports.standing import Standing
from logts.tools.algebra import Array

DRAWS = 2_000
FEWER = 500  # draws for a question that has to be asked at one after the other
NUMBERS = 500_000  # rates that are drawn, at most; where there are many options, there are fewer draws
NEAREST = 1_000  # comparisons that are looked at, the nearest ones
TIE = 1e-9  # logits: options with equal features differ by rounding
SMALLEST = 1e-15  # a rate is at least that far from 0 and 1
FARTHEST = 30.0  # logits; a rate beyond is 0 or 1 to many digits


@dataclass(frozen=True)
class Gap:
    """By how much one option is better than another, as a difference of rates (0.03 is three points).

    Attributes
    ----------
    better, worse
        The two names; ``worse`` may be a rate, such as ``"40%"``.
    low, estimate, high
        The difference, with an interval that holds for all options and at all times at once.
    wins
        Where options are only compared with each other, the three are the rate at which the first one wins.
    """

    better: str
    worse: str
    low: float
    estimate: float
    high: float
    wins: bool = False


@dataclass(frozen=True)
class Preview:
    """What is known of a study before it is decided.

    Attributes
    ----------
    leader
        The answer at present; None before the first outcome. Of a model that is refuted nothing else is said.
    probability
        That the answer is right: by the posterior, not proven.
    expected_loss
        Of stopping now, as a difference of rates: the posterior mean of how much worse the leader is than the
        best; in general, of how far the answer is off where it is off most.
    gap
        The leader against the runner-up, with proof; in general, the narrowest difference on which the answer
        rests. None while anything is possible.
    ruled_out
        Options that are proven not to belong to the answer.
    settled, open
        How many options have their place in the answer settled with proof, and how many do not.
    """

    leader: Answer | None = None
    probability: float | None = None
    expected_loss: float | None = None
    gap: Gap | None = None
    ruled_out: tuple[str, ...] = ()
    settled: int = 0
    open: int = 0


def preview_of(at: Standing) -> Preview:
    """What is known; to ask changes nothing."""
    if not _counts(at).total or at.doubtful:
        return Preview(leader=at.answer)
    problem = at.policy.problem
    names = at.arms.items.names
    logits = posterior(at)
    leader = at.answer or _answer(problem, names, logits.mean(axis=0))
    compared = _comparisons(problem, names, leader)
    if compared is None:
        right, loss = _right_one_by_one(problem, names, leader, logits), None
    else:
        right, loss = _right(compared, logits), _loss(compared, _rates(at, logits))
    choice = spoken(problem).settled == IN_OR_OUT
    done = [item for item, after in at.settled.items() if after is not None]
    return Preview(
        leader=leader,
        probability=right,
        expected_loss=loss,
        gap=None if compared is None else _narrowest(at, compared),
        ruled_out=tuple(names[i] for i in done if choice and i not in leader.items),
        settled=len(done),
        open=len(at.settled) - len(done),
    )


# By the posterior.


def posterior(at: Standing) -> Array:
    """Logits of all items, drawn from the posterior: a row for each draw."""
    from scipy.linalg import solve_triangular

    arms, tally, rng = at.arms, _counts(at), np.random.default_rng(0)
    if _by_themselves(at):
        shape = (_draws(len(arms)), len(arms))
        rates = rng.beta(tally.successes + 0.5, tally.trials - tally.successes + 0.5, shape)
        return np.asarray(logit(np.clip(rates, SMALLEST, 1.0 - SMALLEST)))
    d = arms.dimension
    prior = d / SCALE**2 * np.eye(d)
    mode = maximum_likelihood(arms.points, tally.trials, tally.successes, precision=prior).theta
    factor = np.linalg.cholesky(information(arms.points, tally.trials, mode) + prior)
    away = solve_triangular(factor, _normal(_draws(len(arms.items)), d), lower=True, trans="T")
    return (mode + away.T) @ arms.items.points[:, :d].T


def _by_themselves(at: Standing) -> bool:
    """Whether every option has a posterior of its own."""
    return at.free or (at.own and at.arms.dimension == len(at.arms))


def _counts(at: Standing) -> Tally:
    """What the posterior rests on: the outcomes that count as evidence of this kind."""
    return at.policy.judge.by_themselves(at.last.tally) if at.free else at.last.tally


@functools.lru_cache(maxsize=8)
def _normal(draws: int, d: int) -> Array:
    return np.random.default_rng(0).standard_normal((d, draws))


def _draws(items: int) -> int:
    return max(100, min(DRAWS, NUMBERS // items))


def _rates(at: Standing, logits: Array) -> Array:
    """Rates; where options are only compared with each other, those of winning against an average one."""
    return np.asarray(expit(logits - logits.mean(axis=1, keepdims=True) if at.strengths else logits))


def _answer(problem: Problem, names: Sequence[str], logits: Array) -> Answer:
    """The answer if these are the logits of the items: one coordinate, the logit, says all."""
    items = Items(logits[:, None], names)
    found = problem.answer(items, np.ones(1))
    return Answer(found, problem.describe(items, found))


def _comparisons(problem: Problem, names: Sequence[str], answer: Answer) -> Comparisons | None:
    """What an answer says, item by item; None for a question that does not compare items."""
    if not isinstance(problem, Comparable):
        return None
    return problem.comparisons(Items(np.empty((len(names), 0)), names), answer.items)


def _right(compared: Comparisons, logits: Array) -> float:
    """How often all that the answer says is true."""
    middle = logits.mean(axis=0)
    spread = logits.var(axis=0)
    high, low = compared.high, compared.low
    margins = _of(high, middle) - _of(low, middle) - compared.offset
    deviations = np.sqrt(_of(high, spread) + _of(low, spread)) + TIE
    some = np.argsort(margins / deviations, kind="stable")[:NEAREST]
    apart = _of(high[some], logits) - _of(low[some], logits)
    return float((apart >= compared.offset[some] - TIE).all(axis=1).mean())


def _right_one_by_one(problem: Problem, names: Sequence[str], answer: Answer, logits: Array) -> float:
    """How often the answer is the same at a draw."""
    return float(np.mean([_answer(problem, names, row) == answer for row in logits[:FEWER]]))


def _loss(compared: Comparisons, rates: Array) -> float:
    """The mean of how far the answer is off where it is off most: for the best one, best minus chosen."""
    high, low = compared.high, compared.low
    middle = rates.mean(axis=0)
    some = np.argsort(_upper(compared, middle) - _lower(compared, middle), kind="stable")[:NEAREST]
    near = Comparisons(high[some], low[some], compared.offset[some], compared.union)
    off = _lower(near, rates) - _upper(near, rates)
    return float(np.maximum(off, 0.0).max(axis=1, initial=0.0).mean())


def _of(items: Array, values: Array) -> Array:
    """The values of items, zero where there is none."""
    return np.where(items >= 0, values[..., items], 0.0)


def _upper(compared: Comparisons, rates: Array) -> Array:
    """Rates that are said to be higher: of an item, or the rate that it is compared with."""
    return np.where(compared.high >= 0, rates[..., compared.high], expit(-compared.offset))


def _lower(compared: Comparisons, rates: Array) -> Array:
    return np.where(compared.low >= 0, rates[..., compared.low], expit(compared.offset))


# With proof.


def _narrowest(at: Standing, compared: Comparisons) -> Gap | None:
    """The smallest difference on which the answer rests; None while anything is possible."""
    if not len(compared.high):
        return None
    estimates = estimates_of(at.shown)
    j = int(np.argmin(_upper(compared, estimates) - _lower(compared, estimates)))
    high, low, offset = int(compared.high[j]), int(compared.low[j]), float(compared.offset[j])
    if high < 0:
        return _beside(_fixed(-offset), at.rates[low])
    if low < 0:
        return _beside(at.rates[high], _fixed(offset))
    return gap_between(at, high, low)


def _fixed(at: float) -> Rate:
    rate = float(expit(at))
    return Rate(f"{100 * rate:g}%", rate, rate, rate)


def against_control(at: Standing, some: Iterable[int] | None = None) -> dict[int, Gap]:
    """By how much items, by default all, are better than the control; empty if there is none.

    An item of which anything is possible is left out.
    """
    problem = at.policy.problem
    if not isinstance(problem, VersusControl) or not at.trials or at.doubtful:
        return {}
    control = at.arms.items.find(problem.control)
    listed = range(len(at.arms.items)) if some is None else some
    found = {item: gap_between(at, item, control) for item in listed if item != control}
    return {item: gap for item, gap in found.items() if gap is not None}


def gap_between(at: Standing, first: int, second: int) -> Gap | None:
    """By how much one item is better than another; None while anything is possible."""
    items = at.arms.items
    names = items.names[first], items.names[second]
    measured = False
    apart = Rate("", 0.0, 0.5, 1.0)
    if not at.free:
        z = items.points[first] - items.points[second]
        d = at.arms.dimension
        measured = bool(not z[d:].any() and z.any())
        apart = at.possible.rate(np.ascontiguousarray(z[:d]), "") if measured else apart
    if at.strengths:
        return None if apart.low <= 0.0 and apart.high >= 1.0 else Gap(*names, *_numbers(apart), wins=True)
    one, other = at.rates[first], at.rates[second]
    simple = _beside(one, other)
    if simple is None or not measured:
        return simple
    low = min(float(logit(apart.low)), FARTHEST)
    high = max(float(logit(apart.high)), -FARTHEST)
    return Gap(*names, -rates_apart(other, one, -low), simple.estimate, rates_apart(one, other, high))


def _numbers(rate: Rate) -> tuple[float, float, float]:
    return rate.low, rate.estimate, rate.high


def _beside(one: Rate, other: Rate) -> Gap | None:
    """By the two intervals alone."""
    low, high = float(one.low - other.high), float(one.high - other.low)
    if low <= -1.0 and high >= 1.0:
        return None
    return Gap(one.name, other.name, low, float(one.estimate - other.estimate), high)


def rates_apart(one: Rate, other: Rate, most: float) -> float:
    """The largest ``p - q`` for p and q in these intervals whose logits differ by ``most`` at most.

    It is at the corner of the intervals if that is allowed. Otherwise it is where the logits differ by
    exactly ``most``: there it is largest at ``logit q = -most/2``, or at an end.
    """
    top, bottom = float(logit(one.high)), float(logit(other.low))
    if not top - bottom > most:
        return one.high - other.low
    begin = max(bottom, float(logit(one.low)) - most)
    end = min(float(logit(other.high)), top - most)
    places = [begin, end, min(max(-0.5 * most, begin), end)]
    return max(float(expit(place + most) - expit(place)) for place in places if not math.isnan(place))
