"""Plans: what the model is, and how many trials to expect, before a study begins."""

import contextlib
import threading
from typing import Any

from fastapi import APIRouter, HTTPException, Request

from logts.arms import Arms
from logts.planning import Plan, world_with_effect
from logts.planning import plan as make_plan
from logts.reports.plan_facts import facts_of, prices_in_words
from logts.server import schemas
from logts.server.access import Manager
from logts.server.options import choice_of, options_of, question_of, rows_of
from logts.tables import other_way

router = APIRouter(tags=["plans"])
ONE = threading.Lock()  # a plan takes a whole core: one at a time


@router.post("/options")
def options(request: Request, caller: Manager, body: schemas.Options) -> dict[str, Any]:
    """The options of a table and the model in words, as `logts plan` shows them; nothing is begun."""
    found = options_of(body, request.app.state.limits)
    question_of(body.question)
    return {"model": found.words, "options": list(found.arms.names), "dimension": found.arms.dimension}


@router.post("/plan")
def plan(request: Request, caller: Manager, body: schemas.PlanOf) -> dict[str, Any]:
    """How many trials to expect of a study of these options, with the model and without one."""
    limits = request.app.state.limits
    rows = rows_of(body, limits)
    chosen = options_of(body, limits, rows)
    problem = question_of(body.question)
    other = other_way(rows.values, choice_of(body), [])
    seconds = min(body.seconds, limits.plan_seconds) / (1 if other is None else 2)

    def plan_of(arms: Arms) -> Plan:
        truth = world_with_effect(arms, problem, body.effect)
        return make_plan(arms, problem, truth=truth, delta=body.delta, rng=0, jobs=1, seconds=seconds)

    if not ONE.acquire(timeout=limits.plan_seconds):
        raise HTTPException(503, "other plans are being made: try again in a moment", {"Retry-After": "5"})
    try:
        found = plan_of(chosen.arms)
        said = facts_of(found) | {"model": chosen.words, "headline": found.headline, "prices": []}
        with contextlib.suppress(ValueError):  # there the effect has no world, or there is nothing to plan
            if other is not None:
                without = plan_of(other.arms)
                said["prices"] = prices_in_words(choice_of(body), found, without)
                said["other"] = facts_of(without)
    finally:
        ONE.release()
    return said
