"""Questions that can be asked of items, one file each."""

from logts.alternatives import Answer, Posed
from logts.problems.base import Comparable, Problem, Question
from logts.problems.best_arm import BestArm
from logts.problems.ranking import Ranking
from logts.problems.threshold import Threshold
from logts.problems.top_m import TopM
from logts.problems.versus_control import VersusControl

__all__ = ["Answer", "BestArm", "Comparable", "Posed", "Problem", "Question", "Ranking", "Threshold", "TopM", "VersusControl"]
