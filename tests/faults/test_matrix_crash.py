"""PostgreSQL away, stopped under load, and crashed under four writers: what was told is there."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from broken_servers import until

WRITERS = 4


@dataclass
class Load:
    """Writers, each of its own principal and under a key for each write, and what they heard."""

    base: str
    told: dict[tuple[str, int], str] = field(default_factory=dict)  # who and which: memory id
    unsure: list[tuple[str, int]] = field(default_factory=list)
    answers: list[tuple[int, str, str | None]] = field(default_factory=list)
    longest: float = 0.0
    over: threading.Event = field(default_factory=threading.Event)

    def write(self, http: httpx2.Client, fact: dict[str, Any], who: str, n: int) -> None:
        headers = {"Authorization": f"Bearer dev:{who}", "Idempotency-Key": f"{who}-{n}"}
        began = time.monotonic()
        answer = http.post("/memories", json={"facts": [fact]}, headers=headers)
        self.longest = max(self.longest, time.monotonic() - began)
        body = answer.json()
        said = answer.status_code, str(body.get("code", "")), answer.headers.get("Retry-After")
        self.answers.append(said)
        if answer.status_code == 201:
            self.told[who, n] = body["facts"][0]["memory_id"]
        else:
            self.unsure.append((who, n))
            time.sleep(0.1)

    def go_on(
        self, http: httpx2.Client, meeting: Callable[[int], dict[str, Any]], who: str
    ) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            self.write(http, meeting(n), who, n)


@contextmanager
def under_load(service: Any, meeting: Callable[[int], dict[str, Any]]) -> Iterator[Load]:
    """Let the writers write while the body runs."""
    load = Load(service.base)
    names = [f"writer{n}" for n in range(WRITERS)]
    threads = [
        threading.Thread(target=load.go_on, args=(service.http, meeting, name)) for name in names
    ]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        load.over.set()
        for thread in threads:
            thread.join()


def test_f10_service_lives_without_a_database_and_is_ready_when_it_comes(
    node: Any, fresh: str, launch: Any, facts: Any
) -> None:
    node.stop()
    worker = launch(MOSS_DATABASE_URL=fresh)
    body = {"facts": [facts["meeting"](1)]}
    try:
        alone = [worker.http.get(path).status_code for path in ("/livez", "/readyz")]
        refused = worker.http.post("/memories", json=body)
    finally:
        node.start()
    until(lambda: worker.http.get("/readyz").status_code == 200)

    assert alone == [200, 503]
    assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
    assert worker.http.post("/memories", json=body).status_code == 201


def test_f11_stopped_database_is_told_of_and_the_pool_recovers_alone(
    node: Any, fresh: str, serve: Any, facts: Any
) -> None:
    service = serve(fresh)
    with under_load(service, facts["meeting"]) as load:
        until(lambda: len(load.told) >= 8)
        node.crash()
        until(lambda: len(load.unsure) >= 8)
        reads = [service.http.get("/memories") for _ in range(2)]
        node.start()
        before = len(load.told)
        until(lambda: len(load.told) >= before + 8)

    assert {each[0] for each in load.answers} == {201, 503}
    refused = [each for each in load.answers if each[0] == 503]
    assert {each[1] for each in refused} <= {"storage_unavailable", "outcome_unknown"}
    assert all(int(each[2] or 0) >= 1 for each in refused)
    assert {each.status_code for each in reads} == {503}
    assert service.http.get("/readyz").status_code == 200


def lose_nothing(node: Any, url: str, serve: Any, facts: Any, sound: Any, crashes: int) -> None:
    """Crash the database under its writers, and look for all that they were told of."""
    service = serve(url)
    with under_load(service, facts["meeting"]) as load:
        for _ in range(crashes):
            before = len(load.told)
            until(lambda: len(load.told) >= before + 40)  # noqa: B023 - asked at once
            node.crash()
            node.start()
        before = len(load.told)
        until(lambda: len(load.told) >= before + 8)
    sound(url, ids=set(load.told.values()))
    unsure, told = list(load.unsure), dict(load.told)
    for who, n in unsure:
        load.write(service.http, facts["meeting"](n), who, n)
    assert len(load.told) == len(told) + len(set(unsure))
    sound(url, ids=set(load.told.values()))
    written = {
        each["memory_id"]
        for name in range(WRITERS)
        for each in everything(service.http, f"writer{name}")
    }
    assert written == set(load.told.values())  # and nothing twice
    print(f"F15: {crashes} crashes, {len(told)} told, {len(unsure)} unsure")  # noqa: T201
    print(f"longest answer {load.longest:.2f} s")  # noqa: T201


def everything(http: httpx2.Client, who: str) -> Iterator[dict[str, Any]]:
    query: dict[str, Any] = {"limit": 100}
    while True:
        credential = {"Authorization": f"Bearer dev:{who}"}
        page = http.get("/memories", params=query, headers=credential).json()
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        query["cursor"] = page["next_cursor"]


def test_f15_every_acknowledged_write_is_found_after_a_crash_under_four_writers(
    node: Any, fresh: str, serve: Any, facts: Any, sound: Any
) -> None:
    lose_nothing(node, fresh, serve, facts, sound, crashes=1)


@pytest.mark.campaign
def test_f15_every_acknowledged_write_is_found_after_twenty_crashes(
    node: Any, fresh: str, serve: Any, facts: Any, sound: Any
) -> None:
    lose_nothing(node, fresh, serve, facts, sound, crashes=20)
