"""Which arm to try next: sampling rules behind one protocol."""

from logts.sampling.base import Lasting, Sampler, Studious, characteristic_time_of, lasts
from logts.sampling.duels import Duels
from logts.sampling.even import Even, Patrol
from logts.sampling.optimal import OptimalTracking, Schedule
from logts.sampling.tracking import Tracker

__all__ = [
    "Duels",
    "Even",
    "Lasting",
    "OptimalTracking",
    "Patrol",
    "Sampler",
    "Schedule",
    "Studious",
    "Tracker",
    "characteristic_time_of",
    "lasts",
]
