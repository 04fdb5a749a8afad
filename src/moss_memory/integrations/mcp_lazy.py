"""``/mcp`` without its price at start-up: the package is imported at the first request.

Importing it takes longer than all the rest of the service. The session manager wants to be
entered and left by one task, so a task of its own keeps it until the application stops.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

PATH: Final = "/mcp"


def mount_lazily(app: Starlette, *, path: str = PATH, origins: Sequence[str] = ()) -> None:
    """Serve MCP from ``app`` at ``path`` from its first request on; call it once, before start."""
    lazy = _Lazy(app, path, origins)
    app.router.routes.append(Route(path, endpoint=lazy, methods=["POST"], include_in_schema=False))
    started = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Any) -> AsyncIterator[Any]:
        async with started(running) as state:
            yield state
            await lazy.stop()

    app.router.lifespan_context = lifespan


class _Lazy:
    def __init__(self, app: ASGIApp, path: str, origins: Sequence[str]) -> None:
        self._app = app
        self._path = path
        self._origins = origins
        self._starting = asyncio.Lock()
        self._endpoint: ASGIApp | None = None
        self._stopping = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._starting:
            if self._endpoint is None:
                self._endpoint = await self._start()
        await self._endpoint(scope, receive, send)

    async def _start(self) -> ASGIApp:
        server, endpoint = await asyncio.to_thread(self._build)
        served: ASGIApp = endpoint
        entered = asyncio.Event()

        async def keep() -> None:
            async with server.session_manager.run():
                entered.set()
                await self._stopping.wait()

        self._keeper = asyncio.create_task(keep())
        await entered.wait()
        return served

    def _build(self) -> Any:
        module = importlib.import_module("moss_memory.integrations.mcp_server")
        return module.inside(self._app, path=self._path, origins=self._origins)

    async def stop(self) -> None:
        """Leave the session manager in the task that entered it."""
        self._stopping.set()
        if self._keeper is not None:
            await self._keeper
