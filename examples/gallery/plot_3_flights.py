"""
Which departure times are on time, 85% of the time?
===================================================

A traveller who has to be there wants a slot of which more than 85% of the flights arrive on
time. The record of 2013 has 336,776 departures from New York; here flights are looked up
one at a time, until the question is settled for every slot.
"""

# %%
# Five slots, and a threshold. A flight is a trial; arriving at most 15 minutes late is a
# yes.

import numpy as np
import pandas as pd

import logts
from logts.experiments import datasets

table = (
    pd.read_csv(datasets.path("nyc_flights_block_month"))
    .groupby("block")[["successes", "trials"]]
    .sum()
)
rates = (table["successes"] / table["trials"]).to_numpy()
slots = logts.Arms(names=[f"{block} h" for block in table.index])
study = logts.Study.create(
    "memory://flights", "slots", arms=slots, problem=logts.Threshold(0.85), delta=0.05
)
flights = np.random.default_rng(4)
while study.verdict is None:
    trials = study.ask(200)
    study.tell(trials, flights.random(len(trials)) < rates[trials.numbers])
print(study.summary())

# %%
# One slot lies close to the line, and it took nearly all flights: the nearer a rate is to
# the threshold, the more trials its side takes, and they grow with the square. Three were
# settled almost at once. The slot of 9 to 11 waits although it needs few flights of its
# own: the study is over no sooner for it, so its flights go to the slot that decides when
# that is.

figure = study.plot_settled()
settled = study.standing().settled
for number, slot in enumerate(slots.names):
    print(
        f"{slot:8} settled when {settled[number]:6,} flights were seen; "
        f"seen of it in the end: {study.counts[number]:6,.0f}"
    )

# %%
# **A budget.** Were there no more than 20,000 flights, the study would end with a guess,
# and say so: the verdict is marked as not proven. The intervals hold all the same: three
# slots lie below the line in any case.

short = logts.LogTS(slots, logts.Threshold(0.85), delta=0.05, max_trials=20_000)
flights = np.random.default_rng(4)
while short.verdict is None:
    asked = short.ask(200)
    short.tell(asked.ids, flights.random(len(asked.arms)) < rates[asked.arms])
print(short.verdict.summary())
for rate in short.verdict.rates():
    print(f"{rate.name:8} {rate.low:6.1%} to {rate.high:6.1%}")
