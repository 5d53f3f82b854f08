"""The description of the interface: every status that can come back, with an example."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from logts.server.errors import EXAMPLES, KIND
from logts.server.examples import ANSWERS

EVERYWHERE = (400, 401, 403, 422, 429, 503)
PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong, in a sentence that says what to do (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}


def describe(app: FastAPI) -> None:
    """Let an application describe itself like this."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            said = get_openapi(title=app.title, version=app.version, description=ABOUT, routes=app.routes)
            said["components"].setdefault("schemas", {})["Problem"] = PROBLEM
            said["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            said["security"] = [{"token": []}]
            for address, path in said["paths"].items():
                for method, operation in path.items():
                    _add_answer(operation, method, address)
                    _add_problems(operation, address)
            for name in ("HTTPValidationError", "ValidationError"):
                said["components"]["schemas"].pop(name, None)
            app.openapi_schema = said
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to change it


def _add_answer(operation: dict[str, Any], method: str, address: str) -> None:
    example = ANSWERS.get((method, address))
    if example is not None:
        (well,) = [status for status in operation["responses"] if int(status) < 300]
        operation["responses"][well]["content"]["application/json"]["example"] = example


def _add_problems(operation: dict[str, Any], address: str) -> None:
    responses = operation["responses"]
    more = {413} if "requestBody" in operation else set()
    more |= {404} if "{name}" in address else set()
    declared = [int(status) for status in responses if int(status) >= 400]
    for status in sorted({*EVERYWHERE, *declared, *more}):
        title = HTTPStatus(status).phrase
        example = {"type": "about:blank", "title": title, "status": status, "detail": EXAMPLES[status]}
        schema = {"$ref": "#/components/schemas/Problem"}
        responses[str(status)] = {
            "description": title,
            "content": {KIND: {"schema": schema, "example": example}},
        }


ABOUT = (
    "Studies that find the best option from yes/no outcomes: begin one, ask for trials, tell their outcomes, "
    "and read the verdict."
)
