"""The rule of most papers' experiments, ``log((1 + log t)/delta)`` on the exact likelihood ratio. **No proof.**

Garivier and Kaufmann (2016), "Optimal Best Arm Identification with Fixed Confidence".
"""

import math
from dataclasses import dataclass

from logts.evidence.likelihood import weigh
from logts.stopping.base import Reading, State, nothing


@dataclass(frozen=True)
class Stylized:
    """``L(fit) - sup over Alt L > log((1 + log t)/delta)``; unproven, for comparison."""

    name: str = "stylized"
    proven: bool = False
    forecasts: bool = True
    assumes: str = "nothing that would make it a guarantee: this threshold has no proof"

    def read(self, state: State) -> Reading:
        slack = math.log(1.0 + math.log(max(state.total, 1.0)))
        threshold = slack + math.log(1.0 / state.delta)
        found = weigh(state)
        if found is None:
            return nothing(threshold)
        answer, supremum, rival = found
        ratio = state.fit.log_likelihood - supremum
        return Reading(answer, ratio, threshold, math.exp(min(0.0, slack - ratio)), rival)
