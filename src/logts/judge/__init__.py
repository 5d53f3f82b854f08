"""Whether the evidence suffices, with the model and without it, and what the answer is."""

from logts.judge.finding import Finding
from logts.judge.judge import Judge
from logts.judge.second_opinion import Opinion
from logts.judge.trust import Trust
from logts.judge.verdict import Progress, Verdict, percent

__all__ = ["Finding", "Judge", "Opinion", "Progress", "Trust", "Verdict", "percent"]
