"""Who calls, and whether they may: the dependencies that every route has."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from logts.server.studies import Studies
from logts.server.tokens import ANYBODY, Caller, Role, Tokens
from logts.study import Study

COOKIE = "logts_token"
WANTED = {"WWW-Authenticate": "Bearer"}
DOES = {
    Role.READ: "to read",
    Role.ANSWER: "to ask for trials and tell outcomes",
    Role.MANAGE: "to begin and archive studies",
}


def studies_of(request: Request) -> Studies:
    """The studies that are served."""
    found: Studies = request.app.state.studies
    return found


async def who(request: Request) -> Caller:
    """Who calls: by a bearer token, or by the cookie of a browser that signed in."""
    tokens: Tokens = request.app.state.tokens
    if not tokens.fresh:
        await run_in_threadpool(tokens.refresh)
    if not tokens.needed:
        return ANYBODY
    given = token_of(request)
    if not given:
        raise HTTPException(401, "a token is needed: send it as 'Authorization: Bearer logts_...'", WANTED)
    caller = tokens.find(given)
    if caller is None:
        request.app.state.pace.guess(request)
        raise HTTPException(401, "this token is not valid: it may have been revoked, or be over", WANTED)
    request.state.token = caller.token
    request.state.caller = caller
    return caller


def token_of(request: Request) -> str:
    """The token that came with a request; empty if there is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")


Who = Annotated[Caller, Depends(who)]


def needs(role: Role) -> Callable[[Caller], Awaitable[Caller]]:
    """A dependency: the caller, if their role suffices."""

    async def permitted(caller: Who) -> Caller:
        if caller.role < role:
            raise HTTPException(
                403,
                f"this token may only {caller.role.name.lower()}; {DOES[role]} takes the role "
                f"{role.name.lower()}",
            )
        return caller

    return permitted


def study_for(role: Role) -> Callable[[Request, str, Caller], Awaitable[Study]]:
    """A dependency: the study that the address names, if the caller may do this with it."""

    async def permitted(
        request: Request, name: str, caller: Annotated[Caller, Depends(needs(role))]
    ) -> Study:
        if not caller.sees(name):
            raise HTTPException(403, "this token is for other studies")
        studies = studies_of(request)
        study = studies.seen(name)
        return await run_in_threadpool(studies.open, name) if study is None else study

    return permitted


Readable = Annotated[Study, Depends(study_for(Role.READ))]
Answerable = Annotated[Study, Depends(study_for(Role.ANSWER))]
Manageable = Annotated[Study, Depends(study_for(Role.MANAGE))]
Reader = Annotated[Caller, Depends(needs(Role.READ))]
Manager = Annotated[Caller, Depends(needs(Role.MANAGE))]
Served = Annotated[Studies, Depends(studies_of)]
