"""Append-only journals of events: the truth about a study. This needs SQLAlchemy."""

from logts.journal.base import Event, Journal, JournalError, TakenError
from logts.journal.sql import Database, SqlJournal, rescue

__all__ = ["Database", "Event", "Journal", "JournalError", "SqlJournal", "TakenError", "rescue"]
