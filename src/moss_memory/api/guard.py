"""The first look at a request's bytes, before any of it is believed: size, encoding, JSON.

A pure ASGI middleware, since a body must be bounded while it is read and not after. What it
lets through it has parsed once (``scope["state"]["json"]``); routes validate that value.
"""

import asyncio
import types
from collections.abc import Coroutine, Generator, Mapping
from functools import partial
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moss_memory.api.problems import problem
from moss_memory.api.sent import sent
from moss_memory.api.strict_json import MalformedBodyError, parse
from moss_memory.core.errors import InvalidRequestError, MossError

MAX_BODY: Final = 64 * 1024  # bytes
_DRAIN_BYTES: Final = 256 * 1024 * 1024
_DRAIN_SECONDS: Final = 5.0
_CLOSE: Final[Mapping[str, str]] = {"Connection": "close"}


class BodyTooLargeError(MossError):
    """The body is larger than 64 KiB."""

    code = "body_too_large"


class UnsupportedMediaTypeError(MossError):
    """The body must be application/json in UTF-8, without a content encoding."""

    code = "unsupported_media_type"


class SlowBodyError(MalformedBodyError):
    """The body did not arrive in time."""


class Disconnected(Exception):  # noqa: N818 - nobody is left to be told: not an error
    """The client went away before its body was complete."""


class Guard:
    """Refuse malformed bodies with 400, 413 or 415; hand on the others, read and parsed.

    ``seconds`` is how long a body may take to arrive in full.
    """

    def __init__(self, app: ASGIApp, *, seconds: float = 8.0) -> None:
        self.app = app
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
            if body:
                scope["state"]["json"] = _object(parse(body))
        except Disconnected:
            return
        except BodyTooLargeError as error:
            await _answer_and_drain(error, scope, receive, send)
        except MossError as error:
            headers = _CLOSE if isinstance(error, SlowBodyError) else None
            await problem(scope, error, headers)(scope, receive, send)
        else:
            await self.app(scope, _replay(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        announced = next(iter(sent(scope, b"content-length")), "0")
        if announced.isascii() and announced.isdigit() and float(announced) > MAX_BODY:
            raise BodyTooLargeError
        if sent(scope, b"content-encoding")[:1] not in ([], ["identity"]):
            raise UnsupportedMediaTypeError
        try:
            body = await _within(self.seconds, _collect(receive))
        except TimeoutError as error:
            raise SlowBodyError from error
        if body and not _is_json(sent(scope, b"content-type")):
            raise UnsupportedMediaTypeError
        return body


async def _within(seconds: float, collecting: Coroutine[Any, Any, bytes]) -> bytes:
    """Await ``collecting``; where the body is there already, as mostly, no timer is set for it."""
    try:
        awaited = collecting.send(None)
    except StopIteration as whole:
        body: bytes = whole.value
        return body
    async with asyncio.timeout(seconds):
        return await _rest(collecting, awaited)


@types.coroutine
def _rest(begun: Coroutine[Any, Any, bytes], awaited: Any) -> Generator[Any, Any, bytes]:
    """Go on with a coroutine that waits for ``awaited``; what is thrown at this one reaches it."""
    while True:
        try:
            yield awaited
        except BaseException as thrown:  # noqa: BLE001 - a cancellation above all
            go_on = partial(begun.throw, thrown)
        else:
            go_on = partial(begun.send, None)
        try:
            awaited = go_on()
        except StopIteration as whole:
            body: bytes = whole.value
            return body


async def _collect(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise BodyTooLargeError
        if not message.get("more_body", False):
            return bytes(body)


def _is_json(content_types: list[str]) -> bool:
    """Say whether there is one Content-Type, JSON, with no parameter but charset=utf-8."""
    if len(content_types) != 1:
        return False
    media, *parameters = (part.strip().lower() for part in content_types[0].split(";"))
    return media == "application/json" and all(
        parameter.replace('"', "") in {"charset=utf-8", "charset=utf8", ""}
        for parameter in parameters
    )


def _object(value: object) -> dict[str, object]:
    """Return the body's object; another value is JSON, but no request."""
    if not isinstance(value, dict):
        raise InvalidRequestError("The body must be a JSON object.")
    return value


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give ``body`` once, then what the server says next (the disconnect)."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


async def _answer_and_drain(error: MossError, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse at once, then swallow what is still coming, for a while.

    Closing over unread bytes resets the connection, and the reset can overtake the answer:
    the client would see a broken pipe and not the 413.
    """
    response = problem(scope, error, _CLOSE)
    await send({"type": "http.response.start", "status": 413, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": bytes(response.body), "more_body": True})
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            await _drain(receive)
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    left = _DRAIN_BYTES
    while left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
