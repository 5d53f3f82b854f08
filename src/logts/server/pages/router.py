"""The pages, and the way in with a token."""

import re
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from logts.server.access import COOKIE
from logts.server.pages import answer, begin, home, study
from logts.server.pages.render import page
from logts.server.tokens import Tokens

router = APIRouter(include_in_schema=False)
for part in (home, study, answer, begin):
    router.include_router(part.router)
WEEK = 7 * 86400
STATIC = files("logts.server.pages").joinpath("static")
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGES = re.compile(r"/(new|studies/[^/\\?#\s]+(/answer)?)?")  # where signing in may lead


@router.get("/sign-in")
def ask_token(request: Request, to: Annotated[str, Query(max_length=1000)] = "/") -> Response:
    """A form for a token."""
    return page(request, "sign_in.html", wrong=False, to=to)


@router.post("/sign-in")
async def sign_in(
    request: Request,
    token: Annotated[str, Form(max_length=200)],
    to: Annotated[str, Form(max_length=1000)] = "/",
) -> Response:
    """Keep a token in a cookie that no script can read and that no other site can send."""
    tokens: Tokens = request.app.state.tokens
    await run_in_threadpool(tokens.refresh)
    if tokens.find(token.strip()) is None:
        request.app.state.pace.guess(request)
        return page(request, "sign_in.html", 401, wrong=True, to=to)
    prefix = request.app.state.settings.prefix
    answer = RedirectResponse(f"{prefix}{to if PAGES.fullmatch(to) else '/'}", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(
        COOKIE, token.strip(), WEEK, path=prefix or "/", httponly=True, samesite="strict", secure=secure
    )
    return answer


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """Forget the token."""
    prefix = request.app.state.settings.prefix
    answer = RedirectResponse(f"{prefix}/sign-in", 303)
    answer.delete_cookie(COOKIE, path=prefix or "/", httponly=True, samesite="strict")
    return answer


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Style and script: files of ours by name, and nothing else."""
    found = {file.name: file for file in STATIC.iterdir() if file.is_file()}.get(name)
    kind = KINDS.get(name[name.rfind(".") :])
    if found is None or kind is None:
        raise HTTPException(404, f"there is no file {name!r}")
    return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})
