"""Stop when every alternative is refuted: the default rule, proven without any bound on theta.

With the forecaster's score ``Q`` and the log-likelihood ``L`` over the same outcomes, Ville's inequality
gives ``P(some t: Q - L(theta) >= log 1/delta) <= delta`` for the true theta. So stop when ``sup over Alt L <
Q - log(1/delta)``: if the answer were wrong, theta would lie in Alt and that event would have happened. Valid
at any time, for any way of choosing arms.
"""

import math
from dataclasses import dataclass

from logts.alternatives import Posed
from logts.evidence.likelihood import largest_alternative
from logts.stopping.base import Case, Reading, StoppingRule, rule


@rule
@dataclass(frozen=True)
class Forecast(StoppingRule):
    """``Q - sup over Alt L > log(1/delta)``."""

    name = "forecast"
    proven = True
    guarded = True
    assumes = "independent outcomes whose rates follow the logistic model of these features"

    def read(self, case: Case, posed: Posed | None) -> Reading:
        threshold = math.log(1.0 / case.delta)
        found = largest_alternative(case.points, case.tally, case.fit, posed.alternatives) if posed else None
        if posed is None or found is None:
            return Reading.of_nothing(threshold)
        supremum, rival = found
        evidence = case.tally.score - supremum
        return Reading(posed.answer, evidence, threshold, math.exp(min(0.0, -evidence)), rival)
