"""What every answer carries, whatever its route: a request id, safe headers, one log line.

The outermost middleware, so that it also covers what the inner ones refuse. A bug ends here as
a bare 500; its place in the code goes to the log, never its message, which may hold words.
"""

import re
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moss_memory.api.lines import clean_field, kind_of, places_of
from moss_memory.api.problems import InternalError, problem
from moss_memory.api.sent import sent

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_ID: Final = b"x-request-id"
_SAFE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)


class Log(Protocol):
    """Where lines go; fields are codes, ids and numbers, never words."""

    def info(self, event: str, **fields: object) -> object:
        """Write one line."""
        ...

    def error(self, event: str, **fields: object) -> object:
        """Write one line."""
        ...


class Envelope:
    """Give each request its id and each answer its headers; turn a bug into a bare 500."""

    def __init__(self, app: ASGIApp, *, ids: Callable[[], str], log: Log) -> None:
        self.app = app
        self.ids = ids
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = self._request_id(sent(scope, _ID))
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        inner = _answered_as_get(scope) if scope["method"] == "HEAD" else scope
        status: int | None = None  # once it is on its way
        began = perf_counter()

        async def enveloped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _complete(message["headers"], request_id)
            await send(message)

        try:
            await self.app(inner, receive, enveloped)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it was, answer
            self._confess(error, request_id)
            if status is None:
                await problem(inner, InternalError())(inner, receive, enveloped)
        self._report(inner, status, perf_counter() - began)

    def _request_id(self, offered: list[str]) -> str:
        if not offered or not _REQUEST_ID.fullmatch(offered[0]):
            return self.ids()
        return offered[0] if clean_field(offered[0]) == offered[0] else self.ids()

    def _confess(self, error: Exception, request_id: str) -> None:
        # never exception(): it prints the message, and a driver's message holds values
        self.log.error("bug", request_id=request_id, kind=kind_of(error), at=places_of(error))

    def _report(self, scope: Scope, status: int | None, seconds: float) -> None:
        route = scope.get("route")
        self.log.info(
            "request",
            request_id=scope["state"]["request_id"],
            method=scope["method"],
            route=getattr(route, "path", None),  # the template: a path may hold a name
            status=status,
            code=scope["state"].get("code"),  # of a problem document
            ms=round(seconds * 1000, 2),
        )


def _answered_as_get(head: Scope) -> Scope:
    """HEAD is GET without the body, which the server leaves out by itself."""
    return {**head, "method": "GET"}


def _complete(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Return an answer's headers with its id, and what is safe where it says nothing itself."""
    own = [pair for pair in headers if pair[0] != _ID]
    said = {name for name, _ in own}
    own.append((_ID, request_id.encode()))
    own.extend(pair for pair in _SAFE if pair[0] not in said)
    return own
