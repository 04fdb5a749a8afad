"""Which routes are bound without FastAPI's solver, and that a fault reads as the solver's own."""

import asyncio
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from moss_memory.api import memories
from moss_memory.api.short_way import ShortWay, short_way

router = APIRouter()


class Thing(BaseModel):
    size: Annotated[int, Field(ge=1)]


async def who(request: Request) -> str:
    return request.headers.get("x-who", "nobody")


async def greeting(known: Annotated[str, Depends(who)]) -> str:
    return f"hello {known}"


@router.post("/things/{number}")
def things(
    number: int,
    body: Thing,
    hello: Annotated[str, Depends(greeting)],
    limit: Annotated[int, Field(le=9)] = 5,
) -> JSONResponse:
    return JSONResponse([number, body.size, hello, limit])


@router.get("/headed")
def headed(x_word: Annotated[str, Header()]) -> Response:
    return Response(x_word)


@router.get("/modelled")
def modelled() -> dict[str, str]:
    return {}


app = FastAPI()
app.include_router(router)


def route(name: str) -> APIRoute:
    return next(each for each in router.routes if isinstance(each, APIRoute) and each.name == name)


def way_of(name: str) -> ShortWay:
    way = short_way(route(name).dependant)
    assert way is not None
    return way


def ask(number: str, body: Any, query: str) -> Response:
    scope = {
        "type": "http",
        "headers": [(b"x-who", b"ann")],
        "path_params": {"number": number},
        "query_string": query.encode(),
        "state": {"json": body},
    }
    return asyncio.run(way_of("things")(Request(scope)))


def test_short_way_gives_the_endpoint_what_the_solver_gives_it():
    long = TestClient(app).post("/things/3?limit=7", json={"size": 2}, headers={"x-who": "ann"})

    assert ask("3", {"size": 2}, "limit=7").body == long.content == b'[3,2,"hello ann",7]'


def test_absent_query_parameter_takes_its_default():
    assert ask("3", {"size": 2}, "").body == b'[3,2,"hello ann",5]'


def test_faults_are_those_of_the_solver_in_the_same_order():
    long = TestClient(app).post("/things/x?limit=70", json={"size": 0})
    with pytest.raises(RequestValidationError) as caught:
        ask("x", {"size": 0}, "limit=70")

    told = [(list(each["loc"]), each["type"]) for each in caught.value.errors()]
    assert told == [(each["loc"], each["type"]) for each in long.json()["detail"]]


@pytest.mark.parametrize("name", ["headed", "modelled"])
def test_route_that_needs_more_keeps_the_long_way(name: str):
    assert short_way(route(name).dependant) is None


def test_routes_of_memories_all_have_the_short_way():
    assert [each.path for each in memories.router.routes if not short_way(each.dependant)] == []
