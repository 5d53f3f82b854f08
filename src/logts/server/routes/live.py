"""Live updates: server-sent events whose id is the journal's position."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from logts.server.access import Readable

router = APIRouter(tags=["live"])


@router.get("/studies/{name}/live", response_class=EventSourceResponse)
async def live(
    request: Request, study: Readable, last_event_id: Annotated[str | None, Header(max_length=20)] = None
) -> AsyncIterator[ServerSentEvent]:
    """How the study stands, now and whenever its journal grows, as events called ``progress``.

    An event's id is the journal's position. Who lost the connection sends the last one as ``Last-Event-ID``,
    as browsers do by themselves, and hears at once of what came since.
    """
    last = int(last_event_id) if last_event_id and last_event_id.isdecimal() else None
    async for event in request.app.state.live.follow(study, last):
        yield event
