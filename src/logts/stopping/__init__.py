"""When to stop: evidence against the alternatives, from forecasts made before each outcome."""

from logts.stopping.evidence import NOTHING, Reading, read
from logts.stopping.forecast import Forecaster
from logts.stopping.intervals import Rate, rate

__all__ = ["NOTHING", "Forecaster", "Rate", "Reading", "rate", "read"]
