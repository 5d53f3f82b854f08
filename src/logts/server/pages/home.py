"""The list of studies, each with its result or progress."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from logts.judge import percent
from logts.server.access import Reader, Served
from logts.server.pages.render import page
from logts.server.pages.route import PageRoute
from logts.server.routes.studies import list_studies

router = APIRouter(route_class=PageRoute)
MOST = 30  # studies on a page


@router.get("/")
def home(
    request: Request,
    studies: Served,
    caller: Reader,
    archived: bool = False,
    first: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> Response:
    """The studies, the newest first."""
    listed = list_studies(studies, caller, "true" if archived else "false", first, MOST)
    for said in listed["studies"]:
        said["sure"] = percent(said.get("confidence", 0.0))
    return page(request, "home.html", archived=archived, first=first, **listed)
