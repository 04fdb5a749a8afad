"""Two serving processes on one PostgreSQL and one Valkey: any of them answers anybody."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

MAIN = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "sync",
    "when": {"start": "2026-08-01T10:00:00Z"},
}
DAY_OFF = MEETING | {
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2026-08-01"},
}


@dataclass
class Worker:
    """A serving process and a client of it, both Ann's."""

    process: subprocess.Popen[bytes]
    http: httpx2.Client


def serve(folder: Path, port: int, **settings: str) -> Worker:
    command = [sys.executable, "-c", MAIN, "serve", "--port", str(port)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    client = httpx2.Client(
        base_url=f"http://127.0.0.1:{port}",
        headers={"Authorization": "Bearer dev:ann"},
        timeout=30,
        verify=False,
    )
    for _ in range(600):
        try:
            client.get("/livez")
            break
        except httpx2.TransportError:
            time.sleep(0.1)
    return Worker(process, client)


@pytest.fixture
def workers(
    tmp_path: Path, postgres_url: str, redis_url: str, free_ports: list[int]
) -> Iterator[tuple[Worker, Worker]]:
    settings = {
        "MOSS_DATABASE_URL": postgres_url,
        "MOSS_REDIS_URL": redis_url,
        "MOSS_SECRET_KEY": "of both workers " * 3,
    }
    pair = [serve(tmp_path, port, **settings) for port in free_ports]
    yield pair[0], pair[1]
    for worker in pair:
        worker.http.close()
        worker.process.kill()
        worker.process.wait(20)


@pytest.fixture
def free_ports() -> list[int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return [one.getsockname()[1], other.getsockname()[1]]


def propose(worker: Worker, fact: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = worker.http.post("/memories", json={"facts": [fact]}).json()
    return told


def events(answer: httpx2.Response) -> Iterator[dict[str, Any]]:
    frame: dict[str, Any] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            frame[name] = json.loads(value) if name == "data" else value
            continue
        yield frame
        frame = {}


def test_question_asked_by_one_is_settled_by_the_other(workers: tuple[Worker, Worker]) -> None:
    one, other = workers
    propose(one, DAY_OFF)
    pending_id = propose(one, MEETING)["pending"]["pending_id"]

    body = {"pending_id": pending_id, "action": "keep_both"}
    settled = other.http.post("/confirm", json=body)

    assert settled.json()["status"] == "SUCCESS"
    assert one.http.post("/confirm", json=body).json() == settled.json()


def test_session_of_one_goes_on_with_the_other(workers: tuple[Worker, Worker]) -> None:
    one, other = workers
    said = one.http.post("/chat", json={"text": "Schedule a sync on Monday at 10am"}).json()

    moved = other.http.post(
        "/chat", json={"text": "move it to 4pm", "session_id": said["session_id"]}
    ).json()

    assert (moved["operation"], moved["status"]) == ("revise", "SUCCESS")
    assert moved["facts"][0]["memory_id"] == said["facts"][0]["memory_id"]


def test_reader_of_a_killed_process_goes_on_with_the_other_and_misses_nothing(
    workers: tuple[Worker, Worker],
) -> None:
    one, other = workers
    seen: list[tuple[str, str]] = []
    written = [propose(other, DAY_OFF)["facts"][0]["memory_id"]]
    with one.http.stream("GET", "/events", headers={"Last-Event-ID": "0"}) as stream:
        cursor = ""
        for frame in events(stream):
            cursor = frame.get("id", cursor)
            if "event" in frame:
                seen.append((frame["event"], frame["data"]["ids"][0]))
                break
        one.process.send_signal(signal.SIGKILL)
    held = propose(other, MEETING)["pending"]["pending_id"]
    note = MEETING | {"predicate": "note", "object_value": "note"}
    written.append(propose(other, note)["facts"][0]["memory_id"])
    with other.http.stream("GET", "/events", headers={"Last-Event-ID": cursor}) as stream:
        for frame in events(stream):
            if "event" in frame:
                seen.append((frame["event"], frame["data"]["ids"][0]))
            if len(seen) == 3:
                break

    assert seen == [
        ("memory.written", written[0]),
        ("pending.opened", held),
        ("memory.written", written[1]),
    ]
