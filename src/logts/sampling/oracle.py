"""Weights that stay, whatever the outcomes: for who knows the parameter."""

import numpy as np

from logts.arms import Arms
from logts.design import Design
from logts.problems import Posed
from logts.sampling.tracking import Tracker
from logts.tools.algebra import Array, Indices


class FixedWeights:
    """The arms that bring the trials nearest to the weights of one design."""

    def __init__(self, arms: Arms, design: Design) -> None:
        self._tracker = Tracker(arms.points, arms.spanning)
        self.weights, self.characteristic_time = design.weights, design.characteristic_time

    def next(self, n: int) -> Indices:
        return self._tracker.next(n, self.weights)

    def learn(self, posed: Posed, trials: Array) -> None:
        pass

    def patience(self, t: int) -> float:
        return np.inf
