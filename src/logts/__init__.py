"""Which option is best, and can I stop testing now? Logistic track-and-stop (Log-TS) from yes/no outcomes."""

from typing import TYPE_CHECKING, Any

from logts._version import __version__
from logts.arms import Arms
from logts.evidence.intervals import Rate
from logts.judge import Progress, Verdict
from logts.planning.bounds import LowerBound, lower_bound
from logts.planning.simulate import Rates, Recorded, Run, Runs, simulate
from logts.policies import Asked, LogTS, Policy
from logts.problems import Answer, BestArm, Problem, Ranking, Threshold, TopM, VersusControl
from logts.tools.status import Status

if TYPE_CHECKING:
    from logts.study import Study

__all__ = [
    "Answer",
    "Arms",
    "Asked",
    "BestArm",
    "LogTS",
    "LowerBound",
    "Policy",
    "Problem",
    "Progress",
    "Ranking",
    "Rate",
    "Rates",
    "Recorded",
    "Run",
    "Runs",
    "Status",
    "Study",
    "Threshold",
    "TopM",
    "Verdict",
    "VersusControl",
    "__version__",
    "lower_bound",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Load studies when they are used: the rest does without."""
    if name == "Study":
        from logts.study import Study

        return Study
    raise AttributeError(f"module 'logts' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is, loaded or not."""
    return sorted({*globals(), *__all__})
