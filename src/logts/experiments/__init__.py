"""Experiments to repeat: instances of the field, the paper's tables and figures, a league of policies, recorded data."""
