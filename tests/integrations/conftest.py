"""A real service for the integrations, and a scripted one for what a real one rarely does."""

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from moss_memory.integrations.client import AsyncMossClient, MossClient

COMMAND = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
PROBLEM = {"content-type": "application/problem+json"}


@dataclass
class Script:
    """A service that answers as told, and takes note of what it was asked and of pauses."""

    answers: list[Any]
    asked: list[httpx2.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def rest(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def client(self, **options: Any) -> MossClient:
        transport = httpx2.MockTransport(self)
        return MossClient(
            "http://moss.test", "dev:ann", transport=transport, sleep=self.pauses.append, **options
        )

    def async_client(self, **options: Any) -> AsyncMossClient:
        transport = httpx2.MockTransport(self)
        return AsyncMossClient(
            "http://moss.test", "dev:ann", transport=transport, sleep=self.rest, **options
        )


@pytest.fixture
def script() -> Callable[..., Script]:
    """Make a scripted service of its answers in order: responses, or errors to raise."""
    return lambda *answers: Script(list(answers))


@pytest.fixture
def refusal() -> Callable[..., httpx2.Response]:
    """Make a problem document."""

    def made(
        status: int, code: str, *, headers: dict[str, str] | None = None, **members: Any
    ) -> httpx2.Response:
        body = {"type": f"/problems/{code}", "title": "", "status": status, "detail": "No."}
        body |= {"code": code, "request_id": "r-1", **members}
        return httpx2.Response(status, json=body, headers=PROBLEM | (headers or {}))

    return made


@dataclass(frozen=True)
class Service:
    """A running service; every ``principal()`` is somebody new."""

    url: str
    opened: list[MossClient] = field(default_factory=list)

    def principal(self) -> str:
        return f"p-{secrets.token_hex(6)}"

    def client(self, principal: str | None = None, **options: Any) -> MossClient:
        """Open a client that the session closes."""
        client = MossClient(self.url, f"dev:{principal or self.principal()}", **options)
        self.opened.append(client)
        return client


def serving(folder: Path, template: Path, *command: str, **settings: str) -> Iterator[str]:
    """Run a command that serves over a database of its own, and yield the URL that it says."""
    (folder / "moss.db").write_bytes(template.read_bytes())
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MOSS_")}
    environment |= {"MOSS_DATABASE_URL": f"sqlite:///{folder / 'moss.db'}", "MOSS_AUTH": "dev"}
    environment |= settings
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", *command],
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            cwd=folder,
            text=True,
        )
    assert process.stdout is not None
    for line in process.stdout:
        if "listens on" in line:
            break
    else:
        raise pytest.UsageError(f"no service: {(folder / 'errors').read_text()[-2000:]}")
    yield line.rsplit(" ", 1)[1].strip()
    process.terminate()
    process.communicate(timeout=30)


@pytest.fixture(scope="session")
def service(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service over SQLite, in dev mode, in a process of its own on a free port."""
    folder = tmp_path_factory.mktemp("service")
    for url in serving(folder, sqlite_template, COMMAND, "serve", "--port", "0"):
        running = Service(url)
        yield running
        for client in running.opened:
            client.close()


@dataclass(frozen=True)
class KeyedService:
    """A running service that knows keys; ``key`` has every right."""

    url: str
    key: str


@pytest.fixture(scope="session")
def keyed_service(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KeyedService]:
    """The service in keys mode."""
    key = f"static-{secrets.token_hex(16)}"
    rights = "scope:admin+key:admin+erasure:admin+audit:read+debug"
    settings = {
        "MOSS_AUTH": "keys",
        "MOSS_SECRET_KEY": secrets.token_hex(32),
        "MOSS_STATIC_KEYS": f"{key}:default:root:{rights}",
    }
    folder = tmp_path_factory.mktemp("keyed")
    for url in serving(folder, sqlite_template, COMMAND, "serve", "--port", "0", **settings):
        yield KeyedService(url, key)


@pytest.fixture
def someone(service: Service) -> MossClient:
    """The client of a principal that nobody else is."""
    return service.client()
