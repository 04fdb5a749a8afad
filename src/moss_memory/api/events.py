"""``GET /events``: what was committed, as server-sent events that any worker can resume.

The stream is a cursor over rows: a reader that was cut off sends ``Last-Event-ID`` and goes on
where it was, with whichever worker it meets. Access is looked up again at every read.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from moss_memory.api.asked import Asked, AskedDep
from moss_memory.api.circumstances import GUARDED, Route
from moss_memory.core.errors import InvalidCursorError, MossError
from moss_memory.flow import watching
from moss_memory.flow.ports import Event

router = APIRouter(tags=["events"], route_class=Route, dependencies=GUARDED)

BEGINNING: Final = "0"  # before every id; a reader that is cut off early can say it too
POLL_SECONDS: Final = 0.5
BEAT_SECONDS: Final = 15.0  # a comment keeps proxies from closing a silent stream
_CURSOR: Final = re.compile(r"[0-9a-zA-Z_-]{0,64}")
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get("/events", operation_id="watch", response_class=StreamingResponse)
async def watch(
    request: Request, asked: AskedDep, last_event_id: Annotated[str | None, Header()] = None
) -> StreamingResponse:
    """Stream what is written, retired, asked and settled within the caller's reach."""
    if last_event_id is not None and not _CURSOR.fullmatch(last_event_id):
        raise InvalidCursorError
    cursor = last_event_id
    if cursor is None:
        cursor = await run_in_threadpool(watching.start, asked.house, asked.caller)
    cursor = cursor or BEGINNING
    return StreamingResponse(
        _stream(request, asked, cursor), media_type="text/event-stream", headers=_HEADERS
    )


async def _stream(request: Request, asked: Asked, cursor: str) -> AsyncIterator[str]:
    yield f"retry: 1000\nid: {cursor}\n\n"
    silent = 0.0
    while not await request.is_disconnected() and not _draining(request):
        try:
            seen = await run_in_threadpool(watching.since, asked.house, asked.caller, cursor)
        except MossError:  # the store is away: the reader comes back with its cursor
            return
        cursor = seen.cursor
        for event in seen.events:
            yield _spelled(event)
        silent = 0.0 if seen.events else silent + POLL_SECONDS
        if silent >= BEAT_SECONDS:
            silent = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(POLL_SECONDS)


def _draining(request: Request) -> bool:
    return bool(request.app.state.draining.asked)


def _spelled(event: Event) -> str:
    """Write one event; the names and ids in it are ours, so that no line can be forged."""
    data = {"ids": list(event.ids), "revision": event.revision, "status": event.status}
    return f"id: {event.event_id}\nevent: {event.kind}\ndata: {json.dumps(data)}\n\n"
