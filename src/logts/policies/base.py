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
    """Trials to make: consecutive ids, and the number of the arm for each."""

    ids: range
    arms: Indices


class Policy(Protocol):
    """Log-TS and its peers, live or simulated."""

    def ask(self, n: int = 1) -> Asked:
        """The next ``n`` trials to make."""

    def tell(self, ids: Sequence[int] | ArrayLike, outcomes: ArrayLike) -> None:
        """Report outcomes, in any order, each id once."""

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
