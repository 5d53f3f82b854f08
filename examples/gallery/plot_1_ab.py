"""
Four checkout pages, no features
================================

The plain test of A, B and n: four versions of a page, visitors who buy or do not, and
nothing that the pages have in common. Is any of the new ones better than the one that we
have?
"""

# %%
# Options given by name alone share nothing: each has a rate of its own. The question has a
# control.

import numpy as np

import logts

pages = logts.Arms(names=["as it is", "one step", "guest", "wallet"])
question = logts.VersusControl("as it is")

# %%
# **How long would it take?** If the purchase rate is about 10%, and four points more is
# what would be worth a new page, simulation answers before anybody sees anything.

from logts.planning import plan, world_with_effect

world = world_with_effect(pages, question, 0.04, base=0.10)
expected = plan(pages, question, truth=world, delta=0.05, runs=40)
print(expected.summary())

# %%
# **The test.** The truth is known here, and to nobody else: the wallet is better by a lot,
# the guest checkout by a little, the single step is worse. ``ask`` says which page the next
# visitors see, ``tell`` takes what they did. One may look at any time: the error of 5%
# holds however often one does.

rates = np.array([0.10, 0.05, 0.14, 0.18])
visitors = np.random.default_rng(3)
study = logts.Study.create(
    "memory://shop", "checkout", arms=pages, problem=question, delta=0.05
)
while study.verdict is None:
    trials = study.ask(50)
    study.tell(trials, visitors.random(50) < rates[trials.numbers])
print(study.summary())

# %%
# Pages that are settled early get fewer visitors from then on: those go where they are
# needed.

figure = study.plot_rates()

# %%
# When was each page settled? The closest one decides how long a test takes.

settled = study.plot_settled()
