"""Traces: one span a request with its route and status, and nothing of what was said."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from moss_memory.integrations.tracing import ENDPOINT, Traced, provider


@pytest.fixture
def exported() -> Iterator[tuple[TracerProvider, InMemorySpanExporter]]:
    exporter = InMemorySpanExporter()
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made, exporter
    made.shutdown()


@pytest.fixture
def app(exported: Any) -> FastAPI:
    made = FastAPI()
    made.add_middleware(Traced, provider=exported[0])

    @made.get("/memories/{memory_id}")
    def read(memory_id: str) -> dict[str, str]:
        return {"memory_id": memory_id}

    @made.get("/broken")
    def broken() -> None:
        raise ValueError("zebrafish")

    return made


def ask(app: FastAPI, path: str, **headers: str) -> None:
    async def send() -> None:
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://service") as client:
            await client.get(path, headers=headers)

    asyncio.run(send())


def test_span_names_the_route_and_not_the_address(app: FastAPI, exported: Any):
    ask(app, "/memories/abc?query=zebrafish")

    (span,) = exported[1].get_finished_spans()
    assert span.name == "GET /memories/{memory_id}"
    assert dict(span.attributes) == {
        "http.response.status_code": 200,
        "http.request.method": "GET",
        "http.route": "/memories/{memory_id}",
    }


def test_bug_is_told_without_its_text(app: FastAPI, exported: Any):
    ask(app, "/broken")

    (span,) = exported[1].get_finished_spans()
    assert "zebrafish" not in span.to_json()
    assert span.events == ()


def test_span_is_a_child_of_the_callers(app: FastAPI, exported: Any):
    ask(app, "/broken", traceparent=f"00-{'ab' * 16}-{'cd' * 8}-01")

    (span,) = exported[1].get_finished_spans()
    assert f"{span.context.trace_id:032x}" == "ab" * 16


def test_nothing_is_exported_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(ENDPOINT, raising=False)

    assert provider() is None
