"""The logistic model: likelihood, fits with proof, the paper's projection."""

from logts.logistic.fit import Fit, gradient, information, log_likelihood, maximum_likelihood
from logts.logistic.projection import Projection, project
from logts.logistic.separation import separating_direction

__all__ = [
    "Fit",
    "Projection",
    "gradient",
    "information",
    "log_likelihood",
    "maximum_likelihood",
    "project",
    "separating_direction",
]
