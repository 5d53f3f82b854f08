"""Ways to run a study, behind one protocol."""

from logts.policies.base import Asked, Policy, Progress, Verdict
from logts.policies.log_ts import LogTS
from logts.policies.sequential import Sequential
from logts.policies.uniform import Uniform

__all__ = ["Asked", "LogTS", "Policy", "Progress", "Sequential", "Uniform", "Verdict"]
