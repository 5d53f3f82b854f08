"""The experiments of the paper, section 7, with the paper's figures beside ours.

Ochoa Rivera and Tewari, "Near Optimal Pure Exploration in Logistic Bandits".
"""

from logts.experiments.paper.experiments import EXPERIMENTS, Experiment
from logts.experiments.paper.report import write_report
from logts.experiments.paper.runs import Cell, Row, campaign

__all__ = ["EXPERIMENTS", "Cell", "Experiment", "Row", "campaign", "write_report"]
