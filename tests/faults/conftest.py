"""What the fault tests break: wires, servers and serving processes, all of this machine's own."""

import io
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from broken_servers import PostgresNode, Wire
from moss_memory.adapters.sql_audit import INVARIANTS, audit
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_migrate import migrate
from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.core.ontology import Ontology
from moss_memory.settings import Settings

MAIN = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
SECRET = "of all workers " * 3
FIRST = datetime(2026, 8, 3, tzinfo=UTC)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def wire() -> Iterator[Callable[[str], tuple[Wire, str]]]:
    """Put a proxy before the server of a URL; return it with the URL that leads through it."""
    with ExitStack() as stack:

        def put(url: str) -> tuple[Wire, str]:
            port = urlsplit(url).port or 0
            made = Wire(port)
            stack.callback(made.close)
            return made, url.replace(f":{port}", f":{made.port}", 1)

        yield put


@pytest.fixture(scope="module")
def new_node(new_postgres: Callable[..., Any]) -> Iterator[Callable[..., PostgresNode]]:
    """How to start a PostgreSQL that keeps what it committed when its processes die.

    Not when the machine does: no test can cut the power, so nothing waits for the disk.
    """
    with ExitStack() as stack:

        def start(*more: str) -> PostgresNode:
            lasting = ("synchronous_commit=on", "full_page_writes=on", "max_connections=40")
            server, kept = new_postgres(*lasting, *more)
            stack.callback(kept.stop)
            return PostgresNode(server, kept)

        yield start


@pytest.fixture(scope="module")
def node(new_node: Callable[..., PostgresNode]) -> PostgresNode:
    """A PostgreSQL that this module may break."""
    return new_node()


@pytest.fixture
def fresh(node: PostgresNode) -> str:
    """The URL of a migrated database on the node that a module may break; it goes with it."""
    name = f"moss_{secrets.token_hex(6)}"
    node.server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    migrate(node.url(name))
    return node.url(name)


def client(base: str, principal: str = "ann") -> httpx2.Client:
    credential = {"Authorization": f"Bearer dev:{principal}"}
    limits = httpx2.Limits(max_connections=100, keepalive_expiry=2)  # before the server's 5 s
    return httpx2.Client(base_url=base, headers=credential, timeout=60, verify=False, limits=limits)


@dataclass
class Service:
    """A service in this process; ``app`` is its own, so that a test may hold it at a step."""

    base: str
    http: httpx2.Client = field(repr=False)
    app: Any = field(repr=False)

    def at(self, step: str, do: Callable[[], object]) -> None:
        """Do something the next time a write comes to ``step``, and only then."""
        database = self.app.state.house.memory.database

        def passing(name: str) -> None:
            if name == step:
                database.passing = lambda _: None
                do()

        database.passing = passing

    def freshly(self, n: int, principal: str = "ann", **more: Any) -> httpx2.Response:
        return self.http.post("/memories", json={"facts": [meeting(n)]}, **more)


@pytest.fixture
def serve() -> Iterator[Callable[..., Service]]:
    """How to start a service in this process on a database, with settings."""
    with ExitStack() as stack:

        def start(database_url: str, **chosen: Any) -> Service:
            settings = Settings(database_url=SecretStr(database_url), **chosen)
            app = create_app(settings, lines=io.StringIO())
            base = stack.enter_context(in_background(app))
            return Service(base, stack.enter_context(client(base)), app)

        yield start


@dataclass
class Worker:
    """A serving process of its own; the log is a file, so that it never waits for a reader."""

    process: "subprocess.Popen[bytes]"
    http: httpx2.Client = field(repr=False)
    log: Path

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """How to start ``moss-memory serve`` with settings; every one is gone at the end."""
    started: list[Worker] = []

    def start(**settings: str) -> Worker:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
        port, log = free_port(), tmp_path / f"log{len(started)}"
        with log.open("wb") as lines:
            process = subprocess.Popen(
                [sys.executable, "-c", MAIN, "serve", "--port", str(port)],
                cwd=tmp_path, env=kept | settings, stdout=lines, stderr=lines,
            )  # fmt: skip
        started.append(Worker(process, client(f"http://127.0.0.1:{port}"), log))
        until_it_answers(started[-1])
        return started[-1]

    yield start
    for worker in started:
        worker.http.close()
        worker.kill()


def until_it_answers(worker: Worker) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert worker.process.poll() is None, worker.log.read_text()[-2000:]
        assert time.monotonic() < deadline, worker.log.read_text()[-2000:]
        with suppress(httpx2.TransportError):
            worker.http.get("/livez")
            return
        time.sleep(0.05)


def meeting(n: int, **more: Any) -> dict[str, Any]:
    """Return the n-th meeting: an hour of its own, so that none conflicts with another."""
    start = FIRST + n * timedelta(hours=1)
    window = {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat()}
    kind = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    return kind | {"object_value": f"talk {n}", "when": window} | more


def day_off(n: int) -> dict[str, Any]:
    """Return a day off over the n-th meeting's day, which then asks."""
    day = (FIRST + n * timedelta(hours=1)).date().isoformat()
    return meeting(n) | {
        "predicate": "vacation",
        "object_value": "Vacation",
        "when": {"date": day, "timezone": "UTC"},
    }


@pytest.fixture
def facts() -> dict[str, Callable[..., dict[str, Any]]]:
    """The facts that fault tests write, by kind."""
    return {"meeting": meeting, "day_off": day_off}


# None of these may find a row: what is broken, by the name of the invariant.
BROKEN = {
    "I3 an effect without its one decision": "SELECT decision_id FROM commit_log"
    " GROUP BY tenant_id, decision_id, space_id HAVING count(*) > 1",
    "I4 a question settled twice": "SELECT pending_id FROM decision WHERE outcome IN"
    " ('SUCCESS', 'SUCCESS_WITH_OVERWRITE', 'NO_CHANGE', 'CANCELLED') AND pending_id IS NOT NULL"
    " GROUP BY tenant_id, pending_id HAVING count(*) > 1",
    "I5 a batch in parts": "SELECT d.decision_id FROM decision_memory d LEFT JOIN"
    " memory_revision r ON r.tenant_id = d.tenant_id AND r.memory_id = d.memory_id"
    " AND r.revision = d.revision WHERE r.memory_id IS NULL",
    "I6 a fact outside its tenant": "SELECT memory_id FROM memory_head WHERE tenant_id <> :tenant",
    "I8 revisions with a gap": "SELECT memory_id FROM memory_revision GROUP BY tenant_id,"
    " memory_id HAVING count(*) <> max(revision) OR min(revision) <> 1",
    "I8 not one current": "SELECT r.memory_id FROM memory_revision r LEFT JOIN memory_head h ON"
    " h.tenant_id = r.tenant_id AND h.memory_id = r.memory_id WHERE h.memory_id IS NULL",
    "I10 what is refused, kept": "SELECT payload_id FROM payload WHERE object_value LIKE :secret",
}


@pytest.fixture
def sound() -> Callable[..., None]:
    """How to hold a database to the invariants; ``ids`` are acknowledged memories (I2).

    ``alone`` says that there may be no others; ``secret`` is a word that must be nowhere (I10).
    """

    def look(
        url: str, ids: set[str] | None = None, *, alone: bool = False, secret: str = "-----"
    ) -> None:
        memory = SqlMemory(url, ontology=Ontology())
        try:
            assert audit(memory.database, "default") == dict.fromkeys(INVARIANTS, 0)  # I1
            assert memory.verify("default").ok  # I7
            with memory.database.engine.connect() as connection:
                values = {"tenant": "default", "secret": f"%{secret}%"}
                for name, query in BROKEN.items():
                    given = {k: v for k, v in values.items() if f":{k}" in query}
                    assert connection.execute(text(query), given).all() == [], name
                found = set(connection.execute(text("SELECT memory_id FROM memory_head")).scalars())
            assert (ids or set()) - found == set()  # I2
            assert not alone or found == ids
        finally:
            memory.close()

    return look


@dataclass
class Promise:
    """A request under a key and what was heard of it; asked again until it is answered."""

    path: str
    body: dict[str, Any]
    key: str
    principal: str = "ann"
    told: httpx2.Response | None = None
    refused: list[tuple[int, str]] = field(default_factory=list)

    def ask(self, http: httpx2.Client) -> bool:
        named = {"Authorization": f"Bearer dev:{self.principal}", "Idempotency-Key": self.key}
        try:
            answer = http.post(self.path, json=self.body, headers=named)
        except httpx2.TransportError:  # the process died with it
            return False
        if answer.is_success:
            self.told = answer
        else:
            self.refused.append((answer.status_code, answer.json()["code"]))
        return answer.is_success

    def ask_again(self, http: httpx2.Client) -> bool:
        """Ask once more; an answer that was given already is the same answer."""
        before = self.told
        return self.ask(http) and (before is None or said_again(self.told, before))

    def memory_ids(self) -> set[str]:
        return {each["memory_id"] for each in self.told.json()["facts"]} if self.told else set()


def said_again(answer: httpx2.Response | None, first: httpx2.Response) -> bool:
    """Say whether two answers are one: a question that is settled has no words left."""
    assert answer is not None
    one, other = answer.json(), first.json()
    ids = [(each.pop("pending", None) or {}).get("pending_id") for each in (one, other)]
    return bool(one == other and ids[0] == ids[1])


@pytest.fixture
def promise() -> type[Promise]:
    """What a request under a key promises."""
    return Promise
