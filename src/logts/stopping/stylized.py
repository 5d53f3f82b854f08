"""The rule of most papers' experiments, ``log((1 + log t)/delta)`` on the exact likelihood ratio.

**No proof.**

Garivier and Kaufmann (2016), "Optimal Best Arm Identification with Fixed Confidence".
"""

import math
from dataclasses import dataclass

from logts.alternatives import Posed
from logts.evidence.likelihood import largest_alternative
from logts.stopping.base import Case, Reading, StoppingRule, rule


@rule
@dataclass(frozen=True)
class Stylized(StoppingRule):
    """``L(fit) - sup over Alt L > log((1 + log t)/delta)``; unproven, for comparison."""

    name = "stylized"
    assumes = "nothing that would make it a guarantee: this threshold has no proof"

    def read(self, case: Case, posed: Posed | None) -> Reading:
        slack = math.log(1.0 + math.log(max(case.tally.total, 1.0)))
        threshold = slack + math.log(1.0 / case.delta)
        found = largest_alternative(case.points, case.tally, case.fit, posed.alternatives) if posed else None
        if posed is None or found is None:
            return Reading.of_nothing(threshold)
        supremum, rival = found
        ratio = case.fit.log_likelihood - supremum
        return Reading(posed.answer, ratio, threshold, math.exp(min(0.0, slack - ratio)), rival)
