"""Seeded, without deadlines: the first example compiles code."""

from hypothesis import settings

settings.register_profile("logts", derandomize=True, deadline=None)
settings.load_profile("logts")
