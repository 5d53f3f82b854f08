"""Warm up: load or compile what studies need, by doing a little of everything."""

import uuid

from logts.arms import Arms
from logts.problems import BestArm
from logts.study.study import Study

POINTS = [[1.0, 0.0], [0.0, 1.0], [0.9, 0.4]]


def warm() -> None:
    """Run a small study with a model and one without, in memory."""
    for arms in (Arms(POINTS), Arms(names=["a", "b", "c"])):
        url = f"memory://{uuid.uuid4()}"
        with Study.create(url, "warm", arms=arms, problem=BestArm()) as study:
            trials = study.ask(40)
            study.tell(trials, [trial.number % 2 == 0 for trial in trials])
            study.standing()
            list(study.rates())
