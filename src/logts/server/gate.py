"""The gate that every request goes through: host, origin, size and pace; then headers, metrics, a log."""

import time
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from logts.server.access import token_of
from logts.server.errors import problem
from logts.server.log import log_request
from logts.server.metrics import Metrics
from logts.server.pace import Pace
from logts.server.settings import Settings
from logts.server.tokens import Tokens

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SAFE = {"GET", "HEAD", "OPTIONS"}
# Nothing from elsewhere, no script in a page, no frame around it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Forms say where they come from by it: without any, browsers send that they come from nowhere.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Gate:
    """Refuses what no route should see, and notes what came of the rest.

    Parameters
    ----------
    app, settings
        What answers, and within which limits.
    tokens
        Without any, only names of this machine are answered: a page elsewhere may call itself by an address
        here (DNS rebinding), but not send that it does.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, tokens: Tokens, pace: Pace, metrics: Metrics
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._prefix = settings.prefix
        self._limits = settings.limits
        self._pace = pace
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                message["headers"] = headers.raw
            await send(message)

        scope.setdefault("state", {})
        if self._prefix:  # whether or not the proxy has taken it off
            scope["root_path"] = self._prefix
            if not f"{scope['path']}/".startswith(f"{self._prefix}/"):
                scope["path"] = self._prefix + scope["path"]
        try:
            refused = self._refused(scope)
            if refused is not None:
                await problem(*refused)(scope, receive, noted)
            else:
                await self._app(scope, self._measured(receive), noted)
        finally:
            seconds = time.perf_counter() - begun
            self._metrics.request(_route(scope, self._prefix), scope["method"], status, seconds)
            log_request(scope, status, seconds)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """The status and sentence with which a request is turned away."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._tokens.needed and _name(host) not in LOOPBACK:
            return 400, f"this server answers to {', '.join(sorted(LOOPBACK))} only, unless a token is made"
        if scope["method"] not in SAFE and _cross_origin(headers, host):
            return 403, "requests from pages of other sites are refused"
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limits.body:
            return 413, self._too_large
        reason = self._pace.request(_caller(scope, self._tokens))
        return (429, reason) if reason else None

    def _measured(self, receive: Receive) -> Receive:
        """What is received, up to the limit: a body in chunks does not say how long it is."""
        seen = 0

        async def measured() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limits.body:
                raise HTTPException(413, self._too_large)
            return message

        return measured

    @property
    def _too_large(self) -> str:
        return f"a request has at most {self._limits.body:,} bytes: send less at a time"


def _name(host: str) -> str:
    """A host without its port."""
    return (urlsplit(f"//{host}").hostname or "") if "]" in host or host.count(":") <= 1 else host


def _cross_origin(headers: Headers, host: str) -> bool:
    """Whether a page of another site sends this: browsers say so, programs send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != host


def _caller(scope: Scope, tokens: Tokens) -> str:
    """Whose pace is meant: that of a valid token, or else of an address: to make one up gains nothing."""
    caller = tokens.find(token_of(Request(scope))) if tokens.needed else None
    if caller is not None:
        return caller.token
    client: Any = scope.get("client")
    return str(client[0]) if client else ""


def _route(scope: Scope, prefix: str) -> str:
    """The path of the route that answered, the same for all studies; a page is not the interface."""
    path: str = getattr(scope.get("route"), "path", "unknown")
    inside = scope["path"].startswith(f"{prefix}/api/") and not path.startswith("/api/")
    return f"/api{path}" if inside and path != "unknown" else path
