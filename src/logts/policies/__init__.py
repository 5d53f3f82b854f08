"""Ways to run a study, behind one protocol: Log-TS and its peers, one file each."""

from logts.policies.base import POLICIES, Asked, Policy, takes_settings
from logts.policies.frank_wolfe_sampling import FrankWolfeSampling
from logts.policies.gaussian_plug_in import GaussianPlugIn
from logts.policies.glgape import GLGapE
from logts.policies.lazy_track_and_stop import LazyTrackAndStop
from logts.policies.lin_game import LinGame
from logts.policies.log_ts import LogTS
from logts.policies.melk import Melk
from logts.policies.oracle import Oracle
from logts.policies.rage import Rage
from logts.policies.rage_glm import RageGLM, RageGLMR
from logts.policies.top_two import TopTwo
from logts.policies.track_and_stop import Settings, TrackAndStop
from logts.policies.uniform import Uniform
from logts.tools.registry import discover

discover(__name__, __path__)

__all__ = [
    "POLICIES",
    "Asked",
    "FrankWolfeSampling",
    "GLGapE",
    "GaussianPlugIn",
    "LazyTrackAndStop",
    "LinGame",
    "LogTS",
    "Melk",
    "Oracle",
    "Policy",
    "Rage",
    "RageGLM",
    "RageGLMR",
    "Settings",
    "TopTwo",
    "TrackAndStop",
    "Uniform",
    "takes_settings",
]
