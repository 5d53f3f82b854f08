"""The page of a study: what would convince a colleague."""

import time

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from logts.server.access import Manageable, Readable
from logts.server.pages.render import address, page
from logts.server.pages.route import PageRoute
from logts.server.pages.shown import shown_of
from logts.study.facts import archive, archived

router = APIRouter(route_class=PageRoute)


@router.get("/studies/{name}")
def study_page(request: Request, study: Readable) -> Response:
    """How a study stands: the answer first, then what it rests on."""
    return page(request, "study.html", study=study.name, shown=shown_of(study), now=time.time())


@router.post("/studies/{name}/archive")
def put_away(request: Request, study: Manageable) -> Response:
    """Put a study away, or take it out again."""
    archive(study, not archived(study))
    return RedirectResponse(address(request, "studies", study.name), 303)
