"""
Which electricity contract do people choose?
============================================

In a recorded experiment 361 customers made 4,308 choices among four contracts each, which
differed in the price, in how long they bind and in who supplies them. Which of the 35
combinations is chosen most often, and how many customers must one ask to know?
"""

# %%
# A factorial table: each row is an option, and three columns describe it. ``~ price +
# contract + supplier`` says that what they do adds up, on the logit scale.

import numpy as np
import pandas as pd

import logts
from logts.experiments import datasets
from logts.logistic import maximum_likelihood
from logts.plots import plot_allocation, plot_verdict

table = pd.read_csv(datasets.path("electricity_choice"))
contracts = logts.Arms(table, "~ price + contract + supplier")
print(contracts)
table.head()

# %%
# **What it costs at least.** With the record as the truth, no method that errs at most 5%
# of the time can do with fewer trials on average than this, whatever it does; and this is
# how it would spend them.

fit = maximum_likelihood(
    contracts.points, table["trials"].to_numpy(), table["successes"].to_numpy()
)
theta = contracts.parameter(fit.theta)
bound = logts.lower_bound(contracts, theta, logts.BestArm(), delta=0.05)
print(bound)
allocation = plot_allocation(
    bound, theta, most=12, title=f"At least {bound.samples:,.0f} trials"
)

# %%
# Only what decides between the best and its rivals is worth a trial: a contract that nobody
# would choose may be tried because it tells about the supplier. Other questions cost more,
# or less:

questions: list[logts.Problem] = [
    logts.BestArm(),
    logts.TopM(5),
    logts.Threshold(0.25),
    logts.VersusControl("9c/kWh | 0y | local"),
    logts.Ranking(),
]
for question in questions:
    least = logts.lower_bound(contracts, theta, question, delta=0.05)
    print(f"{question!r:54.54} {least.samples:12,.0f} trials at least")

# %%
# **A study.** Log-TS knows none of this. Each trial shows one contract and draws yes or no
# at the rate at which it was chosen in the record, whether or not the model fits.

rates = (table["successes"] / table["trials"]).to_numpy()
customers = np.random.default_rng(1)
policy = logts.LogTS(contracts, logts.BestArm(), delta=0.05)
while policy.verdict is None:
    asked = policy.ask(40)
    policy.tell(asked.ids, customers.random(40) < rates[asked.arms])
print(policy.verdict.summary())
print(f"In the record {contracts.names[int(rates.argmax())]} did best.")
verdict = plot_verdict(policy.verdict, contracts, most=16)
