"""The HTTP application over a house: middleware from the outside in, then the routes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final, Protocol

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from moss_memory.api import (
    access,
    context,
    conversation,
    document,
    events,
    exchange,
    governance,
    health,
    memories,
    metrics,
    pages,
    policy,
    problems,
)
from moss_memory.api.caller import Authenticator
from moss_memory.api.draining import Draining
from moss_memory.api.envelope import Envelope, Log
from moss_memory.api.guard import Guard
from moss_memory.api.offices import Offices
from moss_memory.api.straight import Straight
from moss_memory.core.access import Caller
from moss_memory.flow.ports import House

METHODS: Final = ("GET", "POST", "PATCH", "PUT", "DELETE")
ASKED_HEADERS: Final = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "X-Request-ID",
)
SHOWN_HEADERS: Final = ("ETag", "Idempotency-Replayed", "Retry-After", "X-Request-ID")


# The framework's own records messages and paths; spans without words are ``integrations/tracing``.
_NO_TELEMETRY: Final[Any] = {"tracing": False, "metrics": False, "logs": False}


class Rate(Protocol):
    """How often a caller may chat."""

    def admit(self, caller: Caller) -> None:
        """Count one request, or raise RateLimitedError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the wire needs besides the house.

    ``immediate`` says that names of dev mode count: those need no I/O, so no thread of their own.
    ``close`` gives back what the house holds.
    """

    authenticator: Authenticator
    chat_rate: Rate | None = None
    offices: Offices | None = None
    calendar: exchange.Calendar | None = None
    immediate: bool = False
    log: Log
    origins: Sequence[str] = ()
    body_seconds: float = 8.0
    drain_seconds: float = 1.0
    readings: Sequence[metrics.Reading] = ()
    close: Sequence[Callable[[], None]] = field(default=())


class Service(FastAPI):
    """The application without what the framework wraps around it, which ``Envelope`` does."""

    def build_middleware_stack(self) -> ASGIApp:
        """Leave out what lies around the outermost middleware of our own.

        It would answer what nobody caught, record telemetry, and bound a body: ``Envelope``
        catches everything, the telemetry is off, and ``Guard`` bounds bodies.
        """
        stack: Any = super().build_middleware_stack()
        outermost: Any = self.user_middleware[0].cls
        while not isinstance(stack, outermost):
            stack = stack.app
        wrapped: ASGIApp = stack
        return wrapped

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request, and do not ask at each whether telemetry was switched on."""
        if scope["type"] != "http" or self.middleware_stack is None:
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        await self.middleware_stack(scope, receive, send)


def assemble(house: House, around: Surroundings) -> FastAPI:
    """Return the application."""
    app = Service(
        title="moss-memory",
        summary="Governed long-term memory for agents.",
        version=version("moss-memory"),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
        lifespan=_lifespan(around),
    )
    app.state.house = house
    app.state.authenticator = around.authenticator
    app.state.immediate = around.immediate
    app.state.chat_rate = around.chat_rate
    app.state.offices = around.offices
    app.state.calendar = around.calendar
    app.state.draining = Draining(around.drain_seconds)
    app.state.meter = metrics.Meter(around.readings)
    _wrap(app, house, around)
    problems.install(app)
    for routes in (
        conversation,
        exchange,  # before memories: its file's name would be read as an id
        memories,
        context,
        governance,
        access,
        policy,
        events,
        health,
        metrics,
        document,
        pages,
    ):
        # not include_router: it is resolved anew at every request, a third of a short one's time
        app.router.routes.extend(routes.router.routes)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _wrap(app: FastAPI, house: House, around: Surroundings) -> None:
    """Add the middleware, the last added outermost."""
    app.add_middleware(Straight, routes=app.router.routes)  # which all are there when it is made
    app.add_middleware(Guard, seconds=around.body_seconds)
    if around.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(around.origins),
            allow_methods=METHODS,
            allow_headers=ASKED_HEADERS,
            expose_headers=SHOWN_HEADERS,
            allow_credentials=False,
        )
    log = metrics.MeteredLog(around.log, app.state.meter)
    app.add_middleware(Envelope, ids=house.ids, log=log)


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = document.complete(app)
    return app.openapi_schema


def _lifespan(around: Surroundings) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.draining.watch(asyncio.get_running_loop())
        watch = asyncio.create_task(app.state.meter.watch_loop())
        yield
        watch.cancel()
        for close in around.close:
            close()

    return lifespan
