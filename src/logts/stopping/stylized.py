"""The rule of most papers' experiments, ``log((1 + log t)/delta)`` on the exact likelihood ratio. **No proof.**

Garivier and Kaufmann (2016), "Optimal Best Arm Identification with Fixed Confidence".
"""

import math
from dataclasses import dataclass

from logts.stopping.base import Reading, State, nothing
from logts.stopping.likelihood import largest_alternative


@dataclass(frozen=True)
class Stylized:
    """``L(fit) - sup over Alt L > log((1 + log t)/delta)``; unproven, for comparison."""

    name: str = "stylized"
    proven: bool = False
    assumes: str = "nothing that would make it a guarantee: this threshold has no proof"

    def read(self, state: State) -> Reading:
        slack = math.log(1.0 + math.log(max(state.total, 1.0)))
        threshold = slack + math.log(1.0 / state.delta)
        posed = state.pose(state.fit.theta) if state.fit.proven else None
        found = largest_alternative(state.points, state.trials, state.successes, state.fit, posed[1]) if posed else None
        if posed is None or found is None:
            return nothing(threshold)
        ratio = state.fit.log_likelihood - found[0]
        return Reading(posed[0], ratio, threshold, math.exp(min(0.0, slack - ratio)), found[1])
