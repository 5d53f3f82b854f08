"""The logistic model: likelihood, fits with proof, the paper's projection."""

from logts.logistic.fit import Fit, information, log_likelihood, maximum_likelihood, score
from logts.logistic.projection import Projection, project
from logts.logistic.separation import separating_direction

__all__ = [
    "Fit",
    "Projection",
    "information",
    "log_likelihood",
    "maximum_likelihood",
    "project",
    "score",
    "separating_direction",
]
