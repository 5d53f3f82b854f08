"""Studies: begin, list, read, archive."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request

from logts.journal import JournalError
from logts.server import schemas
from logts.server.access import Manageable, Manager, Readable, Reader, Served
from logts.server.errors import errors
from logts.server.options import options_of, question_of
from logts.study import Study
from logts.study.facts import archive, archived, progress_of

router = APIRouter(tags=["studies"])
Put = Literal["false", "true", "any"]
LOOKED = 1_000  # studies that are looked at for a list


@router.get("/studies")
def list_studies(
    studies: Served,
    caller: Reader,
    archived: Annotated[Put, Query(description="Those that were put away instead, or any.")] = "false",
    first: Annotated[int, Query(ge=0, le=2**31, description="How many to leave out.")] = 0,
    most: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    """The studies that the caller may see, the newest first, each with how far it is.

    If there may be more, ``next`` is what to give as ``first`` for them.
    """
    names = [name for name in reversed(studies.names()) if caller.sees(name)]
    listed: list[dict[str, Any]] = []
    at = first
    while at < min(len(names), first + LOOKED) and len(listed) < most:
        try:
            said = progress_of(studies.open(names[at]))
        except (JournalError, ValueError) as error:  # one that cannot be opened does not hide the others
            said = {"study": names[at], "error": str(error), "archived": False}
        if archived == "any" or said["archived"] == (archived == "true"):
            listed.append(said)
        at += 1
    return {"studies": listed, "all": len(names), "next": at if at < len(names) else None}


@router.post("/studies", status_code=201, responses=errors(404, 409))
def create(request: Request, studies: Served, caller: Manager, body: schemas.NewStudy) -> dict[str, Any]:
    """Begin a study of the options of a table, one row each."""
    if not caller.sees(body.name):
        raise HTTPException(403, "this token is for other studies")
    limits = request.app.state.limits
    if len(studies.names()) >= limits.studies:
        raise HTTPException(409, f"there are {limits.studies:,} studies, as many as this server permits")
    options = options_of(body, limits)
    after = None
    if body.after is not None:
        if not caller.sees(body.after):
            raise HTTPException(403, "this token is for other studies")
        after = studies.open(body.after)
    budget: dict[str, Any] = {} if body.max_trials is None else {"max_trials": body.max_trials}
    made = Study.create(
        request.app.state.settings.db,
        body.name,
        arms=options.arms,
        problem=question_of(body.question),
        delta=body.delta,
        lease=body.lease,
        rng=body.seed,
        after=after,
        guard=body.guard,
        **budget,
    )
    made.close()
    return described(studies.open(body.name)) | {"model": options.words}


@router.get("/studies/{name}")
def read(study: Readable) -> dict[str, Any]:
    """What is studied, and how far it is."""
    return described(study)


@router.post("/studies/{name}/archive")
def put_away(study: Manageable, body: schemas.Archive) -> dict[str, Any]:
    """Put a study away, or take it out again. Nothing is lost; while it is away nobody can ask."""
    if archived(study) != body.archived:
        archive(study, body.archived)
    return progress_of(study)


def described(study: Study) -> dict[str, Any]:
    """What is studied, and how far it is."""
    created = study.created
    kept = {name: created[name] for name in ("delta", "policy", "settings", "lease", "problem")}
    return progress_of(study) | kept | {"options": list(study.arms.names), "dimension": study.arms.dimension}
