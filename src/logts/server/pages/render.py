"""Templates, and what all of them know."""

import time
from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from logts._version import __version__
from logts.server.tokens import ANYBODY, Role

TEMPLATES = Environment(
    loader=PackageLoader("logts.server.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def whole(number: float) -> str:
    """A whole number: ``12,345``."""
    return f"{number:,.0f}"


def rough(number: float) -> str:
    """Two digits of a number of trials: no more are known."""
    return f"{float(f'{max(1.0, number):.2g}'):,.0f}"


def share(part: float) -> str:
    """A part of all, or a rate, in percent; a small one with another digit."""
    return f"{100 * part:.2f}%" if 0.0 < part < 0.1 else f"{100 * part:.1f}%"


def moment(seconds: float) -> str:
    """A time, as one writes it."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


TEMPLATES.filters |= {"whole": whole, "rough": rough, "share": share, "moment": moment}


def address(request: Request, *parts: str) -> str:
    """An address here, each part of it quoted, so that no name can lead astray."""
    return "/".join([request.app.state.settings.prefix, *(quote(part, safe="") for part in parts)])


def page(request: Request, template: str, status: int = 200, **known: Any) -> HTMLResponse:
    """A page from a template. All that is ``known`` is escaped where it is shown."""
    nobody_known = 0 if request.app.state.tokens.needed else ANYBODY.role  # as where one signs in
    role = getattr(getattr(request.state, "caller", None), "role", nobody_known)
    shared = {
        "url": partial(address, request),
        "version": __version__,
        "signed_in": bool(getattr(request.state, "token", "")),
        "may_answer": role >= Role.ANSWER,
        "may_manage": role >= Role.MANAGE,
    }
    return HTMLResponse(TEMPLATES.get_template(template).render(shared | known), status)
