"""The application: what is served, made from settings alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from logts._version import __version__
from logts.server import metrics, pages
from logts.server.access import needs, studies_of
from logts.server.errors import add_handlers
from logts.server.gate import Gate
from logts.server.live import Live
from logts.server.openapi import describe
from logts.server.pace import Pace
from logts.server.routes import router
from logts.server.settings import Settings
from logts.server.studies import Studies
from logts.server.together import Together
from logts.server.tokens import Role, Tokens
from logts.study.warm import warm


def make_app(settings: Settings) -> FastAPI:
    """An application that serves the studies of a database."""
    app = FastAPI(
        title="logts",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
        },  # it costs a tenth, and there is /metrics
    )
    state = app.state
    state.settings = settings
    state.limits = settings.limits
    state.metrics = metrics.Metrics()
    state.pace = Pace(settings.limits)
    state.studies = Studies(settings.db)
    state.tokens = Tokens(state.studies.store)
    state.tokens.refresh()
    if not settings.loopback and not state.tokens.needed:
        raise ValueError(
            f"{settings.host} can be reached from other machines, so callers need a token: make the first "
            "one with 'logts token make', or listen at 127.0.0.1"
        )
    state.together = Together(state.metrics)
    state.live = Live(state.metrics)
    add_handlers(app)
    app.include_router(router)
    app.include_router(pages.router)
    app.add_api_route("/healthz", health, tags=["server"])
    app.add_api_route("/metrics", numbers, tags=["server"], response_class=PlainTextResponse)
    app.add_middleware(Gate, settings=settings, tokens=state.tokens, pace=state.pace, metrics=state.metrics)
    describe(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Nobody is answered before compiled code is warm; what was begun is finished before the end."""
    await run_in_threadpool(warm)
    yield
    app.state.live.close()
    await app.state.together.finish()
    await run_in_threadpool(app.state.studies.close)


def health(request: Request) -> dict[str, str]:
    """Whether the server answers, and its database does."""
    studies_of(request).names()
    return {"status": "ok"}


def numbers(request: Request, caller: Annotated[Any, Depends(needs(Role.READ))]) -> Response:
    """Counts and times of this process, for Prometheus."""
    if caller.studies is not None:
        raise HTTPException(403, "this token is for some studies only")
    text = request.app.state.metrics.text(open_studies=len(studies_of(request)))
    return Response(text, media_type=metrics.KIND)
