"""Ways to run a study, behind one protocol: Log-TS and its peers, one file each."""

from collections.abc import Callable

from logts.policies.base import Asked, Policy, Progress, Verdict
from logts.policies.frank_wolfe_sampling import FrankWolfeSampling
from logts.policies.glgape import GLGapE
from logts.policies.lazy_track_and_stop import LazyTrackAndStop
from logts.policies.lin_game import LinGame
from logts.policies.log_ts import LogTS
from logts.policies.oracle import Oracle
from logts.policies.rage_glm import RageGLM, RageGLMR
from logts.policies.sequential import Sequential
from logts.policies.top_two import TopTwo
from logts.policies.uniform import Uniform

POLICIES: dict[str, Callable[..., Policy]] = {
    "log-ts": LogTS,
    "uniform": Uniform,
    "lazy-track-and-stop": LazyTrackAndStop,
    "lin-game": LinGame,
    "frank-wolfe": FrankWolfeSampling,
    "top-two": TopTwo,
    "oracle": Oracle,
    "rage-glm": RageGLM,
    "rage-glm-r": RageGLMR,
    "glgape": GLGapE,
}

__all__ = [
    "POLICIES",
    "Asked",
    "FrankWolfeSampling",
    "GLGapE",
    "LazyTrackAndStop",
    "LinGame",
    "LogTS",
    "Oracle",
    "Policy",
    "Progress",
    "RageGLM",
    "RageGLMR",
    "Sequential",
    "TopTwo",
    "Uniform",
    "Verdict",
    "find_policy",
]


def find_policy(name: str) -> Callable[..., Policy]:
    """A policy by its name."""
    if name not in POLICIES:
        raise ValueError(f"no policy is called {name!r}; the policies are {', '.join(POLICIES)}")
    return POLICIES[name]
