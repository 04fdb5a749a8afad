"""Who the caller is, what it may do, and its sessions."""

from fastapi import APIRouter
from starlette.responses import JSONResponse

from moss_memory.api.asked import AskedDep
from moss_memory.api.circumstances import GUARDED, Route
from moss_memory.api.view_shapes import ProfileShape
from moss_memory.core.access import access_of

router = APIRouter(tags=["governance"], route_class=Route, dependencies=GUARDED)


@router.get("/me", operation_id="get_me", responses={200: {"model": ProfileShape}})
def me(asked: AskedDep) -> JSONResponse:
    """Say who the credential is, in which zone and language, and what it may reach."""
    caller, house = asked.caller, asked.house
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    access = access_of(caller, standing.grants)
    view: ProfileShape = {
        "tenant_id": caller.tenant_id,
        "principal_id": caller.principal_id,
        "timezone": standing.timezone or house.defaults.timezone,
        "locale": standing.locale or house.defaults.locale,
        "visible_scope_ids": list(access.visible),
        "writable_scope_ids": list(access.writable),
        "read_mode": caller.read_mode,
        "write_mode": caller.write_mode,
        "rights": sorted(caller.rights),
    }
    return JSONResponse(view)
