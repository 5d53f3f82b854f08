"""Which arm to try next: sampling rules behind one protocol."""

from logts.sampling.base import Lasting, Sampler, lasts, pace
from logts.sampling.even import Even, Patrol
from logts.sampling.optimal import OptimalTracking, Schedule
from logts.sampling.tracking import Tracker

__all__ = ["Even", "Lasting", "OptimalTracking", "Patrol", "Sampler", "Schedule", "Tracker", "lasts", "pace"]
