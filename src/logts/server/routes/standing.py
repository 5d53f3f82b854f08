"""How a study stands: progress, verdict, what is out, what happened."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from logts.journal import to_line
from logts.server.access import Readable
from logts.study.facts import facts, progress_of
from logts.tables import to_csv


class Lines(Response):
    """Lines of JSON."""

    media_type = "application/jsonl"


class Table(Response):
    """A table for spreadsheets."""

    media_type = "text/csv"


router = APIRouter(tags=["standing"])
MOST = 1_000  # trials that are listed


@router.get("/studies/{name}/progress")
def progress(study: Readable) -> dict[str, Any]:
    """How far the study is: what changes with every outcome, in a moment."""
    return progress_of(study)


@router.get("/studies/{name}/standing")
def standing(study: Readable) -> dict[str, Any]:
    """All of how the study stands: the leaders, rates with intervals, what is ruled out, the alarm."""
    return facts(study)


@router.get("/studies/{name}/verdict")
def verdict(study: Readable) -> dict[str, Any]:
    """The verdict with what it rests on; ``verdict`` is null while the study is undecided."""
    found = study.verdict
    said = None if found is None else found.to_json()
    return {"study": study.name, "verdict": said, "summary": study.summary()}


@router.get("/studies/{name}/waiting")
def waiting(study: Readable, most: Annotated[int, Query(ge=1, le=MOST)] = MOST) -> dict[str, Any]:
    """Trials whose outcome is still to come, the earliest first, with who has them and until when."""
    out = study.waiting
    listed = [
        {"id": trial.id, "option": trial.arm, "worker": worker, "until": until}
        for trial, worker, until in out[:most]
    ]
    return {"waiting": len(out), "trials": listed}


@router.get("/studies/{name}/journal", response_class=Lines)
def journal(study: Readable, first: Annotated[int, Query(alias="from", ge=0, le=2**53)] = 0) -> Response:
    """The events of the journal from a position on, a line of JSON each."""
    there = progress_of(study)["position"]
    if first > there:
        raise ValueError(f"the journal has {there:,} events; got from={first}")
    lines = "".join(f"{to_line(event)}\n" for event in study.events(first))
    return Lines(lines)


@router.get("/studies/{name}/trials", response_class=Table)
def trials(study: Readable) -> Response:
    """A row for each trial, as CSV; texts that a spreadsheet would run get an apostrophe."""
    return Table(to_csv(study.to_pandas()))


@router.get("/studies/{name}/report", response_class=HTMLResponse)
def report(study: Readable) -> Response:
    """One page with the verdict, pictures and numbers, to be saved or sent."""
    with tempfile.TemporaryDirectory() as folder:
        text = study.report(Path(folder) / "report.html").read_text(encoding="utf-8")
    # It has a style and pictures within, and no script: nothing else is let in.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
    return HTMLResponse(text, headers={"Content-Security-Policy": policy})
