"""
Which flags make a flaky program work?
======================================

A program works now and then, and better with some flags than with others. ``logts run``
tries it from the command line; here is the same from Python, with a function in place of
the program.
"""

# %%
# Twelve combinations. A trial knows the columns of its option, so that it can be run.

import itertools

import numpy as np
import pandas as pd

import logts

flags = pd.DataFrame(
    list(itertools.product(["off", "on"], [1, 2, 4], ["no", "yes"])),
    columns=["cache", "threads", "backoff"],
)
arms = logts.Arms(flags, "~ cache + threads + backoff")
luck = np.random.default_rng(7)


def works(cache: str, threads: int, backoff: str) -> bool | None:
    """Whether it worked, or None if it broke, which says nothing about the flags."""
    if luck.random() < 0.01:
        return None
    logit = -2.2 + 1.4 * (cache == "on") + 0.5 * threads + (backoff == "yes")
    return bool(luck.random() < 1.0 / (1.0 + np.exp(-logit)))


# %%
# A run that broke is no answer: it is abandoned, and counts neither as yes nor as no. That
# must not depend on what the outcome would have been.

study = logts.Study.create(
    "memory://flaky", "flags", arms=arms, problem=logts.BestArm(), delta=0.05
)
while study.verdict is None:
    for trial in study.ask(4):
        worked = works(**trial.columns)
        if worked is None:
            study.abandon(trial, "it broke")
        else:
            study.tell(trial, worked)
print(study.summary())
print(f"{study.abandoned} runs broke")

# %%
# How sure could one be after how many runs? The confidence is proven at every moment: to
# stop at the first that suffices is what the study does.

figure = study.plot_confidence()

# %%
rates = study.plot_rates()

# %%
# Kept in a file (``"studies.db"`` in place of ``"memory://flaky"``) the study survives a
# kill at any moment, and several processes may work on it at once.
