"""A form to begin a study from a table: a preview, the model in words, and how many trials to expect."""

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from logts.server.access import Manager, Served
from logts.server.errors import as_fields, mistakes
from logts.server.pages.form import Filled, read_form
from logts.server.pages.render import address, page
from logts.server.pages.route import PageRoute, problem_of
from logts.server.routes.plans import plan
from logts.server.routes.studies import create
from logts.server.studies import Studies
from logts.server.tokens import Caller

router = APIRouter(route_class=PageRoute)
# What the command line says of its options, as it is said of the form's.
CALLED = {
    "say --names ": "let the options be named by ",
    "leave --additive out": "choose no model",
    "choose columns with --formula": "write a formula",
    "(--names COLUMN)": "(Options are named by)",
}


@router.get("/new")
def form(request: Request, caller: Manager) -> Response:
    """An empty form."""
    return _page(request, Filled())


@router.post("/new")
async def fill(request: Request, studies: Served, caller: Manager) -> Response:
    """Look at what was filled in, plan it, or begin it: as the button says."""
    limit = request.app.state.limits.body
    sent = await request.form(max_files=1, max_fields=50, max_part_size=limit)
    filled = Filled()
    try:
        filled = await read_form(sent, request.app.state.limits)
        return await run_in_threadpool(_do, request, studies, caller, filled, sent)
    except Exception as error:  # a sentence beside the form, with all that was typed in it
        status, said = await problem_of(request, error)
        said = on_form(str(error)) if status == 422 and type(error) is ValueError else said
        return await run_in_threadpool(_page, request, filled, status, wrong=said)
    finally:
        await sent.close()


def _do(request: Request, studies: Studies, caller: Caller, filled: Filled, sent: FormData) -> Response:
    match sent.get("do", "look"):
        case "plan":
            return _page(request, filled, plan=plan(request, caller, filled.to_plan()))
        case "begin":
            made = create(request, studies, caller, filled.to_study())
            studies.open(made["study"]).note("model", {"words": made["model"]})  # for its page
            return RedirectResponse(address(request, "studies", made["study"]), 303)
        case _:
            return _page(request, filled)


def _page(request: Request, filled: Filled, status: int = 200, **known: object) -> Response:
    said = {"wrong": "", "plan": None} | known
    try:
        filled.look(request.app.state.limits)
    except (ValueError, RequestValidationError) as error:
        if not said["wrong"] and filled.table.strip():
            words = mistakes(error) if isinstance(error, RequestValidationError) else on_form(str(error))
            said["wrong"], status = words, 422
    return page(request, "new.html", status, form=filled, **said)


def on_form(text: str) -> str:
    """A mistake in the words of the form."""
    for command, here in CALLED.items():
        text = text.replace(command, here)
    return as_fields(text)
