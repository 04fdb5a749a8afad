"""Every code of the contract has its status, and every refusal is one RFC 9457 document."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import moss_memory.api.guard
from moss_memory.api import problems
from moss_memory.api.views import member
from moss_memory.api.wire import ChatBody
from moss_memory.core import errors
from moss_memory.core.errors import MossError
from moss_memory.flow.requests import VerdictView

CLOSED_LIST = {
    400: "malformed_body precondition_mismatch",
    401: "unauthenticated",
    403: "scope_not_writable right_missing approver_must_differ source_above_ceiling "
    "tenant_not_served",
    404: "not_found",
    405: "method_not_allowed",
    409: "revision_conflict verdict_changed already_settled memory_inactive "
    "idempotency_in_progress",
    410: "pending_gone principal_erased",
    412: "revision_conflict",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "invalid_request naive_timestamp empty_window window_required unknown_zone "
    "unbounded_recurrence unknown_predicate invalid_value text_refused text_too_long "
    "too_many_facts unknown_revision invalid_cursor not_admitted action_not_offered "
    "idempotency_key_reused",
    428: "revision_required",
    429: "too_many_pendings rate_limited",
    500: "internal",
    502: "model_bad_output",
    503: "model_unavailable pending_store_unavailable storage_unavailable outcome_unknown",
    504: "model_timeout",
}
CONTRACT = {(status, code) for status, codes in CLOSED_LIST.items() for code in codes.split()}


def refusals(base: type[MossError] = MossError) -> Iterator[type[MossError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from refusals(kind)


def document(error: MossError) -> dict[str, Any]:
    scope = {"type": "http", "state": {"request_id": "r-1"}}
    read: dict[str, Any] = json.loads(bytes(problems.problem(scope, error).body))
    return read


def test_classes_of_refusals_cover_the_contract_and_nothing_else() -> None:
    assert moss_memory.api.guard  # its refusals are defined there

    raised = {(problems.status_of(kind()).value, kind.code) for kind in refusals()}

    assert raised == CONTRACT


def test_document_names_code_status_and_request() -> None:
    assert document(errors.NotFoundError()) == {
        "type": "/problems/not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "There is no such thing, or the caller may not see it.",
        "code": "not_found",
        "request_id": "r-1",
    }


def test_members_extend_the_document_and_never_replace_its_own() -> None:
    told = document(errors.StaleMatchError(current_revision=3, code="spoofed", status=200))

    assert (told["current_revision"], told["code"], told["status"]) == (3, "revision_conflict", 412)


def test_verdict_is_nested_as_a_verdict() -> None:
    judged = VerdictView(
        status="BLOCKED", conflict_type="R", findings=(), notes=(), rules_version="v"
    )

    assert document(errors.NotAdmittedError(verdict=judged))["verdict"] == {
        "status": "BLOCKED",
        "conflict_type": "R",
        "findings": [],
        "notes": [],
        "rules_version": "v",
    }


def test_value_that_nobody_decided_how_to_show_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        member(b"raw")


@pytest.mark.parametrize(
    ("error", "header", "value"),
    [
        (errors.UnauthenticatedError(), "WWW-Authenticate", "Bearer"),
        (errors.RateLimitedError(retry_after=7), "Retry-After", "7"),
        (errors.RateLimitedError(), "Retry-After", "60"),
        (errors.StorageUnavailableError(), "Retry-After", "2"),
        (errors.IdempotencyInProgressError(), "Retry-After", "1"),
    ],
)
def test_refusal_says_in_a_header_what_a_client_can_do(
    error: MossError, header: str, value: str
) -> None:
    scope = {"type": "http", "state": {"request_id": "r-1"}}

    assert problems.problem(scope, error).headers[header] == value


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI(redirect_slashes=False)
    problems.install(app)

    @app.post("/chat")
    def chat(body: ChatBody) -> None:
        raise AssertionError(body)

    return TestClient(app)


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({"text": "hi", "canary": 1}, [{"fault": "extra_forbidden", "at": ["body"]}]),
        ({"text": 1}, [{"fault": "string_type", "at": ["body", "text"]}]),
        ({}, [{"fault": "missing", "at": ["body", "text"]}]),
        ({"text": "hi", "debug": "yes"}, [{"fault": "bool_type", "at": ["body", "debug"]}]),
    ],
)
def test_malformed_request_is_told_where_but_not_what_it_said(
    client: TestClient, body: dict[str, Any], faults: list[dict[str, Any]]
) -> None:
    answer = client.post("/chat", json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["faults"] == faults
    assert answer.headers["content-type"] == problems.MEDIA_TYPE
    assert "canary" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/chat/", 404, "not_found"),
        ("PUT", "/chat", 405, "method_not_allowed"),
    ],
)
def test_what_the_framework_refuses_is_a_problem_too(
    client: TestClient, method: str, path: str, status: int, code: str
) -> None:
    answer = client.request(method, path)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_wrong_method_is_told_the_right_one(client: TestClient) -> None:
    assert client.put("/chat").headers["allow"] == "POST"
