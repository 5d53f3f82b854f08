"""Questions that can be asked of items, one file each: a new file is found by itself."""

from logts.alternatives import Answer, Posed
from logts.problems.base import Comparable, Problem, Question, checked_problem
from logts.problems.best_arm import BestArm
from logts.problems.ranking import Ranking
from logts.problems.speech import QUESTIONS, Flag, Spoken, spoken
from logts.problems.threshold import Threshold
from logts.problems.top_m import TopM
from logts.problems.versus_control import VersusControl
from logts.tools.registry import discover

__all__ = [
    "QUESTIONS",
    "Answer",
    "BestArm",
    "Comparable",
    "Flag",
    "Posed",
    "Problem",
    "Question",
    "Ranking",
    "Spoken",
    "Threshold",
    "TopM",
    "VersusControl",
    "checked_problem",
    "spoken",
]

discover(__name__, list(__path__))
