"""A route whose mistakes are pages: what programs get as a problem, people get as a sentence on a page."""

import json
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlencode

from fastapi import HTTPException, Request
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse, Response

from logts.server.pages.render import page


class PageRoute(APIRoute):
    """Answers exceptions with a page; who needs a token is sent to where one can be given."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer = super().get_route_handler()

        async def with_pages(request: Request) -> Response:
            try:
                return await answer(request)
            except Exception as error:
                if isinstance(error, HTTPException) and error.status_code == 401:
                    return _to_sign_in(request)
                status, said = await problem_of(request, error)
            return page(request, "error.html", status, code=status, said=said.partition(": GET ")[0])

        return with_pages


def _to_sign_in(request: Request) -> Response:
    prefix = request.app.state.settings.prefix
    path = request.scope["path"].removeprefix(prefix)
    back = f"?{urlencode({'to': path})}" if path != "/" else ""
    return RedirectResponse(f"{prefix}/sign-in{back}", 303)


async def problem_of(request: Request, error: Exception) -> tuple[int, str]:
    """The status and the sentence with which the interface would answer an exception."""
    handlers = request.app.exception_handlers
    handler = next(handlers[kind] for kind in type(error).__mro__ if kind in handlers)
    problem: Response = await handler(request, error)
    return problem.status_code, str(json.loads(bytes(problem.body))["detail"])
