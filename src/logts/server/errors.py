"""Whatever goes wrong, as a sentence that says what to do: ``application/problem+json`` (RFC 9457)."""

import json
import logging
import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from logts.journal import JournalError, TakenError
from logts.server.studies import UnknownStudyError
from logts.study.refused import RefusedError, UnknownTrialError

LOG = logging.getLogger("logts.server")
KIND = "application/problem+json"
MOST = 5  # mistakes of a body that are listed

# What may come back from every route, with an example of what it says.
EXAMPLES: dict[int, str] = {
    400: "the body could not be read: send JSON",
    401: "a token is needed: send it as 'Authorization: Bearer logts_...'",
    403: "this token may read; to tell outcomes takes the role answer",
    404: "there is no study called 'headlines': GET /api/studies lists them",
    405: "this address knows no PUT",
    409: "trial 17 was told yes before, now no: the first outcome stands",
    413: "a request has at most 8,000,000 bytes: send less at a time",
    422: "ids: give a list of whole numbers, as ask gave them",
    429: "at most 2,000 requests a second: wait a moment, then go on",
    503: "studies.db: the disk refused: it may be full. Nothing acknowledged is lost: make room",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What else may come back from a route, for its ``responses``."""
    return {status: {"description": HTTPStatus(status).phrase} for status in statuses}


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """An error as it is sent."""
    title = HTTPStatus(status).phrase
    said = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return Response(json.dumps(said), status, headers, media_type=KIND)


def add_handlers(app: FastAPI) -> None:
    """Let an application answer every exception with a problem."""

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        if (
            error.status_code == 401
            and getattr(request.scope.get("route"), "include_in_schema", True) is False
        ):
            return RedirectResponse(f"{request.app.state.settings.prefix}/sign-in", 303)  # it is a page
        headers = dict(error.headers) if error.headers else None
        return problem(error.status_code, str(error.detail), headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return problem(422, mistakes(error))

    @app.exception_handler(UnknownStudyError)
    @app.exception_handler(UnknownTrialError)
    async def unknown(_: Request, error: ValueError) -> Response:
        return problem(404, str(error))

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> Response:
        return problem(409, str(error), **error.about)

    @app.exception_handler(TakenError)
    async def taken(_: Request, error: TakenError) -> Response:
        return problem(409, str(error))

    @app.exception_handler(ValueError)
    async def wrong(_: Request, error: ValueError) -> Response:
        return problem(422, as_fields(str(error)))

    @app.exception_handler(JournalError)
    async def journal(_: Request, error: JournalError) -> Response:
        LOG.error("journal", extra={"said": {"error": str(error)}})
        return problem(503, str(error), {"Retry-After": "1"})

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> Response:
        LOG.error("unexpected", exc_info=error)
        return problem(500, "something went wrong here that should not: the server's log says what")


def mistakes(error: RequestValidationError) -> str:
    """The mistakes of a request in a sentence."""
    said = [_mistake(one) for one in error.errors()]
    more = f"; and {len(said) - MOST} more" if len(said) > MOST else ""
    return "; ".join(said[:MOST]) + more


def _mistake(one: dict[str, Any]) -> str:
    """A mistake of a request: where, and what was wanted."""
    where = ".".join(str(part) for part in one["loc"] if part not in ("body", "query", "path"))
    what = str(one["msg"]).removeprefix("Value error, ")
    if one["type"] == "extra_forbidden":
        what = "there is no such field; /api/openapi.json lists those that there are"
    return f"{where}: {what}" if where else what


def as_fields(text: str) -> str:
    """What the command line calls ``--names`` is a field called names here."""
    return re.sub(r"(?<![\w-])--(?=[a-z])", "", text)
