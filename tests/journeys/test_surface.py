"""The surface around the routes: headers, health, documents, origins, the log, and bugs."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings

ORIGIN = "https://app.example"
CREDENTIAL = {"Authorization": "Bearer dev:alice"}
CANARY = "kanarienvogel"


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def http(sqlite_url: str, lines: io.StringIO) -> Iterator[httpx2.Client]:
    settings = Settings(database_url=SecretStr(sqlite_url), cors_origins=(ORIGIN,))
    with (
        in_background(create_app(settings, lines=lines)) as base,
        httpx2.Client(base_url=base, timeout=30, verify=False) as client,
    ):
        yield client


def test_health_tells_living_from_ready(stranger: httpx2.Client) -> None:
    ready = stranger.get("/readyz").json()

    assert stranger.get("/livez").json() == {"status": "alive"}
    assert ready["status"] == "ready"
    assert set(ready["checks"].values()) == {"ok"}
    assert {"database", "migrations", "desk"} <= ready["checks"].keys()


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/docs", "/openapi.json"])
def test_head_is_get_without_the_body(stranger: httpx2.Client, path: str) -> None:
    head, get = stranger.head(path), stranger.get(path)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


def test_documentation_loads_nothing_from_anywhere(stranger: httpx2.Client) -> None:
    page = stranger.get("/docs")

    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert not re.search(r"<script|src=|https?://", page.text)
    assert "POST /chat" in page.text


def test_document_describes_refusals_and_the_credential(stranger: httpx2.Client) -> None:
    document = stranger.get("/openapi.json").json()
    chat = document["paths"]["/chat"]["post"]

    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert chat["security"] == [{"bearer": []}]
    assert "security" not in document["paths"]["/readyz"]["get"]
    assert {"200", "400", "401", "413", "415", "422", "429", "502", "503", "504"} <= chat[
        "responses"
    ].keys()
    assert chat["responses"]["401"]["content"] == {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
    }
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_every_reference_of_the_document_leads_somewhere(stranger: httpx2.Client) -> None:
    text = stranger.get("/openapi.json").text
    schemas = json.loads(text)["components"]["schemas"]

    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) <= schemas.keys()


def test_origin_that_is_listed_may_call(http: httpx2.Client) -> None:
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization, content-type, if-match, idempotency-key",
    }
    preflight = http.options("/memories/x", headers=asked)
    answer = http.get("/me", headers={**CREDENTIAL, "Origin": ORIGIN})

    assert preflight.status_code == 200
    assert "PATCH" in preflight.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "ETag" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://app.example.evil"])
def test_other_origin_may_not(http: httpx2.Client, origin: str) -> None:
    answer = http.get("/me", headers={**CREDENTIAL, "Origin": origin, "Cookie": "a=b"})

    assert "access-control-allow-origin" not in answer.headers


def test_no_origin_may_call_where_none_is_listed(stranger: httpx2.Client) -> None:
    answer = stranger.get("/me", headers={**CREDENTIAL, "Origin": ORIGIN})

    assert "access-control-allow-origin" not in answer.headers


def test_log_has_a_line_a_request_and_no_words(http: httpx2.Client, lines: io.StringIO) -> None:
    headers = {**CREDENTIAL, "X-Request-ID": "seen-1"}
    http.post("/chat", json={"text": f"Schedule a {CANARY} for tomorrow"}, headers=headers)
    http.get("/memories", params={"subject": CANARY}, headers=CREDENTIAL)
    http.get(f"/memories/{CANARY}", headers=CREDENTIAL)
    http.post("/chat", content=f'{{"{CANARY}"'.encode(), headers=CREDENTIAL)
    http.get(f"/{CANARY}")
    http.get("/livez")  # its line comes after theirs
    logged = [json.loads(line) for line in _settled(lines, 5)]

    assert [line["route"] for line in logged[:3]] == [
        "/chat", "/memories", "/memories/{memory_id}",
    ]  # fmt: skip
    assert [line["code"] for line in logged[:3]] == [None, None, "not_found"]
    assert logged[0]["request_id"] == "seen-1"
    assert CANARY not in lines.getvalue()


def _settled(lines: io.StringIO, count: int) -> list[str]:
    """Wait for the log's thread to write ``count`` lines."""
    while len(lines.getvalue().splitlines()) < count:
        pass
    return lines.getvalue().splitlines()


def test_bug_is_a_bare_500_and_a_place_in_the_log(sqlite_url: str, lines: io.StringIO) -> None:
    app = create_app(Settings(database_url=SecretStr(sqlite_url)), lines=lines)

    @app.get("/bug")
    def bug() -> None:
        raise ValueError(CANARY)

    with in_background(app) as base:
        answer = httpx2.get(f"{base}/bug")
        alive = httpx2.get(f"{base}/livez")
        logged = json.loads(_settled(lines, 1)[0])

    told: dict[str, Any] = answer.json()
    assert (answer.status_code, told["code"], told["detail"]) == (
        500, "internal", "Unexpected error.",
    )  # fmt: skip
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert alive.status_code == 200
    assert (logged["event"], logged["kind"]) == ("bug", "builtins.ValueError")
    assert any("test_surface.py" in place for place in logged["at"])
    assert CANARY not in answer.text + lines.getvalue()
