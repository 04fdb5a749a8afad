"""A whole service over real HTTP, on SQLite with the Desk in process and on PostgreSQL with Valkey.

One service a module and kind; every test speaks as people of its own, so none sees another's.
``verify=False`` spares every client a tenth of a second of reading certificates: it is all http.

In every service somebody else keeps a word, in each kind of memory and in an open question. No
answer to anybody may hold it, and in the end neither may the log or the metrics.
"""

import io
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings

SEOUL = {"timezone": "Asia/Seoul", "reference_time": "2026-07-16T14:00:00+09:00"}


@dataclass
class Person:
    """Somebody with a credential; ``http`` sends as them."""

    principal: str
    http: httpx2.Client = field(repr=False)

    def chat(self, text: str, **more: Any) -> dict[str, Any]:
        return self.told(self.http.post("/chat", json={"text": text, **SEOUL, **more}))

    def confirm(self, pending_id: str, action: str) -> dict[str, Any]:
        body = {"pending_id": pending_id, "action": action}
        return self.told(self.http.post("/confirm", json=body))

    def propose(self, *facts: dict[str, Any], **more: Any) -> httpx2.Response:
        return self.http.post("/memories", json={"facts": list(facts), **more})

    def stored(self, *facts: dict[str, Any]) -> dict[str, Any]:
        """Store facts that conflict with nothing; return the first memory."""
        answer = self.propose(*facts)
        assert answer.status_code == 201, answer.text
        memory: dict[str, Any] = answer.json()["facts"][0]
        return memory

    def memories(self, **query: Any) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.told(self.http.get("/memories", params=query))["items"]
        return items

    @staticmethod
    def told(answer: httpx2.Response) -> dict[str, Any]:
        assert answer.is_success, answer.text
        told: dict[str, Any] = answer.json()
        return told


def settings(request: pytest.FixtureRequest, folder: Path) -> Iterator[Settings]:
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), folder / "moss.sqlite3")
        yield Settings(database_url=SecretStr(f"sqlite:///{folder / 'moss.sqlite3'}"))
        return
    postgres = request.getfixturevalue("postgres")
    name = f"moss_journey_{secrets.token_hex(4)}"
    postgres.execute(
        f"CREATE DATABASE {name} TEMPLATE {request.getfixturevalue('postgres_template')}"
    )
    yield Settings(
        database_url=SecretStr(postgres.url(name)),
        redis_url=SecretStr(request.getfixturevalue("valkey")),
    )
    postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The base URL of a running service."""
    for chosen in settings(request, tmp_path_factory.mktemp("service")):
        lines = io.StringIO()
        with in_background(create_app(chosen, lines=lines)) as base:
            SECRETIVE[base] = word = f"ocelot{secrets.token_hex(6)}"
            tenant = "default" if chosen.redis_url is None else "zoo"  # SQLite serves one
            plant(base, tenant, word)
            yield base
            counted = httpx2.get(f"{base}/metrics", verify=False).text
        assert word not in lines.getvalue() + counted


SECRETIVE: dict[str, str] = {}  # the word that somebody else keeps, by the service's URL


def plant(base: str, tenant: str, word: str) -> None:
    """Keep ``word`` as somebody whom no test speaks for."""
    event = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    event |= {"when": {"start": "2026-07-17T10:00:00+09:00"}}
    taste = {"domain": "Preference", "subject": word, "predicate": "prefers"}
    item = {"domain": "Store", "subject": f"{word}/b", "predicate": "item"}
    facts = [
        event | {"object_value": word},
        taste | {"object_value": word},
        item | {"object_value": f'"{word}"'},
    ]
    credential = {"Authorization": f"Bearer dev:{tenant}:{word}"}
    with httpx2.Client(base_url=base, headers=credential, timeout=30, verify=False) as http:
        kept = http.post("/memories", json={"facts": facts})
        held = http.post("/memories", json={"facts": [event | {"object_value": f"Not {word}"}]})
        http.post("/chat", json={"text": f"I hate {word}", "session_id": word})
    assert (kept.status_code, held.status_code) == (201, 202)


def guarded(base: str) -> dict[str, list[Any]]:
    """Return the hook that reads every answer which ends, and finds no word of somebody else."""

    def look(answer: httpx2.Response) -> None:
        word = SECRETIVE.get(base)  # None: a service of a test's own, where nobody else is
        stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        if word is not None and not stream:
            assert word not in answer.read().decode("utf-8", "replace")

    return {"response": [look]}


@pytest.fixture
def person(service: str) -> Iterator[Callable[[str], Person]]:
    """Return how to meet somebody new."""
    met: list[Person] = []

    def meet(name: str) -> Person:
        principal = f"{name}-{secrets.token_hex(4)}"
        credential = {"Authorization": f"Bearer dev:{principal}"}
        http = httpx2.Client(
            base_url=service,
            headers=credential,
            timeout=30,
            verify=False,
            event_hooks=guarded(service),
        )
        met.append(Person(principal, http))
        return met[-1]

    yield meet
    for somebody in met:
        somebody.http.close()


@pytest.fixture
def alice(person: Callable[[str], Person]) -> Person:
    return person("alice")


@pytest.fixture
def bob(person: Callable[[str], Person]) -> Person:
    return person("bob")


@pytest.fixture(scope="module")
def stranger(service: str) -> Iterator[httpx2.Client]:
    """Somebody without a credential."""
    with httpx2.Client(base_url=service, timeout=30, verify=False) as http:
        yield http
