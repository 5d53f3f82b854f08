"""What a look at the evidence finds."""

from dataclasses import dataclass

from logts.judge.second_opinion import Opinion
from logts.judge.verdict import Verdict
from logts.stopping import Reading
from logts.tools.algebra import Array


@dataclass(frozen=True)
class Finding:
    """What a look found.

    Attributes
    ----------
    reading, estimate
        The evidence that counts, and the rule's estimate.
    verdict
        If it suffices.
    opinion, doubt
        Where a model is watched: what the options' own outcomes say, and how likely it is that it is wrong.
    """

    reading: Reading
    estimate: Array | None = None
    verdict: Verdict | None = None
    opinion: Opinion | None = None
    doubt: float = 0.0
