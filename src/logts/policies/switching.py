"""The sampler of a study: by the model, and another one while the model is set aside; no arm goes unseen."""

from collections.abc import Callable
from typing import Any

import numpy as np

from logts.alternatives import Posed
from logts.arms import Arms
from logts.judge import Judge
from logts.sampling import Lasting, Patrol, Sampler, lasts
from logts.tools.algebra import Array, Indices

PATROL = 20  # every so many trials one goes to all arms in turn: the fit check sees only arms that are tried
OWN_PATROL = 10  # where arms share nothing: only trials of its own can tell that the best one had bad luck

MakeSampler = Callable[[Arms, np.random.Generator], Sampler]


class Switching(Lasting):
    """Samplers made for the arms as the judge sees them, in turn.

    Parameters
    ----------
    make
        Makes a sampler, given arms and a source of randomness.
    judge
        Who says in which coordinates the arms are, and whether somebody watches.
    """

    _kept = ("_now", "_set_aside")

    def __init__(self, make: MakeSampler, judge: Judge) -> None:
        self._make = make
        self._judge = judge
        self._now = self._made()
        self._set_aside: Sampler | None = None  # the sampler by the model, while that is not trusted

    def _made(self) -> Sampler:
        arms = self._judge.arms
        sampler = self._make(arms, self._judge.rng)
        if not self._judge.trust.guarded:
            return sampler
        return Patrol(sampler, len(arms), PATROL if len(arms) > arms.dimension else OWN_PATROL)

    def follow(self) -> None:
        """Go over to another sampler when the model has been set aside, and back when it is trusted again."""
        if self._judge.alarmed and self._set_aside is None:
            self._set_aside = self._now
            self._now = self._made()
        elif not self._judge.alarmed and self._set_aside is not None:
            self._now = self._set_aside
            self._set_aside = None

    def restore(self, state: dict[str, Any]) -> None:
        self.follow()  # the judge is restored already: now there are as many samplers as in the state
        super().restore(state)

    def next(self, n: int) -> Indices:
        return self._now.next(n)

    def learn(self, posed: Posed, trials: Array) -> None:
        self._now.learn(posed, trials)

    def patience(self, t: int) -> float:
        return self._now.patience(t)

    def correct(self, chosen: Indices, tried: Indices) -> None:
        if isinstance(self._now, Lasting):
            self._now.correct(chosen, tried)

    @property
    def lasts(self) -> bool:
        return lasts(self._now)

    @property
    def characteristic_time(self) -> float:
        return self._now.characteristic_time
