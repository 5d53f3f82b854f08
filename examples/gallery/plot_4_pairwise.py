"""
Which of seven drafts do readers prefer?
========================================

Nobody can say whether a draft is good, but anybody can say which of two is better. A trial
shows a reader two drafts; yes means that the first one wins.
"""

# %%
# The arms are the 21 pairs, the items are the drafts: what is tried is not what is judged.
# That one draft is preferred to another with a probability that depends on the difference
# of their strengths, on the logit scale, is the model of Bradley and Terry.

import numpy as np

import logts

drafts = ["short", "long", "bullet points", "story", "question", "numbers", "quote"]
pairs = logts.Arms.pairwise(drafts)
print(pairs)

# %%
# Which one is best? The readers' strengths are known here to draw their answers.

strengths = np.array([0.2, -0.8, 0.0, 1.1, 0.5, -0.2, -0.5])
wins = 1.0 / (1.0 + np.exp(-(pairs.features @ strengths)))
readers = np.random.default_rng(2)
study = logts.Study.create(
    "memory://drafts", "drafts", arms=pairs, problem=logts.BestArm(), delta=0.05
)
while study.verdict is None:
    for trial in study.ask(5):
        study.tell(trial, readers.random() < wins[trial.number])
print(study.summary())

# %%
# Not all pairs are worth a reader's time: those that decide about the best draft were shown
# most often.

shown = sorted(zip(study.counts, pairs.names, strict=True), reverse=True)
for times, pair in [*shown[:4], *shown[-3:]]:
    print(f"{times:5.0f}  {pair}")

# %%
# A draft has no rate by itself. What can be shown is how often it would win against an
# average one.

figure = study.plot_rates()

# %%
# The whole order takes more readers: neighbours must be told apart, and some are close.

for question in (logts.BestArm(), logts.TopM(2), logts.Ranking()):
    least = logts.lower_bound(pairs, strengths, question, delta=0.05)
    print(f"{question!r:24} {least.samples:10,.0f} trials at least:  {least.answer}")
