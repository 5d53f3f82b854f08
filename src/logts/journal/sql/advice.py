"""Errors of a database as sentences: what went wrong, and what to do."""

from logts.journal.sql.link import PATIENCE

# What SQLite says of a file that was whole once.
DAMAGE = ("malformed", "short read", "decode", "no such", "unsupported file", "syntax error", "encoding")


def advice(error: Exception, is_file: bool, where: str) -> str:
    """What is said about an error of the driver."""
    said = str(getattr(error, "orig", error)).strip()
    if "not a database" in said:
        return (
            "this is not a database file, so not a study of logts either. Check the name; the file was not "
            f"touched. If it was one, its beginning is damaged; then try: {rescue(where)}"
        )
    if "disk I/O" in said:
        return (
            f"the disk refused ({said}): it may be full, over a quota, or the file damaged. Nothing "
            "acknowledged is lost: make room"
        )
    if is_file and any(sign in said for sign in DAMAGE):
        return damaged(said, where)
    if "locked" in said:
        return (
            f"another process has been writing for more than {PATIENCE:.0f} seconds ({said}). Nothing is "
            "lost: try again"
        )
    if "QueuePool" in said:
        return (
            f"all connections of this process were in use for more than {PATIENCE:.0f} seconds. Nothing is "
            "lost: try again"
        )
    if "readonly" in said or "unable to open" in said:
        return f"it cannot be written ({said}): check the permissions of the file and its folder"
    if isinstance(error, ImportError):
        return f"{said}: pip install 'logts[postgresql]'"
    return f"the {'file' if is_file else 'server'} said: {said}"


def damaged(what: str, where: str) -> str:
    """What is said about a database that is damaged."""
    return f"it is damaged ({what}). Keep it, and save what can be read with: {rescue(where)}"


def rescue(where: str) -> str:
    """The command that saves what can be read."""
    return f"logts rescue {where} rescued.db"
