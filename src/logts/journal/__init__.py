"""Append-only journals of events, the truth about studies, and the stores that keep them: one file each.

A store is found by the scheme of its URL; to add one is to write its file, here or anywhere that is imported.
"""

from logts.journal.base import (
    STORES,
    Decide,
    Event,
    Journal,
    JournalError,
    Saved,
    Snapshots,
    Store,
    TakenError,
    open_store,
    to_line,
)
from logts.journal.sql import rescue
from logts.tools.registry import discover

__all__ = [
    "STORES",
    "Decide",
    "Event",
    "Journal",
    "JournalError",
    "Saved",
    "Snapshots",
    "Store",
    "TakenError",
    "open_store",
    "rescue",
    "to_line",
]

discover(__name__, __path__)
