"""A read that is cut in the middle is an error, never a short list (M44)."""

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from left_behind import Stage, staged

COUNT = 100


class Cutter:
    """A TCP proxy; with ``left`` set it passes that many bytes of an answer on, and cuts."""

    def __init__(self, port: int) -> None:
        self.left: int | None = None
        self.cuts = 0
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                threading.Thread(target=self._pass, args=(client, server), daemon=True).start()

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError), client, server:
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        return
                    if source is client:
                        server.sendall(data)
                    elif self.left is None:
                        client.sendall(data)
                    elif len(data) <= self.left:
                        self.left -= len(data)
                        client.sendall(data)
                    else:
                        client.sendall(data[: self.left])
                        self.cuts += 1
                        return

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def cutter(postgres_url: str) -> Iterator[Cutter]:
    made = Cutter(urlsplit(postgres_url.replace("+psycopg", "")).port or 5432)
    yield made
    made.close()


@pytest.fixture
def stage(cutter: Cutter, postgres_url: str, tmp_path: Path) -> Iterator[Stage]:
    """A service whose database is behind the cutter."""
    before = urlsplit(postgres_url.replace("+psycopg", "")).port
    with staged(tmp_path, postgres_url.replace(f":{before}/", f":{cutter.port}/"), None) as stage:
        yield stage


def test_moss_m44_read_that_is_cut_is_an_error_and_no_short_list(
    stage: Stage, cutter: Cutter
) -> None:
    http = stage.meet("kim")
    for start in range(0, COUNT, 10):
        facts = [
            {
                "domain": "Preference",
                "subject": f"food{start + n}",
                "predicate": "prefers",
                "object_value": "noodles " * 20,
            }
            for n in range(10)
        ]
        assert http.post("/memories", json={"facts": facts}).status_code == 201
    seen: list[tuple[int, Any]] = []
    for left in (0, 100, 1_000, 5_000, 20_000, 40_000):
        cutter.left = left
        answer = http.get("/memories", params={"limit": COUNT})
        seen.append((answer.status_code, answer.json().get("code")))
        cutter.left = None
    whole = http.get("/memories", params={"limit": COUNT})

    assert cutter.cuts >= 6
    assert set(seen) == {(503, "storage_unavailable")}, json.dumps(seen)
    assert len(whole.json()["items"]) == COUNT
