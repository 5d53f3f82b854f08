"""Experiments to repeat: instances, the paper's tables and figures, a league of policies, recorded data."""
