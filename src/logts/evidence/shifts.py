"""Bets on a shift: evidence against one comparison that pays for one direction only.

A study keeps, for each comparison ``logit_i - logit_k <= c`` that could be true, a wealth

    M(z_i, z_k) = cash + cap_0 exp(KT_i + KT_k - l_i(z_i) - l_k(z_k)) + sum_b cap_b exp F_b(z_i, z_k),

whose capitals add up to 1. A bet is placed at some trial, on shifts ``h_i > 0 > h_k`` that are fixed then.
With n, r the trials and successes of an arm since, KT its score since (Krichevsky and Trofimov), ``A(z) =
log(1 + e^z)`` and ``w = exp(-|h|)``, it has

    F = sum over both arms of  w [r (z + h) - n A(z + h)] + (1 - w) KT - [r z - n A(z)].

*Each bet is fair or worse at the true logits*: an outcome multiplies it by ``(p(r|z+h)/p(r|z))^w
(q(r)/p(r|z))^(1-w)``, q the forecast of KT, whose mean is at most 1 (Hoelder). *F is convex*: its second
derivative in z is ``n (mu'(z) - w mu'(z+h)) >= 0``, since ``mu'(z+h) <= e^|h| mu'(z)``. So log M, a
log-sum-exp of convex functions, is convex, and its minimum over the alternative lies on the boundary wherever
log M falls towards it. There it is a function of one number, whose minimum is bracketed by tangents: the
bound is proven, not only computed. By Ville's inequality M ever exceeds ``1/delta`` at the true logits with
probability at most delta.

The shifts lie along ``H^-1 y``: to first order F then changes with ``z_i - z_k`` alone, and not to know the
level of the two rates costs nothing. What the first term pays for both rates, this does not pay.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from logts.alternatives import Comparisons
from logts.evidence.tally import Tally
from logts.logistic.kernels import log1pexp, mean
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

FORECAST = 0.3  # of the capital, for the scores of both arms: it serves rivals that are far away
FIRST = 32  # trials before the first bets are placed, at the least
GROWTH = 2.0  # and again when the trials have grown by so much
SHARE = 0.5  # of what a comparison has left in cash, each time
LEAST = 0.01  # below so much cash no more bets are placed
SIZES = (0.35, 0.6, 0.9, 1.3)  # shifts, in units of the difference that is seen
NEAR = 10.0  # bets go to comparisons within so many times the distance of the nearest one,
MOST = 64  # and to so many at most
CLOSE = 1e-7  # how far apart the bounds on a minimum may stay
STEPS = 100


class Bets(NamedTuple):
    """Bets, one a row: the comparison, the shifts, the capital, and the counts when each was placed."""

    high: Indices
    low: Indices
    offset: Array
    shifts: Array
    capital: Array
    trials: Array
    successes: Array
    total: Array


class Shifts(Stateful):
    """The bets of a study, placed by what it has learned, in the order of the asks."""

    _kept = ("_bets", "_due")

    def __init__(self) -> None:
        self._bets: tuple[Array, ...] = tuple(_no_bets())
        self._due = 0.0

    def due(self, arms: int) -> float:
        """The number of outcomes at which bets are to be placed next."""
        return self._due or max(FIRST, 2.0 * arms)

    def place(self, compared: Comparisons, tally: Tally) -> None:
        """Bet against the comparisons that are nearest to be true."""
        self._due = np.ceil(GROWTH * tally.total)
        chosen, shifts = _aim(compared, tally)
        bets = Bets(*self._bets)
        rows = [column.tolist() for column in bets]
        for j, both in zip(chosen, shifts, strict=True):
            key = compared.high[j], compared.low[j], compared.offset[j]
            arms = [int(key[0]), int(key[1])]
            same = (bets.high == key[0]) & (bets.low == key[1]) & (bets.offset == key[2])
            cash = 1.0 - FORECAST - bets.capital[same].sum()
            if cash < LEAST:
                continue
            for size in SIZES:
                given = (
                    *key,
                    size * both,
                    SHARE * cash / len(SIZES),
                    [tally.trials[a] if a >= 0 else 0.0 for a in arms],
                    [tally.successes[a] if a >= 0 else 0.0 for a in arms],
                    tally.total,
                )
                for column, value in zip(rows, given, strict=True):
                    column.append(value)
        self._bets = tuple(
            np.array(column, dtype=empty.dtype).reshape(-1, *empty.shape[1:])
            for column, empty in zip(rows, _no_bets(), strict=True)
        )

    def evidence(self, compared: Comparisons, tally: Tally) -> Array:
        """For each comparison a proven lower bound on log M wherever it is true, at these counts."""
        bets = Bets(*self._bets)
        seen = tally.trials, tally.successes, _scores(tally.trials, tally.successes)
        asked = compared.high, compared.low, compared.offset
        nobody = _no_bets()
        out = _each(*asked, *seen, nobody, nobody.trials)
        # Of many comparisons few have bets on them.
        width = len(tally.trials) + 1
        some = np.isin(compared.high * width + compared.low, bets.high * width + bets.low).nonzero()[0]
        if len(some):
            part = compared.high[some], compared.low[some], compared.offset[some]
            out[some] = _each(*part, *seen, bets, _scores(bets.trials, bets.successes))
        return out


def _scores(trials: Array, successes: Array) -> Array:
    """``KT`` of every arm."""
    return np.asarray(betaln(successes + 0.5, trials - successes + 0.5) - np.log(np.pi))


def _no_bets() -> Bets:
    nobody = np.empty(0, dtype=np.intp)
    return Bets(
        high=nobody,
        low=nobody,
        offset=np.empty(0),
        shifts=np.empty((0, 2)),
        capital=np.empty(0),
        trials=np.empty((0, 2)),
        successes=np.empty((0, 2)),
        total=np.empty(0),
    )


def _aim(compared: Comparisons, tally: Tally) -> tuple[Indices, Array]:
    """The nearest comparisons, and for each the shifts along ``H^-1 y`` that would make up what is seen."""
    rates = (tally.successes + 0.5) / (tally.trials + 1.0)
    logits = np.append(np.log(rates) - np.log1p(-rates), 0.0)  # number -1 stands for zero
    widths = np.append(1.0 / np.maximum(tally.trials * rates * (1.0 - rates), 0.25), 0.0)
    variances = widths[compared.high] + widths[compared.low]
    margins = logits[compared.high] - logits[compared.low] - compared.offset
    distances = np.maximum(margins, 0.0) ** 2 / (2.0 * variances)
    order = np.argsort(distances, kind="stable")[:MOST]
    chosen = order[distances[order] <= NEAR * max(distances[order[0]], 0.5)]
    size = np.maximum(margins[chosen], np.sqrt(variances[chosen])) / variances[chosen]
    return chosen, np.column_stack(
        [size * widths[compared.high[chosen]], -size * widths[compared.low[chosen]]]
    )


@compiled
def _each(
    high: Indices,
    low: Indices,
    offset: Array,
    trials: Array,
    successes: Array,
    scores: Array,
    bets: Bets,
    begun: Array,
) -> Array:
    """Log evidence against each comparison."""
    out = np.empty(high.size)
    total = trials.sum()
    terms = np.empty((bets.capital.size + 2, 9))
    for j in range(high.size):
        count = _gather(high[j], low[j], offset[j], trials, successes, scores, bets, begun, total, terms)
        out[j] = _least(terms[:count], high[j], low[j], offset[j], trials, successes)
    return out


@compiled
def _gather(
    i: int,
    k: int,
    c: float,
    trials: Array,
    successes: Array,
    scores: Array,
    bets: Bets,
    begun: Array,
    total: float,
    terms: Array,
) -> int:
    """Write down the terms of M: a constant, w, h, n, r of the first arm, and the same of the second."""
    terms[:2] = 0.0
    count = 2
    cash = 1.0 - FORECAST
    constant = np.log(FORECAST)
    for side in range(2):
        arm = i if side == 0 else k
        if arm >= 0:
            constant += scores[arm]
            terms[1, 1 + 4 * side + 2] = trials[arm]
            terms[1, 1 + 4 * side + 3] = successes[arm]
    terms[1, 0] = constant
    for b in range(bets.capital.size):
        if bets.high[b] != i or bets.low[b] != k or bets.offset[b] != c or bets.total[b] >= total:
            continue
        terms[count] = 0.0
        cash -= bets.capital[b]
        constant = np.log(bets.capital[b])
        for side in range(2):
            arm = i if side == 0 else k
            if arm < 0:
                continue
            h = bets.shifts[b, side]
            w = np.exp(-abs(h))
            at = 1 + 4 * side
            terms[count, at] = w
            terms[count, at + 1] = h
            terms[count, at + 2] = trials[arm] - bets.trials[b, side]
            terms[count, at + 3] = successes[arm] - bets.successes[b, side]
            constant += (1.0 - w) * (scores[arm] - begun[b, side])
        terms[count, 0] = constant
        count += 1
    terms[0, 0] = np.log(cash)
    return count


@compiled
def _least(terms: Array, i: int, k: int, c: float, trials: Array, successes: Array) -> float:
    """A lower bound on log M over ``logit_i - logit_k <= c``; if there is none better, that of the cash."""
    cash = terms[0, 0]
    if i < 0 or k < 0:  # compared with a rate: the boundary is a point
        value, _, pull = _log_wealth(terms, c, -c)
        return value if (pull if k < 0 else -pull) <= 0.0 and not np.isnan(pull) else cash
    n = trials[i] + trials[k]
    r = successes[i] + successes[k]
    if trials[i] == 0.0 or trials[k] == 0.0 or r == 0.0 or r == n:
        return cash
    middle = np.log(r / (n - r)) - 0.5 * c
    left = middle - 1.0
    right = middle + 1.0
    for _ in range(STEPS):  # out to where log M falls towards the middle
        if _log_wealth(terms, left + c, left)[1] < 0.0:
            break
        left -= 2.0 * (right - left)
    for _ in range(STEPS):
        if _log_wealth(terms, right + c, right)[1] > 0.0:
            break
        right += 2.0 * (right - left)
    f_left, d_left, _ = _log_wealth(terms, left + c, left)
    f_right, d_right, _ = _log_wealth(terms, right + c, right)
    if not (d_left < 0.0 < d_right):
        return cash
    for _ in range(STEPS):
        # Both tangents lie below log M, and so does their crossing below its minimum.
        at = (f_right - f_left + d_left * left - d_right * right) / (d_left - d_right)
        bound = f_left + d_left * (at - left)
        value, slope_there, pull = _log_wealth(terms, at + c, at)
        if value - bound <= CLOSE:
            return bound if pull <= 0.0 else cash
        if slope_there < 0.0:
            left = at
            f_left = value
            d_left = slope_there
        else:
            right = at
            f_right = value
            d_right = slope_there
    return cash


@compiled
def _log_wealth(terms: Array, z_i: float, z_k: float) -> tuple[float, float, float]:
    """Log M, its derivative along the boundary, and that in one logit: the first, or the only one."""
    top = -np.inf
    values = np.empty(terms.shape[0])
    for b in range(terms.shape[0]):
        value = terms[b, 0]
        for side in range(2):
            z = z_i if side == 0 else z_k
            w, h, n, r = terms[b, 1 + 4 * side : 5 + 4 * side]
            value += w * (r * (z + h) - n * log1pexp(z + h)) - (r * z - n * log1pexp(z))
        values[b] = value
        top = max(top, value)
    total = 0.0
    first = 0.0
    second = 0.0
    for b in range(terms.shape[0]):
        share = np.exp(values[b] - top)
        total += share
        for side in range(2):
            z = z_i if side == 0 else z_k
            w, h, n, r = terms[b, 1 + 4 * side : 5 + 4 * side]
            pull = w * (r - n * mean(z + h)) - (r - n * mean(z))
            if side == 0:
                first += share * pull
            else:
                second += share * pull
    one = first if terms[1, 3] > 0.0 else second
    return top + np.log(total), (first + second) / total, one / total
