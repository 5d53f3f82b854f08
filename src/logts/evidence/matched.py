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
"""

import numpy as np

from logts.tools.algebra import Array, Indices
from logts.tools.compiling import compiled
from logts.tools.state import Stateful

RATIOS = np.array([0.2, 0.5, 1.0, 2.0])  # log odds ratios that are bet on


class Matched(Stateful):
    """For each arm the wealth of bets that another one is better."""

    _kept = ("_wealth", "_won", "_blocks", "_waiting", "_opponents")

    def __init__(self, arms: int) -> None:
        self._wealth = np.full((arms, RATIOS.size), -np.log(RATIOS.size))
        self._won = np.zeros(arms)
        self._blocks = np.zeros(arms)
        self._waiting = np.zeros(
            arms, dtype=np.int8
        )  # 0 none, 1 or 2 the opponent's no or yes, -1, -2 its own
        self._opponents = np.zeros(arms, dtype=np.intp)
        self._opponents[:1] = arms - 1

    def oppose(self, rates: Array) -> None:
        """Let every arm be compared with the best of the others from now on."""
        order = np.argsort(-rates, kind="stable")
        opponents = np.full(len(rates), order[0])
        opponents[order[0]] = order[1] if len(order) > 1 else order[0]
        self._waiting[opponents != self._opponents] = 0
        self._opponents = opponents

    def hear(self, arms: Indices, outcomes: Array) -> None:
        """Take in outcomes, in the order of the asks."""
        _hear(arms, outcomes, self._wealth, self._won, self._blocks, self._waiting, self._opponents)

    def evidence(self) -> Array:
        """For each arm the log wealth against its being the best."""
        return np.asarray(np.logaddexp.reduce(self._wealth, axis=1))


@compiled
def _hear(
    arms: Indices,
    outcomes: Array,
    wealth: Array,
    won: Array,
    blocks: Array,
    waiting: Array,
    opponents: Indices,
) -> None:
    leads = np.zeros(waiting.size, dtype=np.bool_)
    for k in range(waiting.size):
        leads[opponents[k]] = True
    for s in range(arms.size):
        arm = arms[s]
        yes = outcomes[s] > 0
        if waiting[arm] > 0:
            _settle(waiting[arm] == 2, yes, arm, wealth, won, blocks, waiting)
        else:
            waiting[arm] = -2 if yes else -1
        if leads[arm]:
            for k in range(waiting.size):
                if opponents[k] == arm and k != arm:
                    if waiting[k] < 0:
                        _settle(yes, waiting[k] == -2, k, wealth, won, blocks, waiting)
                    else:
                        waiting[k] = 2 if yes else 1


@compiled
def _settle(
    first: bool, second: bool, k: int, wealth: Array, won: Array, blocks: Array, waiting: Array
) -> None:
    """A block is complete: the opponent's outcome and that of arm ``k``."""
    base = (won[k] + 0.5) / (2.0 * blocks[k] + 1.0)
    odds = base / (1.0 - base)
    for g in range(RATIOS.size):
        lift = np.exp(0.5 * RATIOS[g])
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
