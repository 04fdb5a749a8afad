"""The client against a scripted service: what it sends, what it repeats, what it raises."""

import asyncio
import inspect
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from moss_memory.api.problems import STATUS
from moss_memory.cli.listening import IDLE_SECONDS
from moss_memory.integrations import client_requests
from moss_memory.integrations.client import (
    AsyncMossClient,
    ConnectionFailedError,
    MossClient,
    ProblemError,
    UnexpectedAnswerError,
    problems,
)
from moss_memory.integrations.client_problems import BY_CODE
from moss_memory.integrations.client_settings import LIMITS

Made = Callable[..., Any]  # a fixture that makes

LUNCH = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
LUNCH |= {"object_value": "Lunch", "when": {"start": "2026-07-17T03:00:00Z"}}
ROUTES = [
    name
    for name, made in inspect.getmembers(client_requests, inspect.isfunction)
    if made.__module__ == client_requests.__name__ and not name.startswith("_")
]


def ok(body: object = None, status: int = 200) -> httpx2.Response:
    return httpx2.Response(status, json=body)


@pytest.mark.parametrize("kind", [MossClient, AsyncMossClient])
@pytest.mark.parametrize("name", ROUTES)
def test_every_route_is_a_method_of_both_clients(kind: type, name: str):
    method = inspect.signature(getattr(kind, name))
    route = inspect.signature(getattr(client_requests, name))

    assert list(method.parameters)[1:] == list(route.parameters)


def test_every_code_of_the_contract_has_an_exception():
    assert BY_CODE.keys() == STATUS.keys()


def test_credential_is_the_bearer_of_every_request(script: Made):
    service = script(ok({"principal_id": "ann"}))

    service.client().me()

    assert service.asked[0].headers["authorization"] == "Bearer dev:ann"


def test_idle_connection_is_given_up_before_the_service_closes_it():
    assert LIMITS.keepalive_expiry is not None
    assert LIMITS.keepalive_expiry < IDLE_SECONDS


def test_key_is_not_in_the_repr():
    with MossClient("http://moss.test", "dev:ann") as client:
        assert "ann" not in repr(client)


@pytest.mark.parametrize("url", ["", "moss.test", "ftp://moss.test"])
def test_base_url_of_another_kind_is_refused(url: str):
    with pytest.raises(ValueError, match="base_url"):
        MossClient(url, "dev:ann")


@pytest.mark.parametrize("key", ["", "dev:\nann", "dev:앤"])
def test_key_that_is_no_header_value_is_refused(key: str):
    with pytest.raises(ValueError, match="api_key"):
        MossClient("http://moss.test", key)


def test_aware_datetime_is_sent_in_utc(script: Made):
    service = script(ok({}))
    at = datetime(2026, 7, 17, 12, tzinfo=timezone(timedelta(hours=9)))

    service.client().chat("Lunch?", reference_time=at)

    assert json.loads(service.asked[0].content)["reference_time"] == "2026-07-17T03:00:00Z"


def test_naive_datetime_is_left_for_the_service_to_refuse(script: Made, refusal: Made):
    service = script(refusal(422, "naive_timestamp"))

    with pytest.raises(problems.NaiveTimestampError):
        service.client().chat("Lunch?", reference_time=datetime(2026, 7, 17, 12))  # noqa: DTZ001


def test_what_is_not_said_is_not_sent(script: Made):
    service = script(ok({}))

    service.client().chat("Hello")

    assert json.loads(service.asked[0].content) == {"text": "Hello"}


def test_none_clears_in_a_revision(script: Made):
    service = script(ok({}))

    service.client().revise("m-1", {"expires_at": None}, expected_revision=3)

    sent = json.loads(service.asked[0].content)
    assert sent == {"expires_at": None, "expected_revision": 3}


def test_id_cannot_reach_another_path(script: Made):
    service = script(ok({}))

    service.client().memory("../me?x")

    assert service.asked[0].url.raw_path == b"/memories/..%2Fme%3Fx"


def test_window_of_a_list_is_sent_as_from_and_to(script: Made):
    service = script(ok({"items": [], "next_cursor": None}))
    start = datetime(2026, 7, 1, tzinfo=UTC)

    list(service.client().memories(overlaps_from=start, overlaps_to="2026-08-01T00:00:00Z"))

    sent = dict(service.asked[0].url.params)
    assert sent == {"from": "2026-07-01T00:00:00Z", "to": "2026-08-01T00:00:00Z"}


def test_list_goes_on_to_the_last_page(script: Made):
    first = ok({"items": [1, 2], "next_cursor": "c"})
    service = script(first, ok({"items": [3], "next_cursor": None}))

    assert list(service.client().memories(domain="Store")) == [1, 2, 3]
    assert dict(service.asked[1].url.params) == {"domain": "Store", "cursor": "c"}


def test_page_is_not_fetched_before_it_is_needed(script: Made):
    service = script(ok({"items": [1, 2], "next_cursor": "c"}))

    next(service.client().memories())

    assert len(service.asked) == 1


def test_past_is_resolved_once_for_all_pages(script: Made):
    first = ok({"items": [1], "next_cursor": "c", "known_epoch": "e"})
    service = script(first, ok({"items": [2], "next_cursor": None, "known_epoch": "e"}))

    list(service.client().memories(known_at="2026-07-01T00:00:00Z"))

    assert dict(service.asked[1].url.params) == {"known_epoch": "e", "cursor": "c"}


def test_write_carries_a_key_of_its_own(script: Made):
    service = script(ok({}), ok({}))
    client = service.client()

    client.remember(LUNCH)
    client.remember(LUNCH)

    first, second = (asked.headers["idempotency-key"] for asked in service.asked)
    assert first != second


def test_repeated_write_carries_the_same_key(script: Made):
    service = script(httpx2.ReadTimeout("slow"), ok({"status": "SUCCESS"}))

    service.client().remember(LUNCH)

    first, second = (asked.headers["idempotency-key"] for asked in service.asked)
    assert first == second


def test_named_key_is_the_one_sent(script: Made):
    service = script(ok({}))

    service.client().remember(LUNCH, idempotency_key="import-17")

    assert service.asked[0].headers["idempotency-key"] == "import-17"


@pytest.mark.parametrize("broken", [httpx2.ConnectError, httpx2.ReadError, httpx2.PoolTimeout])
def test_broken_connection_is_tried_again(script: Made, broken: type[Exception]):
    service = script(broken("gone"), broken("gone"), ok({"principal_id": "ann"}))

    assert service.client().me() == {"principal_id": "ann"}


def test_tries_end(script: Made):
    service = script(*[httpx2.ConnectError("gone")] * 3)

    with pytest.raises(ConnectionFailedError):
        service.client().me()

    assert len(service.asked) == 3


def test_pause_grows_from_try_to_try(script: Made):
    service = script(*[httpx2.ConnectError("gone")] * 4, ok({}))

    service.client(retries=4).me()

    assert all(later > earlier for earlier, later in pairwise(service.pauses))


@pytest.mark.parametrize(
    ("broken", "said"), [(httpx2.ConnectError, "no"), (httpx2.ReadTimeout, "maybe")]
)
def test_failure_says_whether_the_write_may_have_happened(
    script: Made, broken: type[Exception], said: str
):
    service = script(broken("gone"))

    with pytest.raises(ConnectionFailedError) as caught:
        service.client(retries=0).remember(LUNCH, idempotency_key="k")

    assert caught.value.may_have_happened == (said == "maybe")
    assert caught.value.idempotency_key == "k"


def test_retry_after_is_waited_for(script: Made, refusal: Made):
    busy = refusal(429, "rate_limited", headers={"retry-after": "7"})
    service = script(busy, ok({}))

    service.client().chat("Hello")

    assert service.pauses == [7.0]


def test_retry_after_as_a_date_counts_from_the_answers_own(script: Made, refusal: Made):
    headers = {"retry-after": "Fri, 17 Jul 2026 03:00:09 GMT"}
    headers["date"] = "Fri, 17 Jul 2026 03:00:00 GMT"
    service = script(refusal(503, "storage_unavailable", headers=headers), ok({}))

    service.client().me()

    assert service.pauses == [9.0]


def test_retry_after_beyond_patience_is_not_waited_for(script: Made, refusal: Made):
    service = script(refusal(429, "rate_limited", headers={"retry-after": "60"}))

    with pytest.raises(problems.RateLimitedError) as caught:
        service.client(patience=10).chat("Hello")

    assert caught.value.retry_after == 60.0


@pytest.mark.parametrize("status", [502, 503, 504])
def test_failure_of_a_proxy_is_tried_again(script: Made, status: int):
    service = script(httpx2.Response(status, html="<h1>Bad gateway</h1>"), ok({"ok": True}))

    assert service.client().me() == {"ok": True}


@pytest.mark.parametrize("code", ["not_found", "not_admitted", "internal", "too_many_pendings"])
def test_refusal_that_time_does_not_heal_is_not_tried_again(script: Made, refusal: Made, code: str):
    service = script(refusal(STATUS[code].value, code))

    with pytest.raises(ProblemError):
        service.client().remember(LUNCH)

    assert len(service.asked) == 1


@pytest.mark.parametrize("code", STATUS)
def test_problem_raises_the_exception_of_its_code(script: Made, refusal: Made, code: str):
    service = script(refusal(STATUS[code].value, code))

    with pytest.raises(BY_CODE[code]) as caught:
        service.client(retries=0).me()

    assert (caught.value.code, caught.value.request_id) == (code, "r-1")


def test_problem_of_a_newer_service_keeps_its_code(script: Made, refusal: Made):
    with pytest.raises(ProblemError) as caught:
        script(refusal(418, "teapot", spout=1)).client().me()

    assert (type(caught.value), caught.value.code) == (ProblemError, "teapot")
    assert caught.value.members == {"spout": 1}


def test_fields_of_a_problem_are_attributes(script: Made, refusal: Made):
    service = script(refusal(409, "revision_conflict", current_revision=4))

    with pytest.raises(problems.RevisionConflictError) as caught:
        service.client().forget("m-1", expected_revision=3)

    assert caught.value.current_revision == 4


@pytest.mark.parametrize("answer", [httpx2.Response(200, text="hello"), httpx2.Response(302)])
def test_answer_of_something_else_is_said_so(script: Made, answer: httpx2.Response):
    with pytest.raises(UnexpectedAnswerError):
        script(answer).client().me()


def test_no_content_is_none(script: Made):
    assert script(httpx2.Response(204)).client().end_session("s-1") is None


def test_unready_service_is_an_answer(script: Made):
    service = script(ok({"status": "unready", "checks": {"database": "down"}}, 503))

    assert service.client().readyz()["status"] == "unready"


def stream(*lines: str) -> httpx2.Response:
    body = "\n".join(lines).encode()
    return httpx2.Response(200, content=body, headers={"content-type": "text/event-stream"})


WRITTEN = ("id: 1", "event: memory.written", 'data: {"revision": 1}', "", "")
RETIRED = ("id: 2", "event: memory.retired", 'data: {"revision": 2}', "", "")


def test_events_go_on_after_the_last_one_when_the_stream_breaks(script: Made):
    service = script(stream(*WRITTEN), httpx2.ConnectError("gone"), stream(*RETIRED))
    events = service.client().events()

    assert [next(events)["event"] for _ in range(2)] == ["memory.written", "memory.retired"]
    assert [asked.headers.get("last-event-id") for asked in service.asked] == [None, "1", "1"]


def test_events_start_after_a_given_one(script: Made):
    service = script(stream(*RETIRED))

    assert next(service.client().events("1"))["event_id"] == "2"
    assert service.asked[0].headers["last-event-id"] == "1"


def test_comments_of_a_stream_are_no_events(script: Made):
    service = script(stream(": still here", "", *WRITTEN))

    assert next(service.client().events())["data"] == {"revision": 1}


def test_refused_stream_raises(script: Made, refusal: Made):
    with pytest.raises(problems.UnauthenticatedError):
        next(script(refusal(401, "unauthenticated")).client().events())


def test_awaited_client_repeats_and_reads_pages_too(script: Made):
    first = ok({"items": [1], "next_cursor": "c"})
    service = script(httpx2.ReadTimeout("slow"), first, ok({"items": [2], "next_cursor": None}))

    async def listed() -> list[Any]:
        async with service.async_client() as client:
            return [item async for item in client.memories()]

    assert asyncio.run(listed()) == [1, 2]
    assert len(service.pauses) == 1


def test_awaited_client_resumes_events_too(script: Made):
    service = script(stream(*WRITTEN), stream(*RETIRED))

    async def two() -> list[str]:
        async with service.async_client() as client:
            events = client.events()
            return [(await anext(events))["event_id"] for _ in range(2)]

    assert asyncio.run(two()) == ["1", "2"]
