"""What every answer carries, whatever its route: a request id, safe headers, one log line.

The outermost middleware, so that it also covers what the inner ones refuse. A bug ends here as
a bare 500; its place in the code goes to the log, never its message, which may hold words.
"""

import re
from collections.abc import Callable
from time import perf_counter
from typing import Final, Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moss_memory.api.lines import clean_field, kind_of, places_of
from moss_memory.api.problems import InternalError, problem

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_SAFE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


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
        request_id = self._request_id(Headers(scope=scope))
        state = {**scope.get("state", {}), "request_id": request_id}
        inner = {**scope, "state": state, "method": _answered_as(scope["method"])}
        sent: list[int] = []  # the status, once it is on its way
        began = perf_counter()

        async def enveloped(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent.append(message["status"])
                _complete(MutableHeaders(scope=message), request_id)
            await send(message)

        try:
            await self.app(inner, receive, enveloped)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it was, answer
            self._confess(error, request_id)
            if not sent:
                await problem(inner, InternalError())(inner, receive, enveloped)
        self._report(inner, sent, perf_counter() - began)

    def _request_id(self, headers: Headers) -> str:
        offered = headers.get("x-request-id", "")
        plain = _REQUEST_ID.fullmatch(offered) and clean_field(offered) == offered
        return offered if plain else self.ids()

    def _confess(self, error: Exception, request_id: str) -> None:
        # never exception(): it prints the message, and a driver's message holds values
        self.log.error("bug", request_id=request_id, kind=kind_of(error), at=places_of(error))

    def _report(self, scope: Scope, sent: list[int], seconds: float) -> None:
        route = scope.get("route")
        self.log.info(
            "request",
            request_id=scope["state"]["request_id"],
            method=scope["method"],
            route=getattr(route, "path", None),  # the template: a path may hold a name
            status=sent[0] if sent else None,
            code=scope["state"].get("code"),  # of a problem document
            ms=round(seconds * 1000, 2),
        )


def _answered_as(method: str) -> str:
    """HEAD is GET without the body, which the server leaves out by itself."""
    return "GET" if method == "HEAD" else method


def _complete(headers: MutableHeaders, request_id: str) -> None:
    headers["X-Request-ID"] = request_id
    for name, value in _SAFE.items():
        headers.setdefault(name, value)
