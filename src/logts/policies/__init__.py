"""Ways to run a study, behind one protocol."""

from collections.abc import Callable

from logts.policies.base import Asked, Policy, Progress, Verdict
from logts.policies.glgape import GLGapE
from logts.policies.log_ts import LogTS
from logts.policies.rage_glm import RageGLM, RageGLMR
from logts.policies.sequential import Sequential
from logts.policies.uniform import Uniform

POLICIES: dict[str, Callable[..., Policy]] = {"log-ts": LogTS, "uniform": Uniform}

__all__ = ["POLICIES", "Asked", "GLGapE", "LogTS", "Policy", "Progress", "RageGLM", "RageGLMR", "Sequential", "Uniform", "Verdict", "find_policy"]


def find_policy(name: str) -> Callable[..., Policy]:
    """A policy by its name."""
    if name not in POLICIES:
        raise ValueError(f"no policy is called {name!r}; the policies are {', '.join(POLICIES)}")
    return POLICIES[name]
