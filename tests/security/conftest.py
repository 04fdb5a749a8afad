"""Stores in memory, a clock that stands still, and the whole service for the access tests."""

import dataclasses
import importlib.util
import io
import itertools
import json
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from left_behind import Stage, staged
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


SECRETIVE = f"ocelot{secrets.token_hex(6)}"  # a word of somebody else, in no answer and no line


def plant(client: TestClient) -> None:
    """Keep the word in a tenant that no test speaks for."""
    fact = {"domain": "Preference", "subject": SECRETIVE, "predicate": "prefers"}
    answer = client.post(
        "/memories",
        json={"facts": [fact | {"object_value": SECRETIVE}]},
        headers={"Authorization": f"Bearer dev:zoo:{SECRETIVE}"},
    )
    assert answer.status_code == 201


class Service:
    """A running service in which every test has tenants of its own.

    ``dev:kim`` is kim of the test's tenant, ``dev:acme:kim`` one of another tenant of the test.
    """

    def __init__(self, shared: "Shared", tenant: str) -> None:
        self.client = shared.client
        self.app = shared.app
        self.url = shared.url
        self.tenant = tenant
        self._lines = shared.lines
        self._from = len(shared.lines.getvalue())
        self._asked: list[str] = []

    def named(self, who: str) -> str:
        scheme, *named = who.split(":")
        if scheme != "dev":
            return who
        tenants = [self.tenant, *named[:-1]]
        return f"dev:{'-'.join(tenants)}:{named[-1]}"

    def call(self, method: str, path: str, who: str | None = "dev:kim", **kwargs: Any) -> Any:
        headers = kwargs.pop("headers", {})
        if who is not None:
            headers = {"Authorization": f"Bearer {self.named(who)}", **headers}
        answer = self.client.request(method, path, headers=headers, **kwargs)
        self._asked.append(answer.headers["x-request-id"])
        assert SECRETIVE not in answer.text
        return answer

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
        """Put other ports into the house until the test is over."""
        self.app.state.house = dataclasses.replace(self.app.state.house, **changes)

    def logged(self) -> str:
        """Return what was logged of this test's requests, once every one has its line."""
        deadline = time.monotonic() + 10
        while True:
            written = self._lines.getvalue()[self._from :].splitlines()
            mine = [line for line in written if not self._of_another(line)]
            if sum('"event": "request"' in line for line in mine) >= len(self._asked):
                assert not any(SECRETIVE in line for line in written)
                return "\n".join(mine)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self._asked)} requests, fewer lines")
            time.sleep(0.01)

    def _of_another(self, line: str) -> bool:
        """Tell a line that the test before left to be written."""
        request_id = json.loads(line).get("request_id")
        return request_id is not None and request_id not in self._asked


@dataclass(frozen=True)
class Shared:
    """One application for all tests: proving its rules takes longer than a test."""

    client: TestClient
    app: FastAPI
    url: str
    lines: io.StringIO
    numbers: Iterator[int]


@pytest.fixture(scope="session")
def shared_service(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    """The whole service in dev mode on SQLite, with several tenants in one file."""
    path = tmp_path_factory.mktemp("service") / "moss.db"
    shutil.copy(sqlite_template, path)
    settings = Settings(
        database_url=SecretStr(f"sqlite:///{path}"),
        sqlite_multitenant=True,
        secret_key=SecretStr("a pepper of the tests, long enough"),
    )
    lines = io.StringIO()
    with redirect_stdout(lines):  # where the service logs to is decided as it is made
        app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        shared = Shared(client, app, f"sqlite:///{path}", lines, itertools.count(1))
        plant(client)
        yield shared


@pytest.fixture
def service(shared_service: Shared) -> Iterator[Service]:
    """The service with fresh tenants, and its own parts again when the test is over."""
    state = shared_service.app.state
    house, authenticator = state.house, state.authenticator
    yield Service(shared_service, f"t{next(shared_service.numbers)}")
    state.house, state.authenticator = house, authenticator


@pytest.fixture(params=["sqlite", "postgres"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    """The whole service before a scripted model, with all that it leaves behind."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "moss.db")
        named = f"sqlite:///{tmp_path / 'moss.db'}", None
    else:
        named = request.getfixturevalue("postgres_url"), request.getfixturevalue("redis_url")
    with staged(tmp_path, *named) as stage:
        yield stage
