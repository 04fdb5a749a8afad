"""What leaves in other forms: namespaces for adapters, and an iCalendar file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from moss_memory.api.asked import AskedDep
from moss_memory.api.circumstances import GUARDED, Route
from moss_memory.api.problems import documents
from moss_memory.api.wire import LimitQuery
from moss_memory.core import errors as refusals
from moss_memory.core.fact import Memory
from moss_memory.flow import profile, reading
from moss_memory.flow.requests import ListRequest

router = APIRouter(tags=["exchange"], route_class=Route, dependencies=GUARDED)

Calendar = Callable[[Sequence[Mapping[str, Any]], str], bytes]
_PAGE = 100


@router.get(
    "/namespaces",
    operation_id="list_namespaces",
    responses=documents(refusals.InvalidCursorError),
)
def namespaces(
    asked: AskedDep,
    prefix: Annotated[str, Query(max_length=512)] | None = None,
    limit: LimitQuery = 50,
    cursor: Annotated[str, Query(max_length=4096)] | None = None,
) -> JSONResponse:
    """List subjects of the Store domain, newest first."""
    subjects, more = reading.namespaces(
        asked.house, asked.caller, prefix=prefix, limit=limit, cursor=cursor
    )
    return JSONResponse({"items": list(subjects), "next_cursor": more})


@router.get(
    "/memories.ics",
    operation_id="calendar",
    response_class=Response,
    responses={
        200: {"content": {"text/calendar": {}}, "description": "RFC 5545."},
        **documents(refusals.NotFoundError),
    },
)
def calendar(request: Request, asked: AskedDep) -> Response:
    """Give the events that the caller sees to a calendar program.

    Raises:
        NotFoundError: this installation has no calendar extra.
    """
    spell: Calendar | None = request.app.state.calendar
    if spell is None:
        raise refusals.NotFoundError
    zone = profile.me(asked.house, asked.caller).timezone
    return Response(spell(asked.memories(_events(asked)), zone), media_type="text/calendar")


def _events(asked: AskedDep) -> list[Memory]:
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page = reading.listing(asked.house, asked.caller, ListRequest(limit=_PAGE, cursor=cursor))
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return [m for m in found if asked.house.policy.ontology.of(m.fact).is_event]
