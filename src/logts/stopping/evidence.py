"""Stop when every alternative is refuted: the default rule, proven without any bound on theta.

With the forecaster's score ``Q`` and the log-likelihood ``L`` over the same outcomes, Ville's inequality
gives ``P(some t: Q - L(theta) >= log 1/delta) <= delta`` for the true theta. So stop when ``sup over Alt L <
Q - log(1/delta)``: if the answer were wrong, theta would lie in Alt and that event would have happened. Valid
at any time, for any way of choosing arms.
"""

import math
from dataclasses import dataclass

from logts.alternatives import Posed
from logts.stopping.base import Case, Reading, StoppingRule, rule


@rule
@dataclass(frozen=True)
class Evidence(StoppingRule):
    """``Q - sup over Alt L > log(1/delta)``."""

    name = "evidence"
    proven = True
    guarded = True
    assumes = "independent outcomes whose rates follow the logistic model of these features"

    def read(self, case: Case, posed: Posed | None) -> Reading:
        threshold = math.log(1.0 / case.delta)
        found = case.wealth.weigh(case.points, case.tally, case.fit, posed.alternatives, threshold) if posed else None
        if posed is None or found is None:
            return Reading.of_nothing(threshold)
        p_value = math.exp(min(0.0, -found.least)) if found.whole else 1.0
        return Reading(posed.answer, found.least, threshold, p_value, found.rival)
