"""How many trials to expect, before a study starts."""

from logts.planning.effect import world_with_effect
from logts.planning.result import Expected, Plan
from logts.planning.run import plan

__all__ = ["Expected", "Plan", "plan", "world_with_effect"]
