"""The interface under ``/api``, one file a noun. A route calls a study and nothing else."""

from fastapi import APIRouter

from logts.server.routes import live, plans, standing, studies, trials

router = APIRouter(prefix="/api")
for part in (studies, trials, standing, live, plans):
    router.include_router(part.router)
