"""A person answers yes or no for the option shown. Nothing is asked for before they press a button."""

import re
import secrets
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from logts.judge import percent
from logts.server.access import Answerable
from logts.server.pages.render import address, page
from logts.server.pages.route import PageRoute
from logts.study import Study
from logts.study.facts import archived, progress_of
from logts.study.refused import RefusedError
from logts.study.trial import Trial, Wanted

router = APIRouter(route_class=PageRoute)
COOKIE = "logts_person"  # by which a person keeps the option shown; it says nothing about them
PERSON = re.compile(r"person-[0-9a-f]{16}")
DAY = 86400


@router.get("/studies/{name}/answer")
async def invite(request: Request, study: Answerable) -> Response:
    """What will be asked, and a button to begin."""
    return await _page(request, study, None)


@router.post("/studies/{name}/answer")
async def take(
    request: Request,
    study: Answerable,
    trial: Annotated[int | None, Form(ge=0, le=2**53)] = None,
    outcome: Annotated[str, Form(pattern="^(yes|no|skip|leave|)$")] = "",
) -> Response:
    """Take in an answer, if one came, and show the next option. To send the same again is harmless."""
    said = ""
    if trial is not None and outcome:
        try:
            said = await _note(request, study, trial, outcome)
        except RefusedError as error:  # the lease was over, and somebody else's answer came first
            said = f"{str(error)[0].upper()}{str(error)[1:]}."
    if outcome == "leave":
        return RedirectResponse(address(request, "studies", study.name), 303)
    given = request.cookies.get(COOKIE, "")
    person = given if PERSON.fullmatch(given) else f"person-{secrets.token_hex(8)}"
    trials = []
    if not archived(study):
        wanted = Wanted(1, f"caller {person}", None, None, True)
        trials = list(await request.app.state.together.ask(study, wanted))
    answer = await _page(request, study, trials[0] if trials else None, said=said, begun=True)
    path = request.app.state.settings.prefix or "/"
    answer.set_cookie(COOKIE, person, DAY, path=path, httponly=True, samesite="strict")
    return answer


async def _note(request: Request, study: Study, trial: int, outcome: str) -> str:
    """Write down what a person said; returns what they are told."""
    if outcome in ("yes", "no"):
        told = np.array([trial]), np.array([int(outcome == "yes")], dtype=np.int8)
        await request.app.state.together.tell(study, told)
        return f"Trial {trial + 1:,}: {outcome}."
    if outcome == "skip":
        await run_in_threadpool(study.abandon, trial, "a person could not say")
        return f"Trial {trial + 1:,} was given up."
    await run_in_threadpool(study.release, trial)
    return ""


async def _page(
    request: Request, study: Study, trial: Trial | None, *, said: str = "", begun: bool = False
) -> Response:
    known: dict[str, Any] = {"study": study.name, "trial": trial, "said": said, "begun": begun}
    known["progress"] = await run_in_threadpool(progress_of, study)
    known["sure"] = percent(known["progress"]["confidence"])
    known["pairwise"] = not study.arms.own_items and trial is not None and "second" in trial.columns
    return page(request, "answer.html", **known)
