"""Bets on arms by themselves: closed, and opened anew on the comparisons of now, in compiled code.

What :mod:`logts.evidence.turning` does in d dimensions is done here for two arms that share nothing. Their
information is a number for each, and the nearest point of a boundary needs no solving.
"""

import numpy as np

from logts.evidence.line import duel_of, worth
from logts.evidence.sides import Arm, Bet, arm_of, bet_of
from logts.evidence.turning import LATEST, SHARE, SIZES, WIDTH
from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled

SIZE = float(SIZES[0])  # of the margin that is seen: one bet on each comparison


@compiled
def reopen(
    high: Indices,
    low: Indices,
    offset: Array,
    rows: Indices,
    before: Indices,
    bets: Array,
    arms: Array,
    first: int,
) -> Array:
    """Close the bets that serve these comparisons, and open those on the ``first`` so many anew.

    Parameters
    ----------
    high, low, offset
        The comparisons.
    rows
        Which of the bets serves each; the last one is on nothing.
    before
        Who was to be better in each of the bets.
    bets, arms
        Rows of :class:`Bet` and :class:`Arm`.
    first
        The bets on those behind keep what they earned.
    """
    out = np.empty((rows.size, bets.shape[1]))
    total = max(_sum(arms, 0), 1.0)
    recent = max(_sum(arms, 2), 1.0)
    for j in range(rows.size):
        row = rows[j]
        i = high[j]
        k = low[j]
        bet = bet_of(bets, row)
        other = arm_of(arms, k)
        if row < before.size:
            bet = _closed(bet, arm_of(arms, before[row]), other, _boundary(arms, before[row], k, offset[j]))
            if before[row] != i:
                bet = _carried(bet)
        if j < first:
            arm = arm_of(arms, i)
            bet = _enlarged(bet, _boundary(arms, i, k, offset[j]))
            margin = arm.logit - other.logit - offset[j]
            size = SIZE * max(margin, WIDTH * np.sqrt(arm.variance + other.variance))
            to_come = _to_come(arm, total, recent), _to_come(other, total, recent)
            bet = _aimed(bet, size, to_come)
        for part in range(len(bet)):
            out[j, part] = bet[part]
    return out


@compiled
def _sum(arms: Array, column: int) -> float:
    total = 0.0
    for k in range(arms.shape[0]):
        total += arms[k, column]
    return total


@compiled
def _boundary(arms: Array, i: int, k: int, c: float) -> tuple[float, float]:
    """The point of the boundary that is nearest to the arms' own logits; nobody's is zero."""
    if k < 0:
        return c, 0.0
    if i < 0:
        return 0.0, -c
    one = arm_of(arms, i)
    other = arm_of(arms, k)
    margin = one.logit - other.logit - c
    width = one.variance + other.variance
    return one.logit - margin * one.variance / width, other.logit + margin * other.variance / width


@compiled
def _closed(bet: Bet, arm: Arm, other: Arm, at: tuple[float, float]) -> Bet:
    """Replace a bet by its tangent at a point."""
    duel = duel_of(arm, other, bet, 0.0, 0.0)
    _, _, value, slope = worth(duel.first, at[0])
    _, _, other_value, other_slope = worth(duel.other, at[1])
    constant = duel.constant + value + other_value - slope * at[0] - other_slope * at[1]
    return Bet(bet.cash, constant, slope, other_slope, 0.0, 0.0)


@compiled
def _carried(bet: Bet) -> Bet:
    """A bet on one leader as a bet on another: what it is worth by the logit of the rival alone."""
    constant = bet.constant if bet.slope <= 0.0 else -np.inf
    return Bet(bet.cash, constant, 0.0, bet.slope + bet.other_slope, 0.0, 0.0)


@compiled
def _enlarged(bet: Bet, at: tuple[float, float]) -> Bet:
    """Add fresh capital to a bet: the tangent of their sum, at a point."""
    value = bet.constant + bet.slope * at[0] + bet.other_slope * at[1]
    fresh = np.log(SHARE * np.exp(bet.cash))
    top = max(value, fresh)
    part = np.exp(value - top)
    total = part + np.exp(fresh - top)
    slope = bet.slope * (part / total)
    other_slope = bet.other_slope * (part / total)
    constant = top + np.log(total) - slope * at[0] - other_slope * at[1]
    return Bet(bet.cash + np.log(1.0 - SHARE), constant, slope, other_slope, 0.0, 0.0)


@compiled
def _to_come(arm: Arm, total: float, recent: float) -> float:
    """The information that as many trials again will bring, of nobody without end."""
    if arm.variance == 0.0:
        return np.inf
    share = LATEST * arm.recent / recent + (1.0 - LATEST) * arm.trials / total + 1e-9
    return share * total / (arm.variance * (arm.trials + 1.0))


@compiled
def _aimed(bet: Bet, size: float, to_come: tuple[float, float]) -> Bet:
    """Shifts: in the direction that costs least, turned to make up for slopes that are off."""
    along = 1.0 / to_come[0] + 1.0 / to_come[1]
    missing = (size - bet.slope / to_come[0] + bet.other_slope / to_come[1]) / along
    shift = (bet.slope + missing) / to_come[0]
    other_shift = (bet.other_slope - missing) / to_come[1]
    return Bet(bet.cash, bet.constant, bet.slope, bet.other_slope, shift, other_shift)
