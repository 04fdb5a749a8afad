"""Straight from the guard into a route, where what the framework has between them does nothing.

FastAPI asks its routes one by one, and around each request it keeps exit stacks, wrappers of
``send`` and its own telemetry, which a route with a short way (``short_way``) has no use for. What
is not found here takes the framework's way: 404, 405, mounted applications, every other route.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from starlette.convertors import StringConvertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.routing import Route as PathRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from moss_memory.api.circumstances import Route
from moss_memory.api.problems import refusal_of
from moss_memory.core.errors import MossError

_Key = tuple[str, str, int]  # method, first word of the path, slashes


class Table:
    """Which route the framework would take, found without asking those that cannot match."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes: dict[_Key, list[PathRoute]] = {}
        unsure = set[str]()  # first words below which a path may have any number of slashes
        for route in routes:
            if not isinstance(route, PathRoute) or "{" in _first(route.path):
                break  # it may match whatever it likes, also before those behind it
            if route.methods is None or not _is_plain(route):
                unsure.add(_first(route.path))
                continue
            for method in route.methods:
                self._routes.setdefault(_key(method, route.path), []).append(route)
        for key in [key for key in self._routes if key[1] in unsure]:
            del self._routes[key]

    def find(self, scope: Scope) -> tuple[PathRoute, Mapping[str, str]] | None:
        """Return the route and the parameters of its path; None is for the framework to answer."""
        path = scope["path"]
        for route in self._routes.get(_key(scope["method"], path), ()):
            if (match := route.path_regex.match(path)) is not None:
                return route, match.groupdict()
        return None


def _key(method: str, path: str) -> _Key:
    return method, _first(path), path.count("/")


def _first(path: str) -> str:
    return path[1:].partition("/")[0]


def _is_plain(route: PathRoute) -> bool:
    return all(type(each) is StringConvertor for each in route.param_convertors.values())


class Straight:
    """The innermost middleware: answers itself where a route has a short way."""

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self.app = app
        self.table: Final = Table(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        plain = scope["type"] == "http" and not scope.get("root_path")
        route, params = (plain and self.table.find(scope)) or (None, None)
        if not isinstance(route, Route) or route.way is None:
            await self.app(scope, receive, send)
            return
        told: dict[str, Any] = {"endpoint": route.endpoint, "path_params": params, "route": route}
        scope.update(told)
        try:
            response = await route.way(scope, receive)
        except (MossError, HTTPException, RequestValidationError) as error:
            response = await refusal_of(Request(scope, receive), error)
        await response(scope, receive, send)
