"""The short way into a route: what FastAPI's solver would bind, bound without it.

FastAPI describes the routes and checks their declarations; at each request its solver, exit
stacks and telemetry cost more than most answers do. A route qualifies whose dependencies are
plain coroutines over the request and each other, which takes ids of the path, optional query
parameters or one model of them, at most one body, and which answers with a response of its own.
Every other keeps the long way. The order is the contract's: dependencies, path, query, body.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from types import NoneType
from typing import Any, Final, get_origin, get_type_hints

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.responses import Response

from moss_memory.api.workers import in_thread

_ELSEWHERE: Final = (
    "header_params",
    "cookie_params",
    "websocket_param_name",
    "http_connection_param_name",
    "response_param_name",
    "background_tasks_param_name",
    "security_scopes_param_name",
)
_PLAIN: Final = (str, int, float, bool, NoneType)  # defaults that need no copy for each request
_MANY: Final = (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Step:
    """One dependency: ``needs`` maps its parameters to earlier steps by their number."""

    call: Callable[..., Awaitable[Any]]
    request_name: str | None
    needs: Mapping[str, int]


@dataclass(slots=True)
class ShortWay:
    """How one route's endpoint is called."""

    endpoint: Callable[..., Any]
    steps: list[Step] = field(default_factory=list)
    given: dict[str, int] = field(default_factory=dict)  # endpoint parameter -> step
    path: list[Any] = field(default_factory=list)  # FastAPI's model fields, as of those below
    query: list[Any] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)  # of query parameters, by their name
    query_model: Any = None
    body: Any = None
    awaited: bool = False  # the endpoint is a coroutine, and needs no thread

    async def __call__(self, request: Request) -> Response:
        """Answer one request.

        Raises:
            RequestValidationError: as FastAPI's own, with the same faults in the same order.
        """
        values = await self._solved(request)
        errors: list[Any] = []
        for each in self.path:
            found = request.path_params[each.alias]
            values[each.name] = _valid(each, found, ("path", each.alias), errors)
        self._read_query(request, values, errors)
        if self.body is not None:
            sent = request.scope["state"]["json"]
            values[self.body.name] = _valid(self.body, sent, ("body",), errors)
        if errors:
            raise RequestValidationError(errors)
        call = self.endpoint(**values) if self.awaited else in_thread(self.endpoint, **values)
        response: Response = await call
        return response

    async def _solved(self, request: Request) -> dict[str, Any]:
        made: list[Any] = []
        for step in self.steps:
            told = {name: made[number] for name, number in step.needs.items()}
            if step.request_name is not None:
                told[step.request_name] = request
            made.append(await step.call(**told))
        return {name: made[number] for name, number in self.given.items()}

    def _read_query(self, request: Request, values: dict[str, Any], errors: list[Any]) -> None:
        values.update(self.defaults)
        asked: Mapping[str, str] = request.query_params if request.scope["query_string"] else {}
        if self.query_model is not None:
            model = self.query_model
            values[model.name] = _valid(model, dict(asked), ("query",), errors)
        for each in self.query:
            if (found := asked.get(each.alias)) is not None:
                values[each.name] = _valid(each, found, ("query", each.alias), errors)


def _valid(model_field: Any, value: Any, loc: tuple[str, ...], errors: list[Any]) -> Any:
    read, faults = model_field.validate(value, {}, loc=loc)
    if faults:
        errors.extend(faults)
    return read


def short_way(dependant: Dependant) -> ShortWay | None:
    """Return the short way to an endpoint, None where only FastAPI's own solver will do."""
    endpoint = dependant.call
    assert endpoint is not None
    answers = get_type_hints(endpoint).get("return")
    fits = isinstance(answers, type) and issubclass(answers, Response)
    if not fits or _elsewhere(dependant) or dependant.request_param_name:
        return None
    way = ShortWay(endpoint, path=list(dependant.path_params))
    way.awaited = iscoroutinefunction(endpoint)
    if not (_steps(way, dependant) and _parameters(way, dependant)):
        return None
    return way


def _elsewhere(dependant: Dependant) -> bool:
    return any(getattr(dependant, name, None) for name in _ELSEWHERE)


def _steps(way: ShortWay, dependant: Dependant) -> bool:
    numbers: dict[Any, int] = {}
    for needed in dependant.dependencies:
        number = _step(way, needed, numbers)
        if number is None:
            return False
        if needed.name is not None:
            way.given[needed.name] = number
    return True


def _step(way: ShortWay, needed: Dependant, numbers: dict[Any, int]) -> int | None:
    """Add a dependency after those that it needs; each runs once a request."""
    if needed.call in numbers:
        return numbers[needed.call]
    takes = needed.path_params or needed.query_params or needed.body_params
    if takes or _elsewhere(needed) or not iscoroutinefunction(needed.call):
        return None
    needs: dict[str, int] = {}
    for each in needed.dependencies:
        number = _step(way, each, numbers)
        if number is None:
            return None
        if each.name is not None:
            needs[each.name] = number
    way.steps.append(Step(needed.call, needed.request_param_name, needs))
    numbers[needed.call] = len(way.steps) - 1
    return numbers[needed.call]


def _parameters(way: ShortWay, dependant: Dependant) -> bool:
    query = list(dependant.query_params)
    if len(query) == 1 and _is_model(query[0]):
        way.query_model = query.pop()
    if not all(_is_simple(each) for each in query):
        return False
    way.query, way.defaults = query, {each.name: each.default for each in query}
    if dependant.body_params:
        (way.body, *others) = dependant.body_params
        return not others and _is_model(way.body)
    return True


def _is_simple(model_field: Any) -> bool:
    """Say whether a query parameter is one word that may be left out, with a plain default."""
    info = model_field.field_info
    if _is_model(model_field) or info.is_required() or _is_many(model_field):
        return False
    return info.default_factory is None and isinstance(info.default, _PLAIN)


def _is_model(model_field: Any) -> bool:
    kind = model_field.field_info.annotation
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _is_many(model_field: Any) -> bool:
    kind = model_field.field_info.annotation
    return kind in _MANY or get_origin(kind) in _MANY
