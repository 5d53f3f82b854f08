"""Ways to run a study, behind one protocol."""

from logts.policies.base import Asked, Policy, Progress, Verdict
from logts.policies.log_ts import LogTS

__all__ = ["Asked", "LogTS", "Policy", "Progress", "Verdict"]
