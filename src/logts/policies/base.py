"""What every policy offers: ask, tell, and a verdict once the evidence suffices."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from logts.judge import Verdict
from logts.tools.algebra import Indices
from logts.tools.registry import Registry


@dataclass(frozen=True)
class Asked:
    """Trials to make: consecutive ids, and the number of the arm for each.

    Attributes
    ----------
    ids
        One number for each trial, following those of the ask before.
    arms
        The number of the arm to try in each.

    Examples
    --------
    >>> import logts
    >>> asked = logts.LogTS(logts.Arms(names=["red", "green"]), logts.BestArm()).ask(4)
    >>> asked.ids, len(asked.arms)
    (range(0, 4), 4)
    """

    ids: range
    arms: Indices


class Policy(Protocol):
    """Log-TS and its peers, live or simulated.

    Examples
    --------
    Whatever follows this protocol may be simulated, and compared:

    >>> import logts
    >>> arms = logts.Arms(names=["red", "green", "blue"])
    >>> runs = logts.simulate("uniform", arms, logts.Rates([0.1, 0.5, 0.9]), logts.BestArm(), runs=3, rng=0)
    >>> [run.answer for run in runs]
    ['best: blue', 'best: blue', 'best: blue']
    """

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials to make.

        Parameters
        ----------
        n
            How many.

        Returns
        -------
        Asked
            Their ids, and the arm to try in each.
        """

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once.

        Parameters
        ----------
        ids
            Ids as ``ask`` gave them, or the trials themselves; one or many.
        outcomes
            1 or True for yes, 0 or False for no, one for each id.
        """

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once there, it never changes."""

    @property
    def block(self) -> int:
        """How many trials may be asked for before the policy would look at the evidence again."""


POLICIES: Registry[Callable[..., Policy]] = Registry("policy")


def takes_settings(make: Callable[..., Policy]) -> bool:
    """Whether a policy takes the settings of ``LogTS``, and nothing that only simulations know.

    Others want constants of the truth, or stop by rules of their own.
    """
    others = list(inspect.signature(make).parameters.values())[2:]
    open_to_any = any(given.name == "stopping" or given.kind is given.VAR_KEYWORD for given in others)
    free = all(given.default is not given.empty or given.kind is given.VAR_KEYWORD for given in others)
    return open_to_any and free


def checked_settings(delta: float, max_trials: int | None, guard: bool = True) -> None:
    """Refuse a delta that is no probability, a budget that is none, and a guard that is no yes or no."""
    if not isinstance(delta, Real) or not 0.0 < delta < 1.0:
        raise ValueError(f"delta is a probability, strictly between 0 and 1; got {delta!r}")
    if max_trials is not None and (not isinstance(max_trials, Integral) or max_trials < 1):
        raise ValueError(f"max_trials is a whole number and must be at least 1; got {max_trials!r}")
    if not isinstance(guard, (bool, np.bool_)) and guard not in (0, 1):
        raise ValueError(f"guard is True or False; got {guard!r}")
