"""When to stop: rules behind one protocol, one file each."""

from logts.stopping.base import RULES, Case, Reading, StoppingRule, constant, make_rule, rule
from logts.tools.registry import discover

discover(__name__, __path__)

__all__ = ["RULES", "Case", "Reading", "StoppingRule", "constant", "make_rule", "rule"]
