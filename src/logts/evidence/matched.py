"""Matched pairs: a bet that one arm is better than another, which knows nothing but their order.

One trial of each of two arms makes a block. Before it ``u_a > u_b`` are fixed, ``p = (u_a + u_b)/2``, and the
wealth is multiplied by ``u_a(r_a)/p(r_a) . u_b(r_b)/p(r_b)``. With ``e = (u_a - p)/(p (1 - p))`` the two
factors have the means ``1 + e (p_a - p)`` and ``1 - e (p_b - p)``, neither of them negative, so if ``p_a <=
p_b`` the mean of the product is at most ``(1 + e (p_b - p))(1 - e (p_b - p)) <= 1``: fair or worse, whatever
the two rates. Nothing is paid for not knowing them.

It is a bet against one arm being the best: each arm k has an account of its own, in which the wealth goes on
when its opponent changes, for if k is the best then no other arm is better. A block is the latest trial of
one arm that is not in a block yet and the next one of the other, in the order of the asks; ``u`` is fixed by
the blocks before, for several odds ratios at once.

All but one have the same opponent, whose outcomes are written down: what they mean for an arm is settled when
the next outcome of that arm comes, or when somebody asks. So no outcome costs a pass over all arms.
"""

from typing import Any

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

RATIOS = np.array([0.2, 0.5, 1.0, 2.0])  # log odds ratios that are bet on
LIFTS = np.exp(0.5 * RATIOS)


class Matched(Stateful):
    """For each arm the wealth of bets that another one is better.

    That is the leader, and for the leader the runner-up.
    """

    _kept = ("_wealth", "_won", "_blocks", "_waiting", "_leader", "_second")

    def __init__(self, arms: int) -> None:
        self._wealth = np.full((arms, RATIOS.size), -np.log(RATIOS.size))
        self._won = np.zeros(arms)
        self._blocks = np.zeros(arms)
        # 0 none, 1 or 2 the opponent's no or yes, -1, -2 its own
        self._waiting = np.zeros(arms, dtype=np.int8)
        self._leader = 0
        self._second = arms - 1
        self._forget()

    def _forget(self) -> None:
        self._heard = np.empty(64, dtype=np.bool_)  # outcomes of the leader, the first so many of which count
        self._count = 0
        self._seen = np.zeros(len(self._won), dtype=np.intp)  # how many of these an arm has settled

    def state(self) -> dict[str, Any]:
        self._settle()
        return super().state()

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._forget()

    def oppose(self, rates: Array) -> None:
        """Let every arm be compared with the best of the others from now on."""
        self._settle()
        self._leader, self._second = _oppose(rates, self._waiting, self._leader, self._second)

    def hear(self, arms: Indices, outcomes: Array) -> None:
        """Take in outcomes, in the order of the asks."""
        room = self._count + len(arms)
        if room > len(self._heard):
            self._heard = np.append(self._heard, np.empty(max(room, 64), dtype=np.bool_))
        self._count = _hear(
            arms, outcomes, self._wealth, self._won, self._blocks, self._waiting, self._seen, self._heard,
            self._count, self._leader, self._second,
        )  # fmt: skip

    def evidence(self) -> Array:
        """For each arm the log wealth against its being the best."""
        return self._settle()

    def _settle(self) -> Array:
        """Let all arms know what the leader did; returns the log wealth of each."""
        found = _evidence(
            self._wealth, self._won, self._blocks, self._waiting, self._seen, self._heard, self._count,
            self._leader,
        )  # fmt: skip
        self._count = 0
        return found


@compiled
def _oppose(rates: Array, waiting: Array, leader: int, second: int) -> tuple[int, int]:
    """The best two, the first of equals; what waits for another opponent is dropped."""
    best = 0
    for k in range(1, rates.size):
        if rates[k] > rates[best]:
            best = k
    next_best = 0 if best > 0 or rates.size == 1 else 1
    for k in range(rates.size):
        if k != best and rates[k] > rates[next_best]:
            next_best = k
    for k in range(rates.size):
        before = second if k == leader else leader
        if (next_best if k == best else best) != before:
            waiting[k] = 0
    return best, next_best


@compiled
def _hear(  # noqa: PLR0913, PLR0917  one by one: to unpack tuples of arrays takes longer
    arms: Indices,
    outcomes: Array,
    wealth: Array,
    won: Array,
    blocks: Array,
    waiting: Array,
    seen: Indices,
    heard: Array,
    count: int,
    leader: int,
    second: int,
) -> int:
    """Returns how many outcomes of the leader are written down now."""
    for s in range(arms.size):
        arm = arms[s]
        yes = outcomes[s] > 0
        if arm != leader:
            _catch_up(arm, wealth, won, blocks, waiting, seen, heard, count)
        if waiting[arm] > 0:
            _block(waiting[arm] == 2, yes, arm, wealth, won, blocks, waiting)
        else:
            waiting[arm] = -2 if yes else -1
        if arm == leader:
            heard[count] = yes
            count += 1
        elif arm == second:  # the leader's opponent
            if waiting[leader] < 0:
                _block(yes, waiting[leader] == -2, leader, wealth, won, blocks, waiting)
            else:
                waiting[leader] = 2 if yes else 1
    return count


@compiled
def _catch_up(
    k: int, wealth: Array, won: Array, blocks: Array, waiting: Array, seen: Indices, heard: Array, count: int
) -> None:
    """What the leader did since an arm was last looked at: at most one block, and the latest one waits."""
    first = seen[k]
    if first == count:
        return
    if waiting[k] < 0:
        _block(heard[first], waiting[k] == -2, k, wealth, won, blocks, waiting)
        first += 1
    if first < count:
        waiting[k] = 2 if heard[count - 1] else 1
    seen[k] = count


@compiled
def _evidence(
    wealth: Array,
    won: Array,
    blocks: Array,
    waiting: Array,
    seen: Indices,
    heard: Array,
    count: int,
    leader: int,
) -> Array:
    out = np.empty(won.size)
    for k in range(won.size):
        if k != leader:
            if blocks[k] == 0.0 and waiting[k] >= 0:  # nobody has bet on it yet: its wealth is 1
                if count > seen[k]:
                    waiting[k] = 2 if heard[count - 1] else 1
                seen[k] = 0
                out[k] = 0.0
                continue
            _catch_up(k, wealth, won, blocks, waiting, seen, heard, count)
        seen[k] = 0
        top = wealth[k, 0]
        for g in range(1, RATIOS.size):
            top = max(top, wealth[k, g])
        total = 0.0
        for g in range(RATIOS.size):
            total += np.exp(wealth[k, g] - top)
        out[k] = top + np.log(total)
    return out


@compiled
def _block(
    first: bool, second: bool, k: int, wealth: Array, won: Array, blocks: Array, waiting: Array
) -> None:
    """A block is complete: the opponent's outcome and that of arm ``k``."""
    base = (won[k] + 0.5) / (2.0 * blocks[k] + 1.0)
    odds = base / (1.0 - base)
    for g in range(RATIOS.size):
        lift = LIFTS[g]
        better = odds * lift / (1.0 + odds * lift)
        worse = odds / (lift + odds)
        p = 0.5 * (better + worse)
        factor = (better / p if first else (1.0 - better) / (1.0 - p)) * (
            worse / p if second else (1.0 - worse) / (1.0 - p)
        )
        wealth[k, g] += np.log(factor)
    won[k] += first
    won[k] += second
    blocks[k] += 1.0
    waiting[k] = 0
