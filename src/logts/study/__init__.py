"""Live studies that survive: a journal, ask and tell."""

from logts.policies.moment import Moment
from logts.study.study import Study
from logts.study.trial import Trial, this_worker

__all__ = ["Moment", "Study", "Trial", "this_worker"]
