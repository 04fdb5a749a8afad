"""Refusals as RFC 9457 problem documents: the only place that knows their status."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from moss_memory.api.views import member
from moss_memory.core.errors import InvalidRequestError, MossError, NotFoundError, StaleMatchError

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[Mapping[str, HTTPStatus]] = {
    "malformed_body": HTTPStatus.BAD_REQUEST,
    "precondition_mismatch": HTTPStatus.BAD_REQUEST,
    "unauthenticated": HTTPStatus.UNAUTHORIZED,
    "scope_not_writable": HTTPStatus.FORBIDDEN,
    "right_missing": HTTPStatus.FORBIDDEN,
    "approver_must_differ": HTTPStatus.FORBIDDEN,
    "source_above_ceiling": HTTPStatus.FORBIDDEN,
    "tenant_not_served": HTTPStatus.FORBIDDEN,
    "not_found": HTTPStatus.NOT_FOUND,
    "method_not_allowed": HTTPStatus.METHOD_NOT_ALLOWED,
    "revision_conflict": HTTPStatus.CONFLICT,  # 412 where If-Match named the revision
    "verdict_changed": HTTPStatus.CONFLICT,
    "already_settled": HTTPStatus.CONFLICT,
    "memory_inactive": HTTPStatus.CONFLICT,
    "idempotency_in_progress": HTTPStatus.CONFLICT,
    "pending_gone": HTTPStatus.GONE,
    "principal_erased": HTTPStatus.GONE,
    "body_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "unsupported_media_type": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "invalid_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "naive_timestamp": HTTPStatus.UNPROCESSABLE_ENTITY,
    "empty_window": HTTPStatus.UNPROCESSABLE_ENTITY,
    "window_required": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unknown_zone": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unbounded_recurrence": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unknown_predicate": HTTPStatus.UNPROCESSABLE_ENTITY,
    "invalid_value": HTTPStatus.UNPROCESSABLE_ENTITY,
    "text_refused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "text_too_long": HTTPStatus.UNPROCESSABLE_ENTITY,
    "too_many_facts": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unknown_revision": HTTPStatus.UNPROCESSABLE_ENTITY,
    "invalid_cursor": HTTPStatus.UNPROCESSABLE_ENTITY,
    "not_admitted": HTTPStatus.UNPROCESSABLE_ENTITY,
    "action_not_offered": HTTPStatus.UNPROCESSABLE_ENTITY,
    "idempotency_key_reused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "revision_required": HTTPStatus.PRECONDITION_REQUIRED,
    "too_many_pendings": HTTPStatus.TOO_MANY_REQUESTS,
    "rate_limited": HTTPStatus.TOO_MANY_REQUESTS,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    "model_bad_output": HTTPStatus.BAD_GATEWAY,
    "model_unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "pending_store_unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "storage_unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "outcome_unknown": HTTPStatus.SERVICE_UNAVAILABLE,
    "model_timeout": HTTPStatus.GATEWAY_TIMEOUT,
}

_RETRY_SECONDS: Final[Mapping[str, int]] = {
    "idempotency_in_progress": 1,
    "too_many_pendings": 60,
    "rate_limited": 60,
    "model_unavailable": 5,
    "pending_store_unavailable": 2,
    "storage_unavailable": 2,
    "outcome_unknown": 2,
}


class MethodNotAllowedError(MossError):
    """This path has no such method."""

    code = "method_not_allowed"


class InternalError(MossError):
    """Unexpected error."""

    code = "internal"


def status_of(error: MossError) -> HTTPStatus:
    """Return the status that the HTTP contract gives to the code of ``error``."""
    if isinstance(error, StaleMatchError):
        return HTTPStatus.PRECONDITION_FAILED
    return STATUS[error.code]


def problem(
    scope: Scope, error: MossError, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Render ``error`` for the request of ``scope``; its members become extension members."""
    status = status_of(error)
    state = scope.setdefault("state", {})
    state["code"] = error.code  # for the log
    document = {
        "type": f"/problems/{error.code}",
        "title": status.phrase,
        "status": status.value,
        "detail": _plain(str(error)),
        "code": error.code,
        "request_id": state.get("request_id", ""),
    }
    for name, value in error.members.items():
        document.setdefault(name, member(value))  # an extension never replaces a member
    return JSONResponse(
        document,
        status_code=status.value,
        media_type=MEDIA_TYPE,
        headers={**_headers(error), **(headers or {})},
    )


def _plain(text: str) -> str:
    """Return a docstring as a sentence for people: one backtick where code has two."""
    return text.replace("``", "`")


def _headers(error: MossError) -> dict[str, str]:
    if error.code == "unauthenticated":
        return {"WWW-Authenticate": "Bearer"}
    if error.code in _RETRY_SECONDS:
        return {"Retry-After": str(error.members.get("retry_after", _RETRY_SECONDS[error.code]))}
    return {}


async def refuse(request: Request, exc: Exception) -> JSONResponse:
    """Render a ``MossError``; FastAPI finds this handler through the error's base class."""
    assert isinstance(exc, MossError)
    return problem(request.scope, exc)


async def refuse_http(request: Request, exc: Exception) -> JSONResponse:
    """Render what the framework refuses by itself: an unknown path, a wrong verb."""
    assert isinstance(exc, HTTPException)
    error: MossError = InternalError()
    if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return problem(request.scope, MethodNotAllowedError(), {"Allow": allowed_here(request)})
    if exc.status_code == HTTPStatus.NOT_FOUND:
        error = NotFoundError()
    elif exc.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        error = InvalidRequestError()
    return problem(request.scope, error, exc.headers)


def allowed_here(request: Request) -> str:
    """Return every method of the path asked for, as ``Allow`` lists them (RFC 9110, 10.2.1).

    The framework names those of the first route of the path alone, and a route here has one.
    """
    routes: list[BaseRoute] = request.app.routes
    here = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    methods = {method for route in here for method in getattr(route, "methods", None) or ()}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


async def refuse_body(request: Request, exc: Exception) -> JSONResponse:
    """Render a malformed request without its input, not even the name of an unknown field."""
    assert isinstance(exc, RequestValidationError)
    return problem(request.scope, InvalidRequestError(faults=[_fault(e) for e in exc.errors()]))


def _fault(error: Mapping[str, Any]) -> dict[str, Any]:
    """Say what is wrong and where; a field's name only where the schema has it."""
    named = error["loc"][:-1] if error["type"] == "extra_forbidden" else error["loc"]
    return {"fault": error["type"], "at": [str(part) for part in named]}


async def refusal_of(request: Request, error: Exception) -> JSONResponse:
    """Render what the handlers of ``install`` render, for who does not go through them."""
    if isinstance(error, RequestValidationError):
        return await refuse_body(request, error)
    refused = refuse_http if isinstance(error, HTTPException) else refuse
    return await refused(request, error)


def documents(*errors: type[MossError]) -> dict[int | str, dict[str, Any]]:
    """Describe ``errors`` for a route's ``responses=``, so that OpenAPI lists its refusals."""
    by_status: dict[int | str, list[type[MossError]]] = {}
    for error in errors:
        by_status.setdefault(status_of(error()).value, []).append(error)
    return {
        status: {
            "description": " ".join(
                f"`{error.code}`: {_plain(error.__doc__ or '')}" for error in refusals
            ),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, refusals in by_status.items()
    }


def install(app: FastAPI) -> None:
    """Register the handlers on ``app``, so that every refusal is a problem document."""
    app.add_exception_handler(MossError, refuse)
    app.add_exception_handler(HTTPException, refuse_http)
    app.add_exception_handler(RequestValidationError, refuse_body)
