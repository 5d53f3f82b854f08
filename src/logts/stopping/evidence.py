"""Stop when every alternative is refuted: the default rule, proven without any bound on theta.

The wealth M of a study (:mod:`logts.evidence.wealth`) ever reaches ``1/delta`` at the true theta with
probability at most delta (Ville). So stop when ``log M > log(1/delta)`` on all of Alt: if the answer were
wrong, theta would lie in Alt and that event would have happened. Valid at any time, for any way of choosing
arms.

Two rules differ in what M is made of. ``"forecast"`` has the forecast alone, ``log M = Q - L``, and pays for
forecasts in every direction. ``"evidence"`` has bets as well, on one direction for each rival.
"""

import math
from dataclasses import dataclass

from logts.alternatives import Posed
from logts.stopping.base import Case, Reading, StoppingRule, rule
from logts.tools.algebra import Array


@rule
@dataclass(frozen=True)
class Forecast(StoppingRule):
    """``Q - sup over Alt L > log(1/delta)``."""

    name = "forecast"
    proven = True
    guarded = True
    assumes = "independent outcomes whose rates follow the logistic model of these features"

    def estimate(self, case: Case) -> Array | None:
        return case.fit.theta if case.fit.proven else case.mode

    def read(self, case: Case, posed: Posed | None) -> Reading:
        threshold = math.log(1.0 / case.delta)
        seen = case.points, case.tally, case.fit
        enough = math.inf if case.whole else threshold
        found = case.wealth.weigh(*seen, posed.alternatives, enough) if posed else None
        if posed is None or found is None:
            return Reading.of_nothing(threshold)
        # Unless all alternatives were looked at, nothing is claimed.
        p_value = math.exp(min(0.0, -found.least)) if found.whole else 1.0
        return Reading(posed.answer, found.least, threshold, p_value, found.rival)


@rule
@dataclass(frozen=True)
class Evidence(Forecast):
    """``inf over Alt log M > log(1/delta)``."""

    name = "evidence"
    bets = True
