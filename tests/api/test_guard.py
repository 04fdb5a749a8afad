"""The guard as an ASGI middleware: what reaches the application, and what is answered instead."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from moss_memory.api.envelope import Envelope
from moss_memory.api.guard import MAX_BODY, Guard

Client = Callable[..., httpx2.Response]
JSON_TYPE = {"content-type": "application/json"}


class Silent:
    """A log that nobody reads."""

    def info(self, event: str, **fields: object) -> None: ...

    def error(self, event: str, **fields: object) -> None: ...


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    seen = {"read": scope["state"].get("json"), "bytes": len(body), "method": scope["method"]}
    await JSONResponse(seen)(scope, receive, send)


def guarded(seconds: float = 1.0) -> Envelope:
    return Envelope(Guard(echo, seconds=seconds), ids=lambda: "made-here", log=Silent())


@pytest.fixture
def client() -> Client:
    def send(method: str = "POST", **request: Any) -> httpx2.Response:
        async def run() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=guarded())
            async with httpx2.AsyncClient(transport=transport, base_url="http://moss") as http:
                return await http.request(method, "/chat", **request)

        return asyncio.run(run())

    return send


def test_json_object_reaches_the_application_parsed_and_whole(client: Client) -> None:
    answer = client(content=b'{"text": "a"}', headers=JSON_TYPE)

    assert answer.json() == {"read": {"text": "a"}, "bytes": 13, "method": "POST"}


@pytest.mark.parametrize(
    "declared",
    ["application/json", "Application/JSON", "application/json; charset=utf-8",
     'application/json;charset="UTF-8"'],
)  # fmt: skip
def test_json_in_utf8_is_a_supported_type(client: Client, declared: str) -> None:
    assert client(content=b"{}", headers={"content-type": declared}).status_code == 200


@pytest.mark.parametrize(
    "declared",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16",
     "application/vnd.api+json", "multipart/form-data; boundary=x", "application/json, text/plain"],
)  # fmt: skip
def test_any_other_type_is_refused(client: Client, declared: str) -> None:
    answer = client(content=b"{}", headers={"content-type": declared})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_body_without_a_type_is_refused(client: Client) -> None:
    assert client(content=b"{}").status_code == 415


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "identity, gzip"])
def test_encoded_body_is_refused_unread(client: Client, encoding: str) -> None:
    headers = {**JSON_TYPE, "content-encoding": encoding}

    assert client(content=b"\x1f\x8b", headers=headers).status_code == 415


@pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"1", b"true"])
def test_json_that_is_no_object_is_an_invalid_request(client: Client, body: bytes) -> None:
    answer = client(content=body, headers=JSON_TYPE)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_malformed_json_is_refused_without_its_words(client: Client) -> None:
    answer = client(content=b'{"canary": "canary"', headers=JSON_TYPE)

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_body")
    assert "canary" not in answer.text


@pytest.mark.parametrize(("size", "status"), [(MAX_BODY, 200), (MAX_BODY + 1, 413)])
def test_moss_m46_body_is_bounded_to_the_byte(client: Client, size: int, status: int) -> None:
    body = json.dumps({"a": "x" * (size - 9)}, separators=(", ", ": ")).encode()
    assert len(body) == size

    assert client(content=body, headers=JSON_TYPE).status_code == status


def test_body_is_bounded_where_its_length_is_not_announced(client: Client) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b"x" * 1024

    answer = client(content=chunks(), headers=JSON_TYPE)

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("announced", ["-1", "abc", "1e3", "٣"])
def test_nonsense_length_is_never_an_error_of_ours(announced: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", announced.encode())]

    assert drive(headers, [{"type": "http.request", "body": b"{}"}])[0] == 200


def test_slow_body_is_answered_and_its_connection_closed() -> None:
    status, headers = drive(
        [(b"content-type", b"application/json")],
        [{"type": "http.request", "body": b"{", "more_body": True}],
        seconds=0.05,
    )

    assert (status, headers["connection"]) == (400, "close")


def test_nothing_is_answered_to_a_client_that_has_gone() -> None:
    assert drive([], [{"type": "http.disconnect"}]) == (0, {})


def test_head_is_answered_like_get(client: Client) -> None:
    assert client("HEAD").status_code == 200


@pytest.mark.parametrize("offered", ["abc-1", "a" * 128, "0198c0de.7"])
def test_sane_request_id_is_kept(client: Client, offered: str) -> None:
    assert client("GET", headers={"x-request-id": offered}).headers["x-request-id"] == offered


@pytest.mark.parametrize("offered", ["", "a b", "a" * 129, "a\tb", "<script>"])
def test_other_request_id_is_replaced(client: Client, offered: str) -> None:
    answer = client("GET", headers={"x-request-id": offered})

    assert answer.headers["x-request-id"] == "made-here"


@pytest.mark.parametrize("body", [b"{}", b"{"])
def test_moss_m54_every_answer_carries_the_safe_headers(client: Client, body: bytes) -> None:
    headers = client(content=body, headers=JSON_TYPE).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["referrer-policy"] == "no-referrer"


def drive(
    headers: list[tuple[bytes, bytes]], messages: list[Message], seconds: float = 1.0
) -> tuple[int, dict[str, str]]:
    """Send raw ASGI messages; return status and headers of the answer, 0 where there is none."""
    answered: tuple[int, dict[str, str]] = (0, {})
    left = list(messages)

    async def receive() -> Message:
        if left:
            return left.pop(0)
        await asyncio.sleep(60)
        raise AssertionError("never asked for more")

    async def send(message: Message) -> None:
        nonlocal answered
        if message["type"] == "http.response.start":
            named = {name.decode(): value.decode() for name, value in message["headers"]}
            answered = message["status"], named

    scope: dict[str, Any] = {
        "type": "http", "method": "POST", "path": "/chat", "query_string": b"",
        "headers": headers, "state": {},
    }  # fmt: skip
    asyncio.run(guarded(seconds)(scope, receive, send))
    return answered
