"""Stop when every alternative is refuted: the default rule, proven without any bound on theta.

With the forecaster's score ``Q`` and the log-likelihood ``L`` over the same outcomes, Ville's inequality gives
``P(some t: Q - L(theta) >= log 1/delta) <= delta`` for the true theta. So stop when ``sup over Alt L < Q - log(1/delta)``: if the
answer were wrong, theta would lie in Alt and that event would have happened. Valid at any time, for any way of choosing arms.
"""

import math
from dataclasses import dataclass

from logts.evidence.likelihood import weigh
from logts.stopping.base import Reading, State, nothing


@dataclass(frozen=True)
class Evidence:
    """``Q - sup over Alt L > log(1/delta)``."""

    name: str = "evidence"
    proven: bool = True
    forecasts: bool = True
    assumes: str = "independent outcomes whose rates follow the logistic model of these features"

    def read(self, state: State) -> Reading:
        threshold = math.log(1.0 / state.delta)
        found = weigh(state)
        if found is None:
            return nothing(threshold)
        answer, supremum, rival = found
        evidence = state.score - supremum
        return Reading(answer, evidence, threshold, math.exp(min(0.0, -evidence)), rival)
