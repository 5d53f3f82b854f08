"""Logistic track-and-stop: Algorithm 1 of Ochoa Rivera and Tewari, stopping on evidence."""

from typing import Any, get_args

import numpy as np

from logts.arms import Arms
from logts.design import Divergence
from logts.policies.base import POLICIES
from logts.policies.track_and_stop import TrackAndStop
from logts.problems import Problem
from logts.sampling import OptimalTracking, Schedule


@POLICIES.enter("log-ts")
class LogTS(TrackAndStop):
    """Log-TS: which arm to try next, when to stop, and what the answer is.

    Parameters
    ----------
    arms, problem
        What can be tried, and the question.
    delta
        Permitted probability of a wrong answer.
    stopping
        ``"evidence"``, proven and free of constants. For comparison ``"forecast"`` (the same without bets),
        ``"paper"`` and ``"paper-practical"`` (the rule as stated, and that of the experiments),
        ``"likelihood-ratio"`` (Lee, Yun and Jun 2024) and ``"stylized"`` (unproven).
    design
        ``"quadratic"`` or ``"kl"``: the divergence whose characteristic time the allocation aims at.
    schedule
        When the weights of the allocation are computed anew: when their ``"certificate"`` has lapsed, that
        is, when they are no longer proven to be within 10% of the optimum at the estimate (with more than 64
        arms or rivals, when the trials have grown by a fifth as well); or
        ``"every-step"``, by ``"doubling"`` (t = 2^k), or on a ``"geometric"`` schedule (t grows by a tenth).
    guard
        Watch the model (``"evidence"`` and ``"forecast"`` only): gather evidence that needs no model as well,
        share trials with it, and ask for a second opinion by the options' own outcomes before a verdict by
        the model. Eight tenths of delta go to the model. False trusts the model and gives it all of delta.
    max_trials
        Stop there at the latest, with the best guess and its honest confidence.
    rng
        Seed or generator for peers that draw lots; Log-TS does not. By default the same outcomes give the
        same verdict.
    **constants
        What the stopping rule needs: ``radius``, a bound on the norm of theta (``"paper"``,
        ``"paper-practical"``, ``"likelihood-ratio"``), and ``kappa``, a bound on ``1/mu'`` over the arms
        (``"paper"``).

    Examples
    --------
    >>> import numpy as np, logts
    >>> rng, rates = np.random.default_rng(1), np.array([0.3, 0.5, 0.8])
    >>> policy = logts.LogTS(logts.Arms(names=["red", "green", "blue"]), logts.BestArm(), delta=0.05)
    >>> while policy.verdict is None:
    ...     asked = policy.ask()
    ...     policy.tell(asked.ids, rng.random(len(asked.arms)) < rates[asked.arms])
    >>> policy.verdict.answer
    best: blue
    """

    def __init__(
        self,
        arms: Arms,
        problem: Problem,
        *,
        delta: float = 0.05,
        stopping: str = "evidence",
        design: Divergence = "quadratic",
        schedule: Schedule = "certificate",
        guard: bool = True,
        max_trials: int | None = None,
        rng: np.random.Generator | int | None = 0,
        **constants: Any,
    ) -> None:
        if design not in get_args(Divergence):
            raise ValueError(f"design must be 'quadratic' or 'kl'; got {design!r}")

        def tracking(among: Arms, _: np.random.Generator) -> OptimalTracking:
            return OptimalTracking(among, divergence=design, schedule=schedule)

        super().__init__(
            arms,
            problem,
            tracking,
            duels=(design, schedule) == ("quadratic", "certificate"),
            delta=delta,
            stopping=stopping,
            guard=guard,
            max_trials=max_trials,
            rng=rng,
            **constants,
        )
