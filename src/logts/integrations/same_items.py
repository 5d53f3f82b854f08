"""Which option is best, if all can be tried on the same items? Matched pairs, and no model.

Each item is given to every option that is still in. Of two options only the items count on which they
differ: there "i succeeds and k fails" has a rate above one half exactly if i has the larger success rate,
whatever the items are like and however much the outcomes on one item depend on each other. An option is out
once the interval of that rate against another one (:mod:`logts.evidence.own_rates`), which holds at all
times, lies below one half. The best option meets K - 1 others, each with ``delta/(K - 1)``, so it is thrown
out with probability at most delta.

How much easier some items are than others costs nothing here, while it is noise to options that are tried on
items of their own. Where all items are alike these pairs take more trials, since those that agree are lost.
"""

from collections.abc import Sequence

import numpy as np

from logts.evidence.own_rates import own_rates
from logts.evidence.tally import Tally
from logts.policies.base import checked_settings
from logts.tools.algebra import Indices


class SameItems:
    """Ask, tell, and the best option once all others are out.

    Parameters
    ----------
    options
        Their names.
    delta
        Permitted probability of a wrong answer.
    budget
        Trials at most; None for no limit.

    Attributes
    ----------
    alive
        Numbers of the options that may be the best.
    trials, successes
        Outcomes used, for each option.

    Examples
    --------
    >>> race = SameItems(["plain", "careful"])
    >>> while not race.over:
    ...     item, options = race.ask()
    ...     for option in options:
    ...         race.tell(item, option, option == 1)
    >>> race.summary()
    'Best: careful. Wrong with probability at most 5%, after 14 trials on 7 items.'
    """

    def __init__(self, options: Sequence[str], *, delta: float = 0.05, budget: int | None = None) -> None:
        checked_settings(delta, budget)
        if len(options) < 2:
            raise ValueError(f"give two options at least; got {len(options)}")
        self.options = tuple(options)
        self.delta = delta
        self.budget = budget
        count = len(self.options)
        self.alive = list(range(count))
        self.trials = np.zeros(count)
        self.successes = np.zeros(count)
        self._won = np.zeros((count, count))  # items on which the one succeeded and the other failed
        self._asked = 0
        self._items = 0
        self._heard = 0
        self._out: dict[int, dict[int, bool | None]] = {}  # what is known of items, None while it is not
        self._lost: set[int] = set()

    @property
    def over(self) -> bool:
        """Whether one option is left, or the budget is spent."""
        spent = self.budget is not None and self._asked + len(self.alive) > self.budget and not self._out
        return len(self.alive) == 1 or spent

    @property
    def best(self) -> str | None:
        """The best option; None while others may be."""
        return self.options[self.alive[0]] if len(self.alive) == 1 else None

    def ask(self) -> tuple[int, list[int]]:
        """The number of a new item, and the options to try on it: none if there is nothing to do for now."""
        spent = self.budget is not None and self._asked + len(self.alive) > self.budget
        if len(self.alive) == 1 or spent:
            return self._items, []
        item, options = self._items, list(self.alive)
        self._out[item] = dict.fromkeys(options)
        self._items += 1
        self._asked += len(options)
        return item, options

    def tell(self, item: int, option: int, outcome: bool) -> None:
        """Report the outcome of an option on an item."""
        if self._out.get(item, {}).get(option, False) is not None:
            raise ValueError(f"item {item} is not out with option {option}, or has its outcome already")
        self._out[item][option] = bool(outcome)
        self._hear()

    def abandon(self, item: int, option: int) -> None:
        """Give up a trial without an outcome, and with it the item."""
        self._lost.add(item)
        self.tell(item, option, False)

    def _hear(self) -> None:
        """Count items in the order of the asks: what comes back sooner may do so because it succeeded."""
        while self._heard in self._out and None not in (known := self._out[self._heard]).values():
            del self._out[self._heard]
            if self._heard in self._lost:
                self._lost.remove(self._heard)
                self._asked -= len(known)
            elif len(self.alive) > 1:
                self._count({k: bool(yes) for k, yes in known.items()})
            self._heard += 1

    def _count(self, known: dict[int, bool]) -> None:
        for i, yes in known.items():
            self.trials[i] += 1
            self.successes[i] += yes
            for k, other in known.items():
                self._won[i, k] += yes and not other
        if len(set(known.values())) > 1:
            self._throw_out()

    def _throw_out(self) -> None:
        """Remove who is proven to be worse than another one that is in."""
        among: Indices = np.array(self.alive)
        won = self._won[np.ix_(among, among)]
        differed = won + won.T
        counts = Tally.of_counts(differed.ravel(), won.ravel())
        # own_rates shares its delta among all the rates that it is given.
        each = self.delta / (len(self.options) - 1) * differed.size
        rates = own_rates([""] * differed.size, counts, each)
        worse = np.array([rate.high < 0.5 for rate in rates]).reshape(differed.shape)
        left = among[~worse.any(axis=1)]
        self.alive = left.tolist() or [int(among[np.argmax(won.sum(axis=1))])]

    def summary(self) -> str:
        """How it stands, in words."""
        used = f"{self.trials.sum():,.0f} trials on {self.trials.max():,.0f} items"
        if self.best is not None:
            return f"Best: {self.best}. Wrong with probability at most {100 * self.delta:g}%, after {used}."
        names = ", ".join(self.options[k] for k in self.alive)
        return f"Undecided after {used}. Each of these may be the best: {names}."
