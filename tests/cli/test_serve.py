"""``moss-memory serve`` as a process: what it refuses, how it stops, what its workers share."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
import pytest

from moss_memory.cli.main import main

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from moss_memory.cli.main import main; sys.exit(main())",
]
CREDENTIAL = {"Authorization": "Bearer dev:alice"}
SECRET = "shared-by-all-workers" * 2


@dataclass(frozen=True)
class Running:
    process: "subprocess.Popen[str]"
    base: str

    def connect(self) -> socket.socket:
        where = urlsplit(self.base)
        return socket.create_connection((where.hostname, where.port), timeout=20)


Start = Callable[..., Running]


def environment(**settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
    return kept | settings


@pytest.fixture
def start() -> Iterator[Start]:
    """Return how to start a service; all are gone at the end."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, **settings: str) -> Running:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", *words],
            env=environment(**settings), stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        return Running(process, process.stdout.readline().split()[-1])

    yield begin
    for process in started:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        finally:
            process.kill()
            if process.stdout is not None:
                process.stdout.close()


@pytest.mark.parametrize(
    ("words", "settings", "reason"),
    [
        (["--host", "0.0.0.0"], {}, "loopback"),
        (["--workers", "2"], {}, "MOSS_REDIS_URL"),
        ([], {"MOSS_AUTH": "keys"}, "MOSS_SECRET_KEY"),
        ([], {"MOSS_CORS_ORIGINS": "*"}, "MOSS_CORS_ORIGINS"),
        ([], {"MOSS_MODEL": "oracle"}, "MOSS_MODEL"),
        ([], {"MOSS_AUTH": "keys", "MOSS_SECRET_KEY": SECRET, "MOSS_STATIC_KEYS": "a:b"},
         "MOSS_STATIC_KEYS"),
        ([], {"MOSS_RULES": "/nowhere/rules.toml"}, "rules.toml"),
    ],
)  # fmt: skip
def test_unsafe_service_is_not_started_and_says_why(
    words: list[str],
    settings: dict[str, str],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    code = main(["serve", "--port", "0", *words])
    said = capsys.readouterr()

    assert (code, said.out) == (2, "")
    assert reason in said.err


def test_database_that_was_never_migrated_is_not_ready_but_lives(
    start: Start, empty_sqlite_url: str
) -> None:
    base = start(MOSS_DATABASE_URL=empty_sqlite_url).base
    ready = httpx2.get(f"{base}/readyz")

    assert (ready.status_code, ready.json()["status"]) == (503, "unready")
    assert httpx2.get(f"{base}/livez").status_code == 200


def test_service_asked_to_stop_is_first_not_ready_then_gone(start: Start, sqlite_url: str) -> None:
    running = start(MOSS_DATABASE_URL=sqlite_url)
    before = httpx2.get(f"{running.base}/readyz")
    running.process.terminate()
    during = httpx2.get(f"{running.base}/readyz")
    running.process.wait(20)

    assert (before.status_code, during.status_code) == (200, 503)
    assert during.json()["checks"]["process"] == "stopping"


def test_moss_m47_request_in_flight_is_finished_before_the_stop(
    start: Start, sqlite_url: str
) -> None:
    running = start(MOSS_DATABASE_URL=sqlite_url)
    body = b'{"text": "I am on vacation tomorrow."}'
    head = (
        f"POST /chat HTTP/1.1\r\nHost: moss\r\nAuthorization: {CREDENTIAL['Authorization']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with closing(running.connect()) as wire:
        wire.sendall(head + body[:10])
        running.process.terminate()
        while _answers(running.base):
            pass
        wire.sendall(body[10:])
        answer = wire.recv(65_536)
    running.process.wait(20)

    assert answer.startswith(b"HTTP/1.1 200")


def _answers(base: str) -> bool:
    try:
        httpx2.get(f"{base}/livez")
    except httpx2.TransportError:
        return False
    return True


def test_workers_share_open_questions(start: Start, postgres_url: str, redis_url: str) -> None:
    base = start(
        "--workers", "2",
        MOSS_DATABASE_URL=postgres_url, MOSS_REDIS_URL=redis_url, MOSS_SECRET_KEY=SECRET,
    ).base  # fmt: skip

    def send(method: str, path: str, body: dict[str, str] | None = None) -> httpx2.Response:
        return httpx2.request(method, base + path, headers=CREDENTIAL, json=body, timeout=30)

    day = {"timezone": "Asia/Seoul", "reference_time": "2026-07-16T14:00:00+09:00"}
    send("POST", "/chat", {"text": "I'm on vacation tomorrow.", **day})
    asked = send("POST", "/chat", {"text": "Schedule a review for tomorrow at 10 AM.", **day})
    pending_id = asked.json()["pending"]["pending_id"]
    seen = {send("GET", f"/pending/{pending_id}").status_code for _ in range(12)}
    press = {"pending_id": pending_id, "action": "keep_both"}
    settled = [send("POST", "/confirm", press) for _ in range(6)]

    assert seen == {200}
    assert {answer.text for answer in settled} == {settled[0].text}
    assert settled[0].json()["status"] == "SUCCESS"
