"""Stores in memory, a clock that stands still, and the whole service for the access tests."""

import dataclasses
import importlib.util
import io
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from moss_memory.app import create_app
from moss_memory.settings import Settings


def _stores() -> ModuleType:
    path = Path(__file__).parents[1] / "adapters" / "access_stores.py"
    spec = importlib.util.spec_from_file_location("access_stores", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def key_store() -> Any:
    """An empty KeyStore in memory; ``found`` counts look-ups."""
    return _stores().MemoryKeys()


@pytest.fixture
def scope_store() -> Any:
    """An empty ScopeStore in memory."""
    return _stores().MemoryScopes()


@pytest.fixture
def now() -> datetime:
    """The instant of the test."""
    return datetime(2026, 7, 16, 5, tzinfo=UTC)


@dataclass(frozen=True)
class Service:
    """A running service on a database of its own, and what it wrote to its log."""

    client: TestClient
    app: FastAPI
    _running: ExitStack
    _lines: io.StringIO
    _libraries: pytest.LogCaptureFixture

    def call(self, method: str, path: str, who: str | None = "dev:kim", **kwargs: Any) -> Any:
        headers = kwargs.pop("headers", {})
        if who is not None:
            headers = {"Authorization": f"Bearer {who}", **headers}
        return self.client.request(method, path, headers=headers, **kwargs)

    def remember(self, title: str, who: str = "dev:kim", start: str = "2030-07-17T10:00Z") -> Any:
        """Store a meeting and return the memory as the wire shows it."""
        fact = {
            "domain": "Schedule",
            "subject": "Calendar",
            "predicate": "meeting",
            "object_value": title,
            "when": {"start": start.replace("Z", ":00Z")},
        }
        answer = self.call("POST", "/memories", who, json={"facts": [fact]})
        assert answer.status_code == 201, answer.text
        return answer.json()["facts"][0]

    def replace(self, **changes: Any) -> None:
        """Put other ports into the house."""
        self.app.state.house = dataclasses.replace(self.app.state.house, **changes)

    def logged(self) -> str:
        """Stop the service and return all that it logged, its libraries' lines too."""
        self._running.close()
        return self._lines.getvalue() + self._libraries.text


@pytest.fixture
def service(sqlite_url: str, caplog: pytest.LogCaptureFixture) -> Iterator[Service]:
    """The whole service in dev mode on SQLite, with several tenants in one file."""
    settings = Settings(
        database_url=SecretStr(sqlite_url),
        sqlite_multitenant=True,
        secret_key=SecretStr("a pepper of the tests, long enough"),
    )
    lines = io.StringIO()
    with redirect_stdout(lines):  # where the service logs to is decided as it is made
        app = create_app(settings)
    with ExitStack() as running:
        client = running.enter_context(TestClient(app, raise_server_exceptions=False))
        yield Service(client, app, running, lines, caplog)
