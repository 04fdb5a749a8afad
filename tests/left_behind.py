"""A whole service with everything that it leaves behind, for tests that search all of it."""

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import redis
from pydantic import SecretStr

from model_server import ModelServer
from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings

SEOUL = {"timezone": "Asia/Seoul", "reference_time": "2026-07-16T14:00:00+09:00"}
TEN = "2026-07-17T10:00:00+09:00"


@dataclass
class Stage:
    """A running service with all that it leaves behind."""

    base: str
    server: ModelServer
    log: Path
    url: str
    redis_url: str | None = None
    clients: list[httpx2.Client] = field(default_factory=list)

    def meet(self, name: str, tenant: str = "default") -> httpx2.Client:
        credential = {"Authorization": f"Bearer dev:{tenant}:{name}"}
        http = httpx2.Client(base_url=self.base, headers=credential, timeout=30, verify=False)
        self.clients.append(http)
        return http

    def left(self) -> dict[str, bytes]:
        """Return everything that was kept, logged or counted, by where it lies."""
        metrics = httpx2.get(f"{self.base}/metrics", verify=False).content
        heap = self.sqlite() if self.url.startswith("sqlite") else self.postgres()
        desk = b"\n".join(self.desk().values())
        return {"log": self.log.read_bytes(), "metrics": metrics, "redis": desk, **heap}

    def sqlite(self) -> dict[str, bytes]:
        path = Path(self.url.removeprefix("sqlite:///"))
        return {one.name: one.read_bytes() for one in path.parent.glob(f"{path.name}*")}

    def postgres(self) -> dict[str, bytes]:
        """Dump the database, and read the server's write-ahead log as bytes."""
        plain = self.url.replace("+psycopg", "")
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            connection.execute("CHECKPOINT")
            row = connection.execute("SHOW data_directory").fetchone()
            assert row is not None
            tables = connection.execute(
                "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r'"
                " AND relnamespace = 'public'::regnamespace"
            ).fetchall()
            kept = [self._copied(connection, name) for (name,) in tables]
        written = Path(row[0], "pg_wal")
        if not os.access(written, os.R_OK):  # a server that TEST_DATABASE_URL names
            return {"tables": b"".join(kept)}
        return {
            "tables": b"".join(kept),
            "wal": b"".join(one.read_bytes() for one in written.glob("0*")),
        }

    @staticmethod
    def _copied(connection: psycopg.Connection[Any], table: str) -> bytes:
        with connection.cursor().copy(f"COPY {table} TO STDOUT") as copy:  # type: ignore[arg-type]
            return b"".join(bytes(part) for part in copy)

    def desk(self) -> dict[str, bytes]:
        """Return every value of Redis, whatever its type, by its key."""
        if self.redis_url is None:
            return {}
        with closing(redis.Redis.from_url(self.redis_url)) as client:
            return {key.decode(): repr(read(client, key)).encode() for key in client.scan_iter()}


def read(client: Any, key: bytes) -> Any:
    readers = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"set": client.smembers,
        b"list": lambda k: client.lrange(k, 0, -1),
        b"zset": lambda k: client.zrange(k, 0, -1, withscores=True),
        b"stream": client.xrange,
    }
    return readers[client.type(key)](key)


@contextmanager
def staged(folder: Path, url: str, redis_url: str | None) -> Iterator[Stage]:
    with ModelServer() as server, (folder / "log").open("w") as log:
        chosen = Settings(
            database_url=SecretStr(url),
            redis_url=SecretStr(redis_url) if redis_url else None,
            sqlite_multitenant=True,
            model="gemini:scripted",
            gemini_api_key=SecretStr("not a key " * 3),
            gemini_base_url=server.url,
        )
        with in_background(create_app(chosen, lines=log)) as base:
            stage = Stage(base, server, folder / "log", url, redis_url)
            yield stage
            for client in stage.clients:
                client.close()


def meeting(**members: Any) -> dict[str, Any]:
    made = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    return {**made, "object_value": "Budget review", "when": {"start": TEN}, **members}


def taste(**members: Any) -> dict[str, Any]:
    made = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
    return {**made, "object_value": "noodles", **members}


def item(value: str, subject: str = "a/b") -> dict[str, Any]:
    made = {"domain": "Store", "subject": subject, "predicate": "item"}
    return {**made, "object_value": json.dumps({"note": value})}


def said(intent: str = "WRITE", **members: Any) -> dict[str, Any]:
    blank = {"time_text": None, "polarity": "positive", "target": None}
    window = {"start": TEN, "end": None, "rrule": None}
    fact = {**meeting(), **blank, "window": window, **members}
    fact.pop("when")
    operation = "create" if intent == "WRITE" else None
    reply = {"intent": intent, "operation": operation, "question": None, "why": False}
    return {"text": json.dumps({**reply, "facts": [fact] if intent == "WRITE" else []})}
