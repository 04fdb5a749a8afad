"""Redis down, frozen, slow, flushed, full, restarted, forged and stale, seen by whoever asks.

What needs no question goes on; what needs one says so, and nothing is written unasked.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from broken_servers import until

DAY = "2026-08-03"
Facts = dict[str, Callable[..., dict[str, Any]]]


@pytest.fixture
def desk(valkey_node: Any, wire: Any) -> tuple[Any, str]:
    """A Valkey that the test may break, behind a wire that it may break too."""
    made: tuple[Any, str] = wire(valkey_node.url)
    return made


@pytest.fixture
def service(sqlite_url: str, serve: Any, desk: tuple[Any, str]) -> Any:
    return serve(sqlite_url, redis_url=SecretStr(desk[1]))


@pytest.fixture
def held(service: Any, facts: Facts) -> str:
    """The id of an open question: a meeting on a day off."""
    service.http.post("/memories", json={"facts": [facts["day_off"](10)]})
    asked = service.http.post("/memories", json={"facts": [facts["meeting"](10)]})
    pending_id: str = asked.json()["pending"]["pending_id"]
    return pending_id


def confirm(service: Any, pending_id: str, action: str = "keep_both") -> httpx2.Response:
    body = {"pending_id": pending_id, "action": action}
    answer: httpx2.Response = service.http.post("/confirm", json=body)
    return answer


def said(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", answer.json().get("status"))


def stored(service: Any) -> list[str]:
    items = service.http.get("/memories").json()["items"]
    return sorted(each["predicate"] for each in items)


AWAY = (503, "pending_store_unavailable")


def refuse_questions_only(service: Any, held: str, facts: Facts) -> None:
    """Hold the service to what it promises while its Redis cannot be used."""
    assert said(service.freshly(40)) == (201, "SUCCESS")
    assert service.http.get("/memories").status_code == 200
    context = service.http.post("/context", json={"query": "talk"})
    assert context.status_code == 200
    rival = {"facts": [facts["meeting"](11, object_value="rival")]}
    for refused in (
        service.http.post("/memories", json=rival),
        confirm(service, held),
        service.http.get(f"/pending/{held}"),
        service.http.get("/pending"),
    ):
        assert said(refused) == AWAY
        assert int(refused.headers["Retry-After"]) >= 1
    assert stored(service) == ["meeting", "vacation"]
    assert service.http.get("/readyz").json()["status"] == "degraded"


def test_f01_only_questions_are_refused_while_redis_is_down(
    service: Any, held: str, facts: Facts, valkey_node: Any
) -> None:
    """Rows 9 and 30."""

    valkey_node.stop()

    refuse_questions_only(service, held, facts)


def test_f02_only_questions_are_refused_while_redis_is_frozen_and_they_wait_after(
    service: Any, held: str, facts: Facts, valkey_node: Any
) -> None:
    with valkey_node.frozen():
        refuse_questions_only(service, held, facts)
    answer = confirm(service, held)
    while said(answer) == AWAY:  # until the breaker's rest is over
        answer = confirm(service, held)

    assert said(answer) == (200, "SUCCESS")


def test_f02_confirmed_write_is_told_of_though_redis_dies_after_the_commit(
    service: Any, held: str, valkey_node: Any
) -> None:
    service.at("committed", valkey_node.stop)

    assert said(confirm(service, held)) == (200, "SUCCESS")
    assert said(confirm(service, held)) == (200, "SUCCESS")
    assert stored(service) == ["meeting", "vacation"]


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_f03_what_needs_no_question_does_not_speak_to_a_slow_redis(
    service: Any, held: str, facts: Facts, desk: tuple[Any, str], seconds: float
) -> None:
    line, _ = desk
    line.delay = seconds
    before = line.asked

    assert said(service.freshly(40)) == (201, "SUCCESS")
    assert stored(service) == ["meeting", "vacation"]
    assert service.http.get("/livez").status_code == 200
    assert line.asked == before
    rival = {"facts": [facts["meeting"](11, object_value="rival")]}
    met = [service.http.post("/memories", json=rival).status_code for _ in range(6)]
    assert (202 in met) == (seconds < 0.25)  # on a busy machine one may miss the 250 ms of a call
    assert set(met) <= {202, 503}


def test_f05_open_questions_stay_and_new_ones_are_refused_when_redis_is_full(
    service: Any, held: str, facts: Facts, valkey_node: Any
) -> None:
    valkey_node.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    valkey_node.ask("CONFIG", "SET", "maxmemory", "1")
    rival = {"facts": [facts["meeting"](11, object_value="rival")]}
    refused = service.http.post("/memories", json=rival)

    assert said(refused) == AWAY
    assert said(service.freshly(40)) == (201, "SUCCESS")
    assert [each["pending_id"] for each in service.http.get("/pending").json()["items"]] == [held]
    assert said(confirm(service, held)) == (200, "SUCCESS")


@pytest.fixture
def lasting_desk(new_valkey: Any) -> Iterator[Any]:
    """A Valkey that writes its orders down, every second to the disk."""
    with tempfile.TemporaryDirectory() as folder:
        node = new_valkey("--appendonly", "yes", "--appendfsync", "everysec", "--dir", folder)
        node.start()
        node.folder = Path(folder)
        yield node
        node.stop()


@pytest.mark.parametrize("log", ["kept", "lost"])
def test_f06_question_is_there_or_gone_and_never_half_when_redis_restarts(
    log: str, sqlite_url: str, serve: Any, lasting_desk: Any, facts: Facts
) -> None:
    service = serve(sqlite_url, redis_url=SecretStr(lasting_desk.url))
    service.http.post("/memories", json={"facts": [facts["day_off"](10)]})
    rivals = [{"facts": [facts["meeting"](n)]} for n in range(5, 15)]
    asked = [service.http.post("/memories", json=rival) for rival in rivals]
    lasting_desk.stop()  # by SIGKILL
    if log == "lost":
        for each in lasting_desk.folder.rglob("*.aof"):
            each.unlink()
        for each in lasting_desk.folder.rglob("*.manifest"):
            each.unlink()
    lasting_desk.start()
    answers = [confirm(service, each.json()["pending"]["pending_id"]) for each in asked]

    expected = {"kept": (200, "SUCCESS"), "lost": (410, "pending_gone")}[log]
    assert {said(each) for each in answers} == {expected}
    assert stored(service) == ["meeting"] * (10 if log == "kept" else 0) + ["vacation"]


@pytest.mark.parametrize("value", [b"anything", b"\xff\x00", b'{"schema":"of 2019"}'])
def test_f07_question_that_somebody_overwrote_is_gone_and_nothing_written(
    service: Any, held: str, valkey_node: Any, value: bytes
) -> None:
    (key,) = [each for each in valkey_node.ask("KEYS", "*") if each.endswith(held.encode())
              and b":pending:" in each]  # fmt: skip
    valkey_node.ask("SET", key, value)

    assert said(confirm(service, held)) == (410, "pending_gone")
    assert stored(service) == ["vacation"]


@pytest.mark.parametrize(("action", "expected"), [
    ("keep_both", (200, "SUCCESS")), ("cancel", (409, "already_settled")),
])  # fmt: skip
def test_f08_question_that_a_stale_replica_brings_back_is_not_settled_twice(
    service: Any,
    held: str,
    desk: tuple[Any, str],
    new_valkey: Any,
    valkey_node: Any,
    action: str,
    expected: tuple[int, str],
) -> None:
    replica = new_valkey().start()
    try:
        valkey_node.ask("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        replica.ask("REPLICAOF", "127.0.0.1", valkey_node.port)
        until(lambda: replica.ask("DBSIZE") == valkey_node.ask("DBSIZE"))
        replica.ask("REPLICAOF", "NO", "ONE")  # promoted before the answer
        first = confirm(service, held)
        desk[0].lead_to(replica.port)
        assert service.http.get(f"/pending/{held}").status_code == 200  # it is open again there
        second = confirm(service, held, action)
    finally:
        replica.stop()

    assert (said(first), said(second)) == ((200, "SUCCESS"), expected)
    assert action == "cancel" or second.content == first.content
    assert stored(service) == ["meeting", "vacation"]
