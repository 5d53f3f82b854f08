"""Which arm to try next."""

from logts.sampling.tracking import Tracker

__all__ = ["Tracker"]
