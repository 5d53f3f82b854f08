"""
Outcomes that take days
=======================

A newsletter goes out in the morning, and readers answer within a week, or never. Nobody
waits in front of a running program: trials are out for days, outcomes arrive in any order,
and the study goes on meanwhile.
"""

# %%
# Three subject lines. Every day 150 readers get one; who is going to answer does so after
# three days on average, and after seven days silence is a no.

import numpy as np

import logts

subjects = logts.Arms(names=["News for you", "Three things to read", "What you missed"])
answers = np.array([0.18, 0.22, 0.31])
study = logts.Study.create(
    "memory://mail",
    "subjects",
    arms=subjects,
    problem=logts.BestArm(),
    delta=0.05,
    lease=8 * 86400.0,
)
readers = np.random.default_rng(6)
arriving: dict[int, list[tuple[int, bool]]] = {}
course = []
day = 0
while study.verdict is None:
    for trial in study.ask(150):
        yes = bool(readers.random() < answers[trial.number])
        wait = min(int(readers.exponential(3.0)), 6) if yes else 7
        arriving.setdefault(day + wait, []).append((trial.id, yes))
    for number, yes in arriving.pop(day, []):
        study.tell(number, yes)
    course.append((study.asked, study.told, study.counts.sum(), study.confidence))
    day += 1
print(f"after {day} days, with {study.out} letters still out:")
print(study.summary())

# %%
# Outcomes count in the order of the asks: a yes comes sooner than a no, and who counted
# whatever is in would see too many of them. So evidence waits for the earliest letter that
# is still out, and lags a week behind.

from matplotlib.figure import Figure

asked, told, counted, confidence = np.array(course).T
figure = Figure(figsize=(8.0, 3.6), layout="constrained")
left, right = figure.subplots(1, 2)
for values, label, colour in (
    (asked, "sent", "#9fb3c8"),
    (told, "answered or given up", "#22313f"),
    (counted, "counted as evidence", "#d1495b"),
):
    left.plot(values, label=label, color=colour)
left.set(xlabel="day", title="Letters")
left.legend(frameon=False)
right.plot(confidence, color="#d1495b")
right.axhline(0.95, color="#22313f", lw=1, ls=":")
right.set(xlabel="day", title="Confidence", ylim=(0, 1))
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# Letters that were sent back are abandoned (``study.abandon(trial, "address unknown")``):
# they count neither as yes nor as no, and nothing waits for them. A silent reader is a no,
# not an abandoned trial.
