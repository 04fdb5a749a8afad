"""Every route answers odd input by the short way as FastAPI's own solver would have it."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import request_response
from pydantic import SecretStr
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from moss_memory.api.circumstances import Route
from moss_memory.app import create_app
from moss_memory.settings import Settings

Row = dict[str, Any]
APART = {"/events", "/mcp", "/metrics"}  # streams that end with their reader; figures of a process
NEW = re.compile(  # what no two services have alike: ids, instants, keys, and cursors over them
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z"
    r'|moss_live_\w+|(?<="key_id":")\w+|(?<="next_cursor":")[\w-]+'
)
IDS = ("x", "01a229f6-e2d1-7321-92f1-4f392004ccf7", "%20", "%F0%9F%8D%95", "a%2Fb", "x/")
QUERIES = ("", "0", "-1", "1", "1.0", "9" * 30, "true", "abc", "active", "2026-07-16")
QUERIES += (
    "2026-07-16T00:00:00",
    "2026-07-16T00:00:00Z",
    "2026-07-16T00%3A00%3A00%2B09%3A00",
    "%00",
)
BODIES = ("", "null", "[]", "{}", "1", '"x"', '{"odd": 1}', "{", '{"a": 1, "a": 2}')
VALUES = (None, 0, 1, -1, 1.5, True, "", "x", "1", "2026-07-16T00:00:00Z", [], ["x"], {}, {"x": 1})


def by_the_long_way(route: BaseRoute) -> BaseRoute:
    """Return a route of its own: those of the modules are served by every application."""
    if not isinstance(route, Route):
        return route
    long = copy(route)
    long.way, long.app = None, request_response(long.get_route_handler())
    return long


@pytest.fixture(scope="module")
def both(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two services over equal databases: one as it is, one that knows only the long way."""
    with ExitStack() as stack:
        made = []
        for name in ("short", "long"):
            path = tmp_path_factory.mktemp(name) / "moss.db"
            path.write_bytes(sqlite_template.read_bytes())
            chosen = Settings(database_url=SecretStr(f"sqlite:///{path}"))
            app = create_app(chosen, lines=io.StringIO())
            served = app.router.routes
            assert sum(getattr(each, "way", None) is not None for each in served) > 20
            if name == "long":
                served[:] = [by_the_long_way(each) for each in served]
            client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
            made.append(stack.enter_context(client))
        yield made


def asked(spec: Row) -> Iterator[tuple[str, str, bytes | None]]:
    """Yield method, target and body of every odd request."""
    for path, methods in spec["paths"].items():
        if path in APART:
            continue
        for method, described in methods.items():
            for target, body in of_one(spec, path, described):
                yield method.upper(), target, body
        yield "HEAD", re.sub(r"{\w+}", "x", path), None
        yield "PROPFIND", re.sub(r"{\w+}", "x", path), None


def of_one(spec: Row, path: str, described: Row) -> Iterator[tuple[str, bytes | None]]:
    plain = re.sub(r"{\w+}", "x", path)
    least = b"{}" if "requestBody" in described else None
    for odd in IDS:
        yield re.sub(r"{\w+}", odd, path), least
    yield plain + "/", least
    yield plain + "?odd=1", least
    for query in queries(described):
        yield f"{plain}?{query}", least
    for body in BODIES:
        yield plain, body.encode()
    for name in properties(spec, described):
        for value in VALUES:
            yield plain, json.dumps({name: value}).encode()


def queries(described: Row) -> Iterator[str]:
    for each in described.get("parameters", ()):
        if each["in"] == "query":
            name = each["name"]
            yield f"{name}&"
            yield f"{name}=1&{name}=1"
            yield f"{name.upper()}=1"
            for value in QUERIES:
                yield f"{name}={value}"


def properties(spec: Row, described: Row) -> list[str]:
    if "requestBody" not in described:
        return []
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    if "$ref" in schema:
        schema = spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return list(schema.get("properties", ()))


def told(client: TestClient, method: str, target: str, body: bytes | None) -> Any:
    headers = {"Authorization": "Bearer dev:kim"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    answer = client.request(method, target, content=body, headers=headers, follow_redirects=False)
    kept = {name: answer.headers.get(name) for name in ("content-type", "allow", "location")}
    return answer.status_code, kept, NEW.sub("NEW", answer.text)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.campaign)])
def test_every_route_answers_odd_input_as_by_the_long_way(both: Any, step: int) -> None:
    """One in nine of all requests by default: the whole takes half a minute."""
    short, long = both
    spec = short.get("/openapi.json").json()
    every = list(asked(spec))

    assert len(every) > 1_000
    assert [each for each in every[::step] if told(short, *each) != told(long, *each)] == []
