"""Which option is best, and can I stop testing now? Logistic track-and-stop (Log-TS) from yes/no outcomes.

Names are loaded when they are first used (PEP 562): to import the package takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from logts._version import __version__

if TYPE_CHECKING:
    from logts.arms import Arms
    from logts.client import Client
    from logts.evidence.intervals import Rate
    from logts.judge import Progress, Verdict
    from logts.planning.bounds import LowerBound, lower_bound
    from logts.planning.simulate import Rates, Recorded, Run, Runs, simulate
    from logts.policies import Asked, LogTS, Policy
    from logts.problems import Answer, BestArm, Problem, Ranking, Threshold, TopM, VersusControl
    from logts.study import Study
    from logts.tools.status import Status

__all__ = [
    "Answer",
    "Arms",
    "Asked",
    "BestArm",
    "Client",
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

_HOMES = {
    "arms": "Arms",
    "client": "Client",
    "evidence.intervals": "Rate",
    "judge": "Progress Verdict",
    "planning.bounds": "LowerBound lower_bound",
    "planning.simulate": "Rates Recorded Run Runs simulate",
    "policies": "Asked LogTS Policy",
    "problems": "Answer BestArm Problem Ranking Threshold TopM VersusControl",
    "study": "Study",
    "tools.status": "Status",
}
_HOME = {name: f"logts.{home}" for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load a public name, or a room such as ``logts.policies``, when it is first used."""
    if name in _HOME:
        found = globals()[name] = getattr(import_module(_HOME[name]), name)
        return found
    if not name.startswith("_"):
        try:
            return import_module(f"logts.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"logts.{name}":
                raise
    raise AttributeError(f"module 'logts' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is, loaded or not."""
    return sorted({*globals(), *__all__})
