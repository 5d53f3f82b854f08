"""Trials: ask for some, tell their outcomes, give them up or back."""

import numpy as np
from fastapi import APIRouter, HTTPException, Request

from logts.policies.ledger import checked_outcomes
from logts.server import schemas
from logts.server.access import Answerable, Who
from logts.server.errors import errors
from logts.study import Study
from logts.study.facts import archived, ended
from logts.study.trial import Wanted, numbers_of

router = APIRouter(tags=["trials"])


@router.post("/studies/{name}/ask", responses=errors(409))
async def ask(request: Request, study: Answerable, caller: Who, body: schemas.Ask) -> schemas.Asked:
    """Trials to make: those of this ``caller`` that are open, those whose lease is over, then new ones."""
    most = request.app.state.limits.trials
    if body.n > most:
        raise HTTPException(422, f"n: ask for at most {most:,} trials at a time; got {body.n:,}")
    if archived(study):
        raise HTTPException(409, "this study is archived: take it out again to go on")
    keeps = body.caller is not None
    worker = f"caller {body.caller}" if keeps else f"token {caller.token}" if caller.token else "server"
    wanted = Wanted(body.n, worker, body.lease, body.up_to, keeps)
    trials = await request.app.state.together.ask(study, wanted)
    listed = [
        schemas.Trial(id=trial.id, option=trial.arm, number=trial.number, columns=dict(trial.columns))
        for trial in trials
    ]
    return schemas.Asked(trials=listed, ended=ended(study))


@router.post("/studies/{name}/tell", responses=errors(409))
async def tell(request: Request, study: Answerable, body: schemas.Tell) -> schemas.Done:
    """Outcomes by id, all or none of them; they are on disk on return.

    To tell the same outcome again is harmless; another one for the same trial is a 409 that names both.
    """
    ids = numbers_of(body.ids)
    outcomes = checked_outcomes(np.atleast_1d(body.outcomes), len(ids))
    await request.app.state.together.tell(study, (ids, outcomes))
    return _done(study)


@router.post("/studies/{name}/abandon", responses=errors(409))
def abandon(study: Answerable, body: schemas.Abandon) -> schemas.Done:
    """Give up trials that will never have an outcome, for a reason that has nothing to do with it."""
    study.abandon(body.ids, body.reason)
    return _done(study)


@router.post("/studies/{name}/release", responses=errors(409))
def release(study: Answerable, body: schemas.Release) -> schemas.Done:
    """Give trials back: the next to ask gets them."""
    study.release(body.ids)
    return _done(study)


@router.post("/studies/{name}/counts")
def counts(study: Answerable, body: schemas.Counts) -> schemas.Done:
    """Trials of one option of which only the numbers are known. Each call counts, a repeated one as well."""
    study.tell_counts(body.option, body.successes, body.trials)
    return _done(study)


@router.post("/studies/{name}/history")
def history(study: Answerable, body: schemas.History) -> schemas.Done:
    """Outcomes from before the study: they sharpen forecasts and are no evidence."""
    study.tell_history(body.options, body.outcomes)
    return _done(study)


@router.post("/studies/{name}/notes", responses=errors(409))
def note(study: Answerable, body: schemas.Note) -> schemas.Done:
    """Write down what is worth knowing; it is no evidence."""
    study.note(body.about, body.said)
    return _done(study)


def _done(study: Study) -> schemas.Done:
    return schemas.Done(position=study.position)
