"""What a route is told besides its body: who speaks, the house, the request's headers.

``OPEN`` and ``GUARDED`` are the routers' dependencies. They run before a body is validated, in
the order of the contract: credential, then stray query parameters, then the rest.
"""

import hashlib
import json
import re
from collections.abc import Callable, Coroutine, Iterator
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from moss_memory.api.caller import is_dev_name
from moss_memory.api.sent import sent
from moss_memory.api.short_way import ShortWay, short_way
from moss_memory.api.strict_json import MalformedBodyError
from moss_memory.api.workers import in_thread
from moss_memory.core.access import Caller
from moss_memory.core.errors import InvalidRequestError, NotFoundError
from moss_memory.core.screening import redact
from moss_memory.flow.ports import House, IdempotencyKey
from moss_memory.flow.requests import Circumstances, RevisionCheck

MAX_KEY: Final = 255
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+")
_ETAG: Final = re.compile(r'(?:W/)?"(\d{1,9})"|(\d{1,9})')
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
Way = Callable[[Scope, Receive], Coroutine[Any, Any, Response]]
NO_REVISION: Final = 0  # revisions count from 1: an entity tag of another make matches none


class ParsedRequest(Request):
    """A request whose body the guard has parsed already."""

    async def json(self) -> Any:
        """Return the guard's value."""
        return self.scope["state"]["json"]


class Route(APIRoute):
    """A route that takes the guard's value, and refuses an empty body before anything else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.way: Way | None = None
        if (way := short_way(self.dependant)) is not None:
            self.way = self._checked(way)
            self.app = _answering(self.way)

    def _checked(self, way: ShortWay) -> Way:
        """Answer without FastAPI's solver; what is raised goes to the handlers further out."""
        has_body = self.body_field is not None

        async def checked(scope: Scope, receive: Receive) -> Response:
            if has_body and "json" not in scope["state"]:
                raise MalformedBodyError
            return await way(ParsedRequest(scope, receive))

        return checked

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler with the check before it."""
        handle = super().get_route_handler()
        self.query_names = frozenset(_query_names(self.dependant))

        async def handler(request: Request) -> Response:
            if self.body_field is not None and "json" not in request.scope["state"]:
                raise MalformedBodyError
            return await handle(ParsedRequest(request.scope, request.receive))

        return handler


def _answering(way: Way) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await way(scope, receive)
        await response(scope, receive, send)

    return app


def _query_names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        model = field.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from (info.alias or name for name, info in model.model_fields.items())
        else:
            yield field.alias
    for needed in dependant.dependencies:
        yield from _query_names(needed)


async def house(request: Request) -> House:  # async: a plain function costs a thread each time
    """Return what the composition root has put together."""
    built: House = request.app.state.house
    return built


async def caller(request: Request) -> Caller:
    """Return who speaks, from the Authorization header alone; kept for the request's rest."""
    offered = sent(request.scope, b"authorization")
    state = request.app.state
    authenticate: Callable[[str | None, datetime], Caller] = state.authenticator.authenticate
    credential = offered[0] if len(offered) == 1 else None
    if state.immediate and is_dev_name(credential):
        return authenticate(credential, state.house.clock())
    return await in_thread(authenticate, credential, state.house.clock())


async def known_query(request: Request) -> None:
    """Refuse a query parameter that the route lacks, that is repeated or holds a control."""
    if not request.scope["query_string"]:
        return
    route: Route = request.scope["route"]
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    if len(set(names)) < len(names) or not route.query_names.issuperset(names):
        raise InvalidRequestError("A query parameter is unknown or repeated.")
    if any(_CONTROL.search(value) for _, value in given):
        raise InvalidRequestError("A query parameter holds a control character.")


HouseDep = Annotated[House, Depends(house)]
CallerDep = Annotated[Caller, Depends(caller)]
GUARDED: Final = [Depends(caller), Depends(known_query)]
OPEN: Final = [Depends(known_query)]


async def _within_rate(request: Request, known: CallerDep) -> None:
    if (rate := request.app.state.chat_rate) is not None:
        await in_thread(rate.admit, known)


chat_rate: Final = Depends(_within_rate)


def circumstances(
    request: Request, timezone: str | None = None, locale: str | None = None
) -> Circumstances:
    """Return what every flow is told besides its request."""
    return Circumstances(
        request_id=request.scope["state"]["request_id"],
        key=idempotency_key(request.scope, sent(request.scope, b"idempotency-key")),
        timezone=timezone,
        locale=locale,
    )


def idempotency_key(scope: Scope, offered: list[str]) -> IdempotencyKey | None:
    """Return the caller's key for this route with a hash of all that it asks, None without one.

    Raises:
        InvalidRequestError: it is empty, longer than 255 characters, not printable, or repeated.
    """
    if not offered:
        return None
    if len(offered) > 1 or len(offered[0]) > MAX_KEY or not _PRINTABLE.fullmatch(offered[0]):
        raise InvalidRequestError("An Idempotency-Key has 1 to 255 printable characters.")
    asked = [scope["path"], scope["query_string"].decode("latin-1"), scope["state"].get("json")]
    canonical = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return IdempotencyKey(
        route=f"{scope['method']} {scope['route'].path}",
        key=_kept_key(offered[0]),
        request_hash=hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _kept_key(offered: str) -> str:
    """Return the key as it is kept: one that holds a secret or a contact by its hash alone."""
    if redact(offered) == offered:
        return offered
    return f"sha256:{hashlib.sha256(offered.encode()).hexdigest()}"


def revision_check(request: Request, expected: int | None = None) -> RevisionCheck:
    """Return which revision the caller has seen, from If-Match and ``expected``."""
    return RevisionCheck(if_match=_if_match(sent(request.scope, b"if-match")), expected=expected)


def _if_match(offered: list[str]) -> int | Literal["*"] | None:
    """Read If-Match: one entity tag of ours, also unquoted or weakened by a proxy."""
    if not offered:
        return None
    tag = ", ".join(offered).strip()
    if tag == "*":
        return "*"
    match = _ETAG.fullmatch(tag)
    return int(match[1] or match[2]) if match else NO_REVISION


def known_id(text: str) -> str:
    """Return ``text`` where it could be one of our ids; a malformed one is simply not found."""
    if not _UUID.fullmatch(text):
        raise NotFoundError
    return text
