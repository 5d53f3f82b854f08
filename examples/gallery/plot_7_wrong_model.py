"""
A wrong model, and the second opinion that catches it
=====================================================

Features save trials if the model is right. If it is not, a proof within it proves nothing:
here is a world made to deceive, and what the guard does about it.
"""

# %%
# Twelve dishes: four sauces on three kinds of pasta. What sauce and pasta do adds up, but
# for one dish: the fourth sauce is poor on everything else, and on the third pasta it is
# the best of all. An additive model must predict that this dish is mediocre.

import functools

import numpy as np
import pandas as pd

import logts

menu = pd.DataFrame(
    [
        (sauce, pasta)
        for sauce in ("tomato", "pesto", "cream", "truffle")
        for pasta in ("penne", "fusilli", "gnocchi")
    ],
    columns=["sauce", "pasta"],
)
effects = {"pesto": 0.6, "cream": 0.3, "truffle": -1.0, "fusilli": 0.3, "gnocchi": 0.5}
logits = -0.4 + menu.map(lambda level: effects.get(level, 0.0)).sum(axis=1).to_numpy()
logits[-1] = 1.6
rates = 1.0 / (1.0 + np.exp(-logits))
dishes = logts.Arms(menu, "~ sauce + pasta")
print(f"best in truth: {dishes.names[int(rates.argmax())]}, {rates.max():.0%}")

# %%
# **The model trusted.** Without the guard the study looks where the model points, finds
# what it expects, and has a proof that is worth nothing.

world = logts.Rates(rates)
for name, guard in {"model trusted": False, "guarded": True}.items():
    policy = functools.partial(logts.LogTS, guard=guard)
    runs = logts.simulate(
        policy, dishes, world, logts.BestArm(), delta=0.05, runs=10, rng=1
    )
    wrong = sum(not run.correct for run in runs)
    print(
        f"{name:14} wrong in {wrong:2} of 10, "
        f"{np.median([run.samples for run in runs]):7,.0f} trials"
    )

# %%
# **The guard.** A verdict by the model waits until every option's own outcomes speak for
# it. Options that the model calls settled are tried a little for this, and so the truffle
# gnocchi give themselves away.

guests = np.random.default_rng(5)
study = logts.Study.create(
    "memory://menu", "menu", arms=dishes, problem=logts.BestArm(), delta=0.05
)
while study.verdict is None:
    trials = study.ask(10)
    study.tell(trials, guests.random(10) < rates[trials.numbers])
print(study.summary())

# %%
# Observed against fitted: options that are more than two standard deviations off are named,
# those with truffle above all. The fit has bent towards the dish that it got wrong, and so
# others look off as well.

figure = study.plot_fit()

# %%
# **The way out** is a better model. With the interaction, ``~ sauce * pasta``, each dish
# has a rate of its own again; a term for the one exception would be cheaper. What no guard
# can see is an option that is off by less than half a logit: there the model's word stands.
