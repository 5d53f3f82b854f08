"""What stands in the place of the model where every arm has a parameter of its own, and there is none."""

from logts.arms import Arms
from logts.evidence.tally import Tally
from logts.judge.with_model import WithModel
from logts.stopping import StoppingRule


class NoModel(WithModel):
    """Knows the rule, and nothing else: whoever has no model asks the other witness."""

    _kept = ()  # type: ignore[assignment]  # nothing changes, where the model keeps three things

    def __init__(self, arms: Arms, rule: StoppingRule) -> None:
        self.arms = arms
        self.rule = rule
        self.assumes = rule.assumes

    def learn(self, known: Tally) -> None:
        """There are no forecasts to sharpen."""
