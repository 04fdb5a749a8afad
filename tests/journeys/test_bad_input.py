"""Bad input over HTTP: the status and code of the contract, nothing written, nothing repeated."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

ROOT = Path(__file__).resolve().parents[2]
BODIES = ROOT.parent / "shared" / "data" / "raw_bodies.jsonl"
JSON_TYPE = {"Content-Type": "application/json"}
CANARY = "kanarienvogel"

MEETING: dict[str, Any] = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Review",
    "when": {"start": "2026-07-17T10:00:00+09:00", "end": "2026-07-17T11:00:00+09:00"},
}


def code(answer: httpx2.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    return answer.status_code, answer.json()["code"]


def facts(**changed: Any) -> dict[str, Any]:
    fact = {**MEETING, **changed}
    return {"facts": [{name: value for name, value in fact.items() if value is not ...}]}


BAD_FACTS = [
    (facts(predicate="crush"), "unknown_predicate"),
    (facts(domain="Astrology"), "unknown_predicate"),
    (facts(subject="Fridge"), "unknown_predicate"),
    (facts(when={"start": "2026-07-17T10:00:00"}), "naive_timestamp"),
    (facts(when={"start": "2026-07-17T11:00:00Z", "end": "2026-07-17T10:00:00Z"}), "empty_window"),
    (facts(when={"start": "2026-07-17T11:00:00Z", "end": "2026-07-17T11:00:00Z"}), "empty_window"),
    (facts(when={"date": "2026-07-17", "timezone": "Mars/Olympus"}), "unknown_zone"),
    (facts(when={"date": "2026-07-17", "rrule": "FREQ=HOURLY"}), "unbounded_recurrence"),
    (facts(when=...), "window_required"),
    (facts(object_value="x" * 501), "text_too_long"),
    (facts(observed_at="2026-07-17T10:00:00"), "naive_timestamp"),
    (facts(confidence=2), "invalid_request"),
    (facts(canary=CANARY), "invalid_request"),
    ({"facts": [MEETING] * 11}, "too_many_facts"),
    ({"facts": []}, "invalid_request"),
    ({"facts": [MEETING], CANARY: 1}, "invalid_request"),
]


@pytest.mark.parametrize(("body", "expected"), BAD_FACTS)
def test_malformed_fact_is_refused_with_its_code_and_nothing_is_written(
    alice: Any, body: dict[str, Any], expected: str
) -> None:
    answer = alice.http.post("/memories", json=body)

    assert code(answer) == (422, expected)
    assert CANARY not in answer.text
    assert alice.memories(status="all") == []


@pytest.mark.parametrize(("body", "expected"), BAD_FACTS)
def test_linting_refuses_what_writing_refuses(
    alice: Any, body: dict[str, Any], expected: str
) -> None:
    assert code(alice.http.post("/lint", json=body)) == (422, expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"text": CANARY * 400}, "text_too_long"),
        ({"text": ""}, "invalid_request"),
        ({"text": " \n"}, "invalid_request"),
        ({"text": 1}, "invalid_request"),
        ({}, "invalid_request"),
        ({"text": "hello", "user_name": CANARY}, "invalid_request"),
        ({"text": "hello", "reference_time": "2026-07-16T14:00:00"}, "naive_timestamp"),
        ({"text": "hello", "timezone": "Mars/Olympus"}, "unknown_zone"),
        ({"text": "hello", "session_id": "a b"}, "invalid_request"),
    ],
)
def test_malformed_utterance_is_refused(alice: Any, body: dict[str, Any], expected: str) -> None:
    answer = alice.http.post("/chat", json=body)

    assert code(answer) == (422, expected)
    assert CANARY not in answer.text


def oddities() -> Iterator[Any]:
    """Every oddity of the shared bodies, in a body of each of our routes."""
    if not BODIES.exists():
        reason = "the shared corpus is not beside this checkout"
        yield pytest.param("", b"", 0, marks=pytest.mark.skip(reason=reason))
        return
    plain = b'"predicate":"meeting","object_value":"a"'
    for line in BODIES.read_text().splitlines():
        row = json.loads(line)
        raw = base64.b64decode(row["body_b64"])
        for route, ours in (
            ("/chat", b'"text":"hello there"'),
            ("/memories", f'"facts":{json.dumps([MEETING])}'.encode()),
            ("/lint", f'"facts":{json.dumps([MEETING])}'.encode()),
            ("/context", b'"query":"hello there"'),
        ):
            carried = carry(raw, plain, ours)
            yield pytest.param(route, carried, row["expect"], id=f"{row['name']}{route}")


def carry(raw: bytes, plain: bytes, ours: bytes) -> bytes:
    """Give an odd body our members before its own: what was odd about it stays odd."""
    if raw == b"{" + plain + b"}":
        return b"{" + ours + b"}"
    wide = raw.startswith(b"\xff\xfe")
    text = "".join(map(chr, ours)).encode("utf-16-le") if wide else ours
    comma = ",".encode("utf-16-le") if wide else b","
    brace = "{".encode("utf-16-le") if wide else b"{"
    head, found, tail = raw.partition(brace)
    return head + found + text + comma + tail if found else raw


@pytest.mark.parametrize(("route", "body", "expected"), list(oddities()))
def test_odd_body_is_judged_as_labelled(alice: Any, route: str, body: bytes, expected: int) -> None:
    answer = alice.http.post(route, content=body, headers=JSON_TYPE)

    if expected == 200:
        assert answer.is_success, answer.text
    else:
        assert answer.status_code == expected
        assert answer.json()["code"] == {400: "malformed_body", 422: "invalid_request"}[expected]


@pytest.mark.parametrize("number", ["1" * 5_000, "-" + "9" * 400, "1e999"])
def test_huge_number_is_refused_like_any_other(alice: Any, number: str) -> None:
    body = json.dumps(facts(confidence=0.5)).replace("0.5", number).encode()

    assert code(alice.http.post("/memories", content=body, headers=JSON_TYPE))[0] == 422


def test_body_of_a_hundred_mebibytes_is_refused_while_it_comes(alice: Any) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(1600):
            yield b"x" * 65_536

    assert code(alice.http.post("/chat", content=chunks(), headers=JSON_TYPE)) == (
        413, "body_too_large",
    )  # fmt: skip
    announced = alice.http.post("/chat", content=b"x" * 104_857_600, headers=JSON_TYPE)
    assert code(announced) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/json; charset=latin-1"}, 415),
        ({**JSON_TYPE, "Content-Encoding": "gzip"}, 415),
    ],
)
def test_other_kinds_of_bodies_are_not_supported(
    alice: Any, headers: dict[str, str], expected: int
) -> None:
    answer = alice.http.post("/chat", content=b'{"text": "hello"}', headers=headers)

    assert code(answer) == (expected, "unsupported_media_type")


@pytest.mark.parametrize(
    "credential",
    [None, "", "dev:alice", "Bearer", "Bearer alice", "Bearer dev:", "Basic YTpi",
     "Bearer dev:a:b:c", "Bearer dev:a b", "Bearer dev:a/b", "Bearer dev:" + "a" * 129],
)  # fmt: skip
def test_request_without_a_credential_is_nobody_s(
    stranger: httpx2.Client, credential: str | None
) -> None:
    headers = {} if credential is None else {"Authorization": credential}
    answer = stranger.get("/memories", headers=headers)

    assert code(answer) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_every_route_but_the_open_ones_needs_a_credential(stranger: httpx2.Client) -> None:
    document = stranger.get("/openapi.json").json()
    asked = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "security" in operation
    }
    answers = {
        (method, path): stranger.request(
            method, path.replace("{", "").replace("}", ""), content=b"{}", headers=JSON_TYPE
        ).status_code
        for method, path in asked
    }

    assert len(asked) > 12
    assert set(answers.values()) == {401}


@pytest.mark.parametrize("header", ["X-User-Id", "X-Tenant-Id", "X-Forwarded-User"])
def test_identity_is_never_taken_from_another_header(stranger: httpx2.Client, header: str) -> None:
    assert stranger.get("/memories", headers={header: "alice"}).status_code == 401


def test_other_tenant_is_not_served_by_sqlite(service: str, stranger: httpx2.Client) -> None:
    headers = {"Authorization": "Bearer dev:elsewhere:alice"}
    answer = stranger.get("/me", headers=headers)

    assert answer.status_code in {200, 403}  # PostgreSQL serves it
    assert answer.is_success or code(answer) == (403, "tenant_not_served")


def test_bytes_come_before_the_credential_and_the_credential_before_the_schema(
    alice: Any, stranger: httpx2.Client
) -> None:
    def ask(http: httpx2.Client, body: bytes) -> str:
        return code(http.post("/chat", content=body, headers=JSON_TYPE))[1]

    assert ask(stranger, b"{") == "malformed_body"
    assert ask(stranger, b'{"text": 1}') == "unauthenticated"
    assert ask(alice.http, b'{"text": 1}') == "invalid_request"


def test_body_schema_is_judged_the_same_whatever_the_id(alice: Any) -> None:
    stored = alice.stored(MEETING)
    ids = [stored["memory_id"], "0198c0de-0000-7000-8000-000000000000", "nonsense"]
    answers = [alice.http.patch(f"/memories/{one}", json={"hard": "yes"}) for one in ids]

    assert {code(answer) for answer in answers} == {(422, "invalid_request")}


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/chat"), ("DELETE", "/me"), ("POST", "/livez"), ("GET", "/confirm")],
)
def test_method_that_a_route_lacks_is_not_allowed(alice: Any, method: str, path: str) -> None:
    answer = alice.http.request(method, path)

    assert code(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"]


@pytest.mark.parametrize("path", ["/nowhere", "/chat/", "/memories/", "//memories", "/Memories"])
def test_path_that_is_not_there_is_not_found(alice: Any, path: str) -> None:
    assert code(alice.http.get(path)) == (404, "not_found")


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=1_0", "limit=+5", "limit=x", "limit=5&limit=5", "page=2",
     f"{CANARY}=1", "status=gone", "subject=a%00b", "cursor=nonsense", "known_epoch=nonsense",
     "known_at=2026-07-17T10:00:00Z&known_epoch=W10"],
)  # fmt: skip
def test_malformed_query_is_refused(alice: Any, query: str) -> None:
    answer = alice.http.get(f"/memories?{query}")

    assert answer.status_code == 422
    assert CANARY not in answer.text


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb"])
def test_malformed_idempotency_key_is_refused(alice: Any, key: str) -> None:
    headers = {"Idempotency-Key": key}

    assert code(alice.http.post("/memories", json=facts(), headers=headers)) == (
        422, "invalid_request",
    )  # fmt: skip
    assert alice.memories() == []


Meet = Callable[[str], Any]


def test_nothing_of_another_is_told_from_what_never_was(alice: Any, bob: Any) -> None:
    hers = alice.stored(MEETING)["memory_id"]
    asked = alice.propose(facts(object_value="Other")["facts"][0]).json()["pending"]
    nothing = "0198c0de-0000-7000-8000-000000000000"

    def bare(answer: httpx2.Response) -> tuple[int, dict[str, Any]]:
        told = answer.json()
        del told["request_id"]
        return answer.status_code, told

    for path in ("/memories/{}", "/memories/{}/why", "/memories/{}/revisions"):
        answers = [bob.http.get(path.format(one)) for one in (hers, nothing, "nonsense")]
        assert bare(answers[0]) == bare(answers[1]) == bare(answers[2])
        assert answers[0].status_code == 404
    for change in (
        lambda one: bob.http.patch(f"/memories/{one}", json={"hard": False}),
        lambda one: bob.http.delete(f"/memories/{one}?expected_revision=1"),
        lambda one: bob.http.post(f"/memories/{one}/restore", json={"revision": 1}),
    ):
        assert bare(change(hers)) == bare(change(nothing)) == bare(change("nonsense"))
    for one in (asked["pending_id"], "never-was"):
        assert code(bob.http.get(f"/pending/{one}")) == (404, "not_found")
        body = {"pending_id": one, "action": "cancel"}
        assert code(bob.http.post("/confirm", json=body)) == (404, "not_found")
