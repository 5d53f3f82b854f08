"""Where trials come from: commands and tests behind a gate, evaluations with Inspect. One file each.

Nothing is imported here: each file needs a library of its own.
"""
