"""Templates, and what all of them know."""

from typing import Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from logts._version import __version__

TEMPLATES = Environment(
    loader=PackageLoader("logts.server.pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


def page(request: Request, template: str, status: int = 200, **known: Any) -> HTMLResponse:
    """A page from a template. All that is ``known`` is escaped where it is shown."""
    prefix = request.app.state.settings.prefix

    def url(*parts: str) -> str:
        """An address here: ``url("studies", name)``; each part is quoted, so that no name can lead astray."""
        return "/".join([prefix, *(quote(part, safe="") for part in parts)])

    shared = {"url": url, "version": __version__, "signed_in": bool(getattr(request.state, "token", ""))}
    return HTMLResponse(TEMPLATES.get_template(template).render(shared | known), status)
