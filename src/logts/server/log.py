"""A line of JSON for each request and event, to standard error. No secrets: neither tokens nor bodies."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from starlette.types import Scope

LOG = logging.getLogger("logts.server")


class Lines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "said", {}),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said)


def log_to_stderr() -> None:
    """Let the server and what it stands on write such lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for name in ("logts.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False


def log_request(scope: Scope, status: int, seconds: float) -> None:
    """A request that was answered: without its query, in which somebody may have put a secret."""
    client = scope.get("client")
    said = {
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "ms": round(1000.0 * seconds, 1),
        "client": client[0] if client else None,
        "token": scope["state"].get("token"),
    }
    LOG.log(logging.ERROR if status >= 500 else logging.INFO, "request", extra={"said": said})
