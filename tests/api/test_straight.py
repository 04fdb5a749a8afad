"""The table finds what the framework would take, and answers what it would answer."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match, Mount, Route, Router

from moss_memory.api.straight import Table
from moss_memory.app import create_app
from moss_memory.settings import Settings

METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "PROPFIND")
ENDINGS = ("", "/", "\n", "/x", "/x/", "//", "x", "?", "%2F")


@pytest.fixture(scope="module")
def app(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    path = tmp_path_factory.mktemp("straight") / "moss.db"
    path.write_bytes(sqlite_template.read_bytes())
    return create_app(Settings(database_url=SecretStr(f"sqlite:///{path}")), lines=io.StringIO())


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://127.0.0.1") as made:
        yield made


def scope(method: str, path: str) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": path}


def by_asking_each(routes: list[Any], asked: dict[str, Any]) -> Any:
    """Return what the framework's loop takes: the first route of the path with the method."""
    for route in routes:
        match, told = route.matches(asked)
        if match is Match.FULL:
            return route, told["path_params"]
    return None


def endpoint(request: Any) -> Response:
    return PlainTextResponse("here")


def test_table_takes_the_route_that_the_framework_takes(app: FastAPI):
    routes = app.router.routes
    table = Table(routes)
    paths = {getattr(each, "path", "/").replace("{name:path}", "a/b") for each in routes}
    asked = [
        scope(method, path.replace("{", "").replace("}", "") + ending)
        for method in METHODS
        for path in sorted(paths | {"*", "", "/"})
        for ending in ENDINGS
    ]

    found = [(each, table.find(each)) for each in asked]
    assert sum(taken is not None for _, taken in found) > 60
    assert [each for each, taken in found if taken and taken != by_asking_each(routes, each)] == []


def test_every_route_with_a_short_way_is_in_the_table(app: FastAPI):
    table = Table(app.router.routes)
    straight = [each for each in app.router.routes if getattr(each, "way", None) is not None]

    assert len(straight) > 20
    for each in straight:
        taken = table.find(scope(next(iter(each.methods)), each.path))
        assert taken is not None
        assert taken[0] is each


@pytest.mark.parametrize(
    "before",
    [
        Mount("/notes", routes=[]),
        Mount("", routes=[]),
        Route("/{anything:path}", endpoint),
        Route("/notes/{rest:path}", endpoint),
        Route("/{first}/x", endpoint),
        Route("/notes/x", Router()),  # an application of its own: it takes every method
    ],
    ids=["mount", "mount of all", "any", "any below", "any first word", "an application"],
)
def test_table_leaves_to_the_framework_what_another_route_may_take_first(before: Any):
    assert Table([before, Route("/notes/x", endpoint)]).find(scope("GET", "/notes/x")) is None


def test_first_of_two_routes_of_one_path_is_taken():
    first, second = Route("/notes/{one}", endpoint), Route("/notes/x", endpoint)
    found = Table([first, second]).find(scope("GET", "/notes/x"))

    assert found == (first, {"one": "x"})


def test_route_included_with_a_prefix_is_left_to_the_framework():
    app, router = FastAPI(), APIRouter()
    router.add_api_route("/x", endpoint)
    app.include_router(router, prefix="/notes")

    assert Table(app.router.routes).find(scope("GET", "/notes/x")) is None


def test_application_below_a_root_path_answers_as_the_framework_does(app: FastAPI):
    with TestClient(app, base_url="http://127.0.0.1", root_path="/behind") as below:
        answer = below.get("/behind/pending", headers={"Authorization": "Bearer dev:kim"})

    assert (answer.status_code, answer.json()["items"]) == (200, [])


def test_refusal_of_a_short_way_is_a_problem(client: TestClient):
    answer = client.get("/memories/x", headers={"Authorization": "Bearer dev:kim"})

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
