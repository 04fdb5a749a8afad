"""A call as a value, the reading of its answer, and whether it may be made again.

Shared by both clients; no I/O happens here.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final, Generic, Literal, TypeVar, cast

import httpx2

from moss_memory.integrations.client_errors import (
    ConnectionFailedError,
    MossClientError,
    ProblemError,
    UnexpectedAnswerError,
)
from moss_memory.integrations.client_problems import problem_error

T_co = TypeVar("T_co", covariant=True)

PROBLEM: Final = "application/problem+json"
KEY: Final = "Idempotency-Key"
TRANSIENT: Final = frozenset(  # a later try of the very same request may go through
    {
        "idempotency_in_progress",
        "rate_limited",
        "model_unavailable",
        "pending_store_unavailable",
        "storage_unavailable",
        "outcome_unknown",
    }
)
_GATEWAY: Final = frozenset({502, 503, 504})  # of a proxy in front, without a problem document
_FIRST_PAUSE: Final = 0.2  # seconds; doubles from try to try
_LONGEST_PAUSE: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T_co]):
    """A request whose answer is a ``T_co``.

    ``repeatable`` says that sending it twice does no more than sending it once. ``also`` are
    statuses beyond 2xx that are answers and not errors.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True
    answers: Literal["json", "bytes"] = "json"
    also: frozenset[int] = frozenset()

    def options(self) -> dict[str, Any]:
        """Return what an httpx2 client's ``request`` takes beside method and path."""
        headers = dict(self.headers)
        content = None
        if self.body is not None:
            content = json.dumps(self.body, ensure_ascii=False, default=_spell).encode()
            headers["Content-Type"] = "application/json"
        params = {name: _parameter(value) for name, value in self.query.items()}
        return {"params": params, "headers": headers, "content": content}

    def after(self, page: Mapping[str, Any]) -> "Call[T_co] | None":
        """Return the call for the page after ``page``, None where it was the last one.

        The past is resolved once: a ``known_at`` goes on as the epoch of the first page.
        """
        if page.get("next_cursor") is None:
            return None
        query = {**self.query, "cursor": page["next_cursor"]}
        if "known_at" in query and "known_epoch" in page:
            del query["known_at"]
            query["known_epoch"] = page["known_epoch"]
        return replace(self, query=query)


def reading(
    path: str,
    *,
    method: str = "GET",
    query: Mapping[str, Any] | None = None,
    body: Any = None,
    answers: Literal["json", "bytes"] = "json",
    also: frozenset[int] = frozenset(),
) -> Call[Any]:
    """Return a call that changes nothing."""
    return Call(method=method, path=path, query=query or {}, body=body, answers=answers, also=also)


def writing(
    method: Literal["POST", "PUT", "PATCH", "DELETE"],
    path: str,
    body: Any,
    *,
    key: str | None = None,
    query: Mapping[str, Any] | None = None,
) -> Call[Any]:
    """Return a call with an effect, repeatable by its key (a PUT is by its nature)."""
    headers = {} if method == "PUT" else {KEY: key or secrets.token_hex(16)}
    return Call(method=method, path=path, query=query or {}, body=body, headers=headers)


def read(call: Call[T_co], response: httpx2.Response) -> T_co:
    """Return what the service answered.

    Raises:
        ProblemError: it refused.
        UnexpectedAnswerError: it was not the service that answered.
    """
    if not response.is_success and response.status_code not in call.also:
        raise refusal(response)
    if response.status_code == HTTPStatus.NO_CONTENT:
        return cast("T_co", None)
    if call.answers == "bytes":
        return cast("T_co", response.content)
    return cast("T_co", _json(response))


def refusal(response: httpx2.Response) -> MossClientError:
    """Return the exception of an answer that is none."""
    if response.headers.get("content-type", "").partition(";")[0].strip() != PROBLEM:
        return UnexpectedAnswerError(
            f"status {response.status_code} without a problem document",
            status=response.status_code,
        )
    return problem_error(
        _json(response), status=response.status_code, retry_after=_retry_after(response)
    )


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise UnexpectedAnswerError(
            f"status {response.status_code} without JSON", status=response.status_code
        ) from error


def unreachable(call: Call[Any], error: httpx2.TransportError) -> ConnectionFailedError:
    """Return the exception of a request that got no answer; it repeats nothing of the request."""
    kinds = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
    return ConnectionFailedError(
        f"{call.method} got no answer ({type(error).__name__})",
        may_have_happened=not isinstance(error, kinds),
        key=call.headers.get(KEY),
    )


def pause(call: Call[Any], error: MossClientError, tried: int, *, patience: float) -> float | None:
    """Return how many seconds to wait before the next try; None gives up.

    Args:
        call: what failed.
        error: how.
        tried: how many tries there were.
        patience: a Retry-After of more seconds than this is not waited for.
    """
    if not call.repeatable or not _passing(error):
        return None
    asked = error.retry_after if isinstance(error, ProblemError) else None
    if asked is not None:
        return asked if asked <= patience else None
    most = min(_FIRST_PAUSE * 2.0 ** (tried - 1), _LONGEST_PAUSE)
    return most * (0.5 + secrets.randbelow(500) / 1000)  # spread, so that clients do not march


def _passing(error: MossClientError) -> bool:
    if isinstance(error, ProblemError):
        return error.code in TRANSIENT
    if isinstance(error, UnexpectedAnswerError):
        return error.status in _GATEWAY
    return isinstance(error, ConnectionFailedError)


def _retry_after(response: httpx2.Response) -> float | None:
    """Read a Retry-After in seconds, or a date against the answer's own Date (RFC 9110)."""
    said = response.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return float(said)
    try:
        until = parsedate_to_datetime(said)
        since = parsedate_to_datetime(response.headers.get("date", ""))
        return max((until - since).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _spell(value: object) -> Any:
    if isinstance(value, datetime):
        aware = value.tzinfo is not None  # a naive one goes as it is, for the service to refuse
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if aware else str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"not for JSON: {type(value).__name__}")


def _parameter(value: object) -> str:
    return str(_spell(value)) if isinstance(value, date) else str(value)
