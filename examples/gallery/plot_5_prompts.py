"""
Which prompt and which model pass a check most often?
=====================================================

An evaluation of a language model is a trial: a task, a prompt, a model, and a check that
passes or does not. Each costs money and seconds, and the usual way is to run every
combination on every task. Here 24 combinations are simulated: two models, three tones, four
numbers of examples.
"""

# %%
# If what model, tone and examples do adds up on the logit scale, seven parameters describe
# the 24 options, and every trial tells about many of them.

import itertools

import numpy as np
import pandas as pd

import logts
from logts.plots import plot_plan

table = pd.DataFrame(
    list(
        itertools.product(
            ["large", "small"],
            ["plain", "formal", "friendly"],
            ["none", "one", "three", "ten"],
        )
    ),
    columns=["model", "tone", "examples"],
)
effects = {
    "large": 0.9,
    "formal": 0.3,
    "friendly": -0.3,
    "one": 0.4,
    "three": 0.9,
    "ten": 1.5,
}
logits = -0.9 + table.map(lambda level: effects.get(level, 0.0)).sum(axis=1).to_numpy()
world = logts.Rates(1.0 / (1.0 + np.exp(-logits)))
additive = logts.Arms(table, "~ model + tone + examples")
by_name = logts.Arms(names=additive.names)

# %%
# The same question with the features, by names alone, and with every combination tried
# equally often. That the answer may be up to two points worse than the best is allowed
# (``epsilon`` is four times that, in logits).

question = logts.BestArm(epsilon=0.08)
ways = {
    "with features": (logts.LogTS, additive),
    "by names alone": (logts.LogTS, by_name),
    "all equally often": (logts.policies.Uniform, additive),
}
runs = {
    way: logts.simulate(policy, arms, world, question, delta=0.05, runs=11, rng=0)
    for way, (policy, arms) in ways.items()
}
for way, made in runs.items():
    samples = [run.samples for run in made]
    print(
        f"{way:18} {np.median(samples):8,.0f} trials, "
        f"wrong in {sum(not run.correct for run in made)} of {len(made)}"
    )

# %%
least = logts.lower_bound(
    additive, additive.parameter(np.linalg.lstsq(additive.points, logits)[0]), question
)
figure = plot_plan(
    {way: [run.samples for run in made] for way, made in runs.items()},
    {"at least": least.samples},
    title="Trials until the best of 24 prompts is known",
)

# %%
# The features are an assumption, and the study watches it: see :doc:`plot_7_wrong_model`.
# When tasks differ in how hard they are, draw the task of each trial at random; the rate is
# then that of all tasks.
