"""Whether the process lives, and whether it can answer."""

from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from moss_memory.api.circumstances import OPEN, HouseDep, Route
from moss_memory.api.shown import shown
from moss_memory.api.view_shapes import HealthShape
from moss_memory.core.errors import MossError
from moss_memory.flow.ports import House

router = APIRouter(tags=["operations"], route_class=Route, dependencies=OPEN)
OK: Final = "ok"


@router.get("/livez", operation_id="livez")
async def livez() -> dict[str, str]:
    """Say that the process answers; no I/O."""
    return {"status": "alive"}


@router.get(
    "/readyz",
    operation_id="readyz",
    responses={
        200: shown(HealthShape),
        503: shown(HealthShape, "The database cannot be used, or it stops."),
    },
)
def readyz(request: Request, house: HouseDep) -> JSONResponse:
    """Say whether requests can be answered: 200 also where only Redis or the model is down."""
    health = examine(house, draining=request.app.state.draining.asked)
    request.app.state.meter.seen(health["checks"])
    ready = health["status"] != "unready"
    return JSONResponse(health, HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE)


def examine(house: House, *, draining: bool) -> HealthShape:
    """Ask every part how it is; ``checks`` maps it to ok, or to a code that says what is wrong."""
    store = _store(house)
    checks = {**store, "desk": _desk(house), "process": "stopping" if draining else OK}
    if draining or any(state != OK for state in store.values()):
        return {"status": "unready", "checks": checks}
    degraded = any(state != OK for state in checks.values())
    return {"status": "degraded" if degraded else "ready", "checks": checks}


def _store(house: House) -> dict[str, str]:
    try:
        return dict(house.memory.check())
    except MossError as error:
        return {"database": error.code}


def _desk(house: House) -> str:
    try:
        return house.desk.check()
    except MossError as error:
        return error.code
